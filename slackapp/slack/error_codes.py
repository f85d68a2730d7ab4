"""Every error code that Slack's pages list for the methods of this app, and how the app takes it.

Sources: the sections "Errors" on docs.slack.dev of the pages for `chat.update`, `chat.postMessage`,
`chat.postEphemeral`, `chat.delete`, `chat.startStream`, `chat.appendStream`, `chat.stopStream`,
`files.getUploadURLExternal`, `files.completeUploadExternal`, `files.info`, `files.delete` and `views.open`,
with the codes that all methods share. The codes of SEEN are not on these pages: they were seen in recordings,
or are on other pages. `not_authorized` for sessions and streams rests on reports of developers.
A code that is not here is an UnknownRefusal.
"""

from slackapp.slack import errors
from slackapp.slack.errors import PostError

CODES: dict[type[PostError], str] = {
    errors.ChannelClosed: """
        channel_not_found channel_type_not_supported cannot_reply_to_message invalid_channel is_archived
        is_inactive messages_tab_disabled posting_to_channel_denied restricted_action
        restricted_action_non_threadable_channel restricted_action_read_only_channel
        restricted_action_thread_locked restricted_action_thread_only_channel team_not_found
        user_not_in_channel
    """,
    errors.NotInChannel: "not_in_channel",
    errors.NotAuthorised: """
        access_denied accesslimited account_inactive ekm_access_denied enterprise_is_restricted invalid_auth
        missing_scope no_permission not_allowed_token_type not_authed team_access_not_granted token_expired
        token_revoked two_factor_setup_required
    """,
    errors.NotIncluded: "not_authorized",
    errors.TooLong: """
        attachment_payload_limit_exceeded msg_blocks_too_long msg_blocks_too_many msg_too_long
    """,
    errors.BlocksRefused: """
        invalid_attachments invalid_blocks invalid_blocks_format too_many_attachments too_many_contact_cards
    """,
    # `block_mismatch`: rich text cannot become other blocks, so only a new message helps.
    errors.MessageGone: """
        block_mismatch cant_broadcast_message cant_delete_message cant_update_message edit_window_closed
        message_not_found no_dual_broadcast_content_update streaming_state_conflict
    """,
    errors.StreamOver: "message_not_in_streaming_state message_not_owned_by_app stopped_by_user",
    errors.UploadRefused: """
        blocked_file_type file_share_limit_reached file_type_not_allowed file_upload_size_restricted
        file_uploads_disabled file_uploads_except_images_disabled max_file_sharing_exceeded
        slack_connect_blocked_file_type slack_connect_clip_sharing_blocked
        slack_connect_file_upload_sharing_blocked storage_limit_reached unable_to_share_files
    """,
    errors.FileGone: """
        cant_delete_file canvas_disabled_file_team canvas_disabled_user_team canvas_globally_disabled
        delete_not_allowed file_deleted file_deleting_disabled file_is_deleted file_not_found not_visible
        template_not_visible
    """,
    errors.PassingRefusal: "messaging_processing_failed update_failed",
    errors.Unavailable: """
        external_channel_migrating message_limit_exceeded org_login_required team_added_to_org
    """,
    errors.CallRefused: """
        alt_txt_too_large as_user_not_supported channels_limit_exceeded deprecated_endpoint
        draft_already_deleted draft_already_sent draft_has_conflict draft_not_found
        duplicate_channel_not_found duplicate_external_id duplicate_message_not_found exchanged_trigger_id
        expired_trigger_id file_update_failed invalid_arg_name invalid_arguments invalid_array_arg
        invalid_charset invalid_chunks
        invalid_form_data invalid_metadata_format invalid_metadata_schema invalid_post_type invalid_trigger_id
        markdown_text_conflict metadata_must_be_sent_from_app metadata_too_large method_deprecated
        missing_argument missing_file_data missing_post_type missing_recipient_team_id
        missing_recipient_user_id no_text slack_connect_canvas_sharing_blocked
        slack_connect_file_link_sharing_blocked slack_connect_lists_sharing_blocked snippet_too_large
        unknown_snippet_type unknown_subtype user_not_found view_too_large
    """,
    # Pages and SDKs: "It's possible some aspect of the operation succeeded before the error was raised."
    errors.SlackDown: "fatal_error internal_error request_timeout service_unavailable",
}
SEEN: dict[type[PostError], str] = {
    errors.ChannelClosed: "channel_is_archived thread_not_found",
    errors.TooLong: "markdown_text_too_long",
    errors.BlocksRefused: "only_one_table_allowed",
    errors.CallRefused: "invalid_json json_not_object not_enabled unknown_method",
}
ERRORS_BY_CODE: dict[str, type[PostError]] = {
    code: kind for group in (CODES, SEEN) for kind, codes in group.items() for code in codes.split()
}
