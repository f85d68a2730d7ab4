"""The codes that Slack's method pages list, each taken as something that the app knows how to treat.

Retyped from the sections "Errors" on docs.slack.dev, as smstoslack/slack_kit (priv/docs/methods) had them in
May 2026; `messaging_processing_failed` of `chat.update` and `not_authorized` are from later pages.
"""

import pytest

from slackapp.slack.errors import (
    CODES,
    ERRORS_BY_CODE,
    MessageGone,
    NotIncluded,
    PassingRefusal,
    RateLimited,
    SlackDown,
    Unavailable,
    UploadRefused,
)

PAGES = {
    "every method": """
        access_denied accesslimited account_inactive deprecated_endpoint ekm_access_denied
        enterprise_is_restricted fatal_error internal_error invalid_arg_name invalid_arguments
        invalid_array_arg invalid_auth invalid_charset invalid_form_data invalid_post_type
        method_deprecated missing_post_type missing_scope no_permission not_allowed_token_type
        not_authed org_login_required ratelimited request_timeout service_unavailable
        team_access_not_granted team_added_to_org token_expired token_revoked
        two_factor_setup_required
    """,
    "chat.update": """
        as_user_not_supported block_mismatch blocked_file_type cant_broadcast_message
        cant_update_message channel_not_found edit_window_closed external_channel_migrating
        file_deleted file_is_deleted file_not_found file_share_limit_reached invalid_attachments
        invalid_blocks invalid_blocks_format invalid_metadata_format invalid_metadata_schema
        is_inactive markdown_text_conflict max_file_sharing_exceeded message_limit_exceeded
        message_not_found metadata_must_be_sent_from_app metadata_too_large msg_too_long
        no_dual_broadcast_content_update no_text posting_to_channel_denied
        slack_connect_blocked_file_type slack_connect_canvas_sharing_blocked
        slack_connect_clip_sharing_blocked slack_connect_file_link_sharing_blocked
        slack_connect_file_upload_sharing_blocked streaming_state_conflict team_not_found
        too_many_attachments unable_to_share_files update_failed
    """,
    "chat.postMessage": """
        as_user_not_supported attachment_payload_limit_exceeded cannot_reply_to_message
        channel_not_found draft_already_deleted draft_already_sent draft_has_conflict
        draft_not_found duplicate_channel_not_found duplicate_message_not_found invalid_blocks
        invalid_blocks_format invalid_metadata_format invalid_metadata_schema is_archived
        markdown_text_conflict message_limit_exceeded messages_tab_disabled
        metadata_must_be_sent_from_app metadata_too_large missing_file_data msg_blocks_too_long
        no_text not_in_channel rate_limited restricted_action
        restricted_action_non_threadable_channel restricted_action_read_only_channel
        restricted_action_thread_locked restricted_action_thread_only_channel
        slack_connect_canvas_sharing_blocked slack_connect_file_link_sharing_blocked
        slack_connect_lists_sharing_blocked team_not_found too_many_attachments
        too_many_contact_cards
    """,
    "chat.postEphemeral": """
        cannot_reply_to_message channel_not_found invalid_attachments invalid_blocks
        invalid_blocks_format is_archived markdown_text_conflict message_limit_exceeded
        messages_tab_disabled msg_too_long no_text not_in_channel restricted_action
        too_many_attachments user_not_in_channel
    """,
    "chat.delete": """
        cant_delete_message channel_not_found message_not_found
    """,
    "chat.startStream": """
        channel_not_found channel_type_not_supported duplicate_channel_not_found
        duplicate_message_not_found invalid_blocks invalid_blocks_format invalid_chunks
        invalid_metadata_format invalid_metadata_schema is_archived message_limit_exceeded
        messages_tab_disabled messaging_processing_failed metadata_must_be_sent_from_app
        metadata_too_large missing_recipient_team_id missing_recipient_user_id msg_blocks_too_long
        msg_blocks_too_many no_text not_in_channel rate_limited restricted_action
        restricted_action_non_threadable_channel restricted_action_read_only_channel
        restricted_action_thread_locked restricted_action_thread_only_channel
        slack_connect_canvas_sharing_blocked slack_connect_file_link_sharing_blocked
        slack_connect_lists_sharing_blocked team_not_found user_not_found
    """,
    "chat.appendStream": """
        as_user_not_supported channel_not_found channel_type_not_supported
        duplicate_channel_not_found duplicate_message_not_found invalid_blocks invalid_chunks
        invalid_metadata_format invalid_metadata_schema is_archived message_limit_exceeded
        message_not_found message_not_in_streaming_state message_not_owned_by_app
        messages_tab_disabled messaging_processing_failed metadata_must_be_sent_from_app
        metadata_too_large msg_blocks_too_long msg_blocks_too_many no_text not_in_channel
        rate_limited restricted_action restricted_action_non_threadable_channel
        restricted_action_read_only_channel restricted_action_thread_locked
        restricted_action_thread_only_channel slack_connect_canvas_sharing_blocked
        slack_connect_file_link_sharing_blocked slack_connect_lists_sharing_blocked stopped_by_user
        team_not_found too_many_attachments too_many_contact_cards
    """,
    "chat.stopStream": """
        as_user_not_supported attachment_payload_limit_exceeded cannot_reply_to_message
        channel_not_found channel_type_not_supported duplicate_channel_not_found
        duplicate_message_not_found invalid_blocks invalid_chunks invalid_metadata_format
        invalid_metadata_schema is_archived message_limit_exceeded message_not_found
        message_not_in_streaming_state message_not_owned_by_app messages_tab_disabled
        metadata_must_be_sent_from_app metadata_too_large missing_file_data msg_blocks_too_long
        msg_blocks_too_many no_text not_in_channel rate_limited restricted_action
        restricted_action_non_threadable_channel restricted_action_read_only_channel
        restricted_action_thread_locked restricted_action_thread_only_channel
        slack_connect_canvas_sharing_blocked slack_connect_file_link_sharing_blocked
        slack_connect_lists_sharing_blocked team_not_found too_many_attachments
        too_many_contact_cards
    """,
    "files.getUploadURLExternal": """
        alt_txt_too_large file_type_not_allowed file_upload_size_restricted file_uploads_disabled
        file_uploads_except_images_disabled missing_argument snippet_too_large storage_limit_reached
        unknown_snippet_type unknown_subtype
    """,
    "files.completeUploadExternal": """
        channel_not_found channels_limit_exceeded file_not_found file_type_not_allowed
        file_update_failed file_uploads_except_images_disabled invalid_blocks invalid_channel
        not_in_channel posting_to_channel_denied
    """,
    "files.info": """
        canvas_disabled_file_team canvas_disabled_user_team canvas_globally_disabled file_deleted
        file_not_found not_visible slack_connect_canvas_sharing_blocked template_not_visible
    """,
    "files.delete": """
        cant_delete_file delete_not_allowed file_deleted file_deleting_disabled file_not_found
    """,
    "views.open": """
        duplicate_external_id exchanged_trigger_id expired_trigger_id invalid_trigger_id
        view_too_large
    """,
    "later pages": """
        messaging_processing_failed not_authorized
    """,
}
WAITED_FOR = {"ratelimited", "rate_limited"}
"""Codes that `post_error_from` takes before it looks at the table."""


@pytest.mark.parametrize("page", PAGES)
def test_every_listed_code_is_classified(page):
    assert set(PAGES[page].split()) - WAITED_FOR - ERRORS_BY_CODE.keys() == set()


def test_no_code_has_two_meanings_and_none_is_invented():
    named = [code for codes in CODES.values() for code in codes.split()]
    assert len(named) == len(set(named))
    listed = {code for page in PAGES.values() for code in page.split()}
    assert set(named) - listed == set()


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("update_failed", PassingRefusal),
        ("messaging_processing_failed", PassingRefusal),
        ("block_mismatch", MessageGone),
        ("edit_window_closed", MessageGone),
        ("team_added_to_org", Unavailable),
        ("external_channel_migrating", Unavailable),
        ("internal_error", SlackDown),
        ("storage_limit_reached", UploadRefused),
        ("not_authorized", NotIncluded),
    ],
)
def test_what_passes_is_told_apart_from_what_stays(code, kind):
    assert ERRORS_BY_CODE[code] is kind
    assert kind.retryable == issubclass(kind, SlackDown | Unavailable)
    assert bool(kind.pauses) == (kind is PassingRefusal)
    assert issubclass(RateLimited, Unavailable)
