"""The errors of posting to Slack, as one tree.

PostError                Slack's code, and whether trying again may help
├── ChannelClosed        the app cannot post there: unknown, left, archived, restricted
├── NotInChannel         the app must be invited first
├── NotAuthorised        the token is invalid, or lacks a permission
│   └── NotIncluded      the workspace's plan, or the app's declaration, does not include this
├── TooLong              the message must be split
├── BlocksRefused        Slack does not accept the blocks
├── MessageGone          the message does not exist, or may not be changed in this way
├── StreamOver           Slack has ended the stream
├── UploadRefused        the workspace does not accept this file
├── FileGone             the file does not exist, or may not be changed
├── NotShared            a file was uploaded, but Slack does not show it yet
├── CallRefused          Slack does not accept the arguments
├── PassingRefusal       Slack could not do it now; it is tried again a few times
├── UnknownRefusal       a code that the app does not know; it is tried once more
├── AnswerOverwritten    Slack carried out an old call late; the answer has to be made again
├── Unavailable          Slack refuses for a time, and does not say for how long
│   └── RateLimited      too many calls, even after waiting
└── SlackDown            no answer, or a server's error: the call may have succeeded

`CODES` has every error code that Slack's pages list for the methods of this app. Sources: the sections
"Errors" on docs.slack.dev of the pages for `chat.update`, `chat.postMessage`, `chat.postEphemeral`,
`chat.delete`, `chat.startStream`, `chat.appendStream`, `chat.stopStream`, `files.getUploadURLExternal`,
`files.completeUploadExternal`, `files.info`, `files.delete` and `views.open`, with the codes that all methods
share. The codes of `SEEN` are not on these pages: they were seen in recordings, or are on other pages.
`not_authorized` for sessions and streams rests on reports of developers.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException

from slack_sdk.errors import SlackApiError, SlackClientError

SLACK_FAILURES = (SlackClientError, OSError, HTTPException, ValueError)
"""Everything that a failing call of the SDK raises: URLError and timeouts are OSErrors, and a body that is
not JSON is a ValueError."""
SHORTEST_PAUSE, LONGEST_PAUSE = 1.0, 3600.0
"""Seconds after which a refused call is worth another try, also if Slack names fewer or more."""


class PostError(Exception):
    """A call to Slack failed."""

    retryable = False
    pauses: tuple[float, ...] = ()
    """Seconds before each further try of the same call: Slack said no, so nothing is done twice."""

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(message or code)
        self.code = code


class ChannelClosed(PostError):
    """Nothing can be posted there."""


class NotInChannel(PostError):
    """The bot is not a member of the channel."""


class NotAuthorised(PostError):
    """An administrator has to check the token."""


class NotIncluded(NotAuthorised):
    """A free plan, or an app that is not declared as an agent."""


class TooLong(PostError):
    """The message is longer than Slack accepts."""


class BlocksRefused(PostError):
    """Slack would accept plain text."""


class MessageGone(PostError):
    """The message cannot be changed any more, or not into this."""


class StreamOver(PostError):
    """The message has stopped streaming; it can still be updated."""


class UploadRefused(PostError):
    """An administrator has to allow such files."""


class FileGone(PostError):
    """The file cannot be seen or changed."""


class NotShared(PostError):
    """The upload succeeded, but the file is not shown yet."""


class CallRefused(PostError):
    """The same call will never be accepted."""


class PassingRefusal(PostError):
    """Slack has failed inside, and done nothing."""

    pauses = (0.5, 2.0)


class UnknownRefusal(PostError):
    """A code of which the app knows nothing."""

    pauses = (1.0,)


class AnswerOverwritten(PostError):
    """An answer of an earlier worker does not stand any more, and its text is not known."""

    retryable = True


class Unavailable(PostError):
    """The workspace is being moved, or has sent too many messages."""

    retryable = True

    def __init__(self, code: str, message: str = "", *, retry_after: float = 60.0) -> None:
        super().__init__(code, message)
        self.retry_after = retry_after


class RateLimited(Unavailable):
    """Slack asked for a longer wait than the app allows."""


class SlackDown(PostError):
    """The outcome is unknown."""

    retryable = True


@contextmanager
def translated_errors() -> Iterator[None]:
    """Around a call of the SDK: raise its exceptions as a PostError."""
    try:
        yield
    except SLACK_FAILURES as error:
        raise post_error_from(error) from error


def post_error_from(error: Exception) -> PostError:
    """The PostError for an exception of the SDK."""
    if not isinstance(error, SlackApiError):
        return SlackDown("slack_unreachable", type(error).__name__)
    response = error.response
    status = int(getattr(response, "status_code", 0) or 0)
    data = getattr(response, "data", response)
    code = str(data.get("error") or "") if isinstance(data, dict) else ""
    if status == 429 or code in ("ratelimited", "rate_limited"):
        headers = getattr(response, "headers", None)
        values = (
            {str(name).lower(): value for name, value in headers.items()} if isinstance(headers, dict) else {}
        )
        wait = values.get("retry-after", "1")
        wait = str(wait[0] if isinstance(wait, list) and wait else wait)
        seconds = float(wait) if wait.isdecimal() else SHORTEST_PAUSE
        return RateLimited("ratelimited", retry_after=min(max(seconds, SHORTEST_PAUSE), LONGEST_PAUSE))
    is_code = code.replace("_", "").isalnum() and len(code) < 80
    # A page with a status of success is not Slack's answer: the call may have been carried out.
    if status >= 500 or (status < 400 and not is_code):
        return SlackDown(f"http_{status}")
    code = code if is_code else f"http_{status}"
    return ERRORS_BY_CODE.get(code, UnknownRefusal)(code)


CODES: dict[type[PostError], str] = {
    ChannelClosed: """
        channel_not_found channel_type_not_supported cannot_reply_to_message invalid_channel is_archived
        is_inactive messages_tab_disabled posting_to_channel_denied restricted_action
        restricted_action_non_threadable_channel restricted_action_read_only_channel
        restricted_action_thread_locked restricted_action_thread_only_channel team_not_found
        user_not_in_channel
    """,
    NotInChannel: "not_in_channel",
    NotAuthorised: """
        access_denied accesslimited account_inactive ekm_access_denied enterprise_is_restricted invalid_auth
        missing_scope no_permission not_allowed_token_type not_authed team_access_not_granted token_expired
        token_revoked two_factor_setup_required
    """,
    NotIncluded: "not_authorized",
    TooLong: """
        attachment_payload_limit_exceeded msg_blocks_too_long msg_blocks_too_many msg_too_long
    """,
    BlocksRefused: """
        invalid_attachments invalid_blocks invalid_blocks_format too_many_attachments too_many_contact_cards
    """,
    # `block_mismatch`: rich text cannot become other blocks, so only a new message helps.
    MessageGone: """
        block_mismatch cant_broadcast_message cant_delete_message cant_update_message edit_window_closed
        message_not_found no_dual_broadcast_content_update streaming_state_conflict
    """,
    StreamOver: "message_not_in_streaming_state message_not_owned_by_app stopped_by_user",
    UploadRefused: """
        blocked_file_type file_share_limit_reached file_type_not_allowed file_upload_size_restricted
        file_uploads_disabled file_uploads_except_images_disabled max_file_sharing_exceeded
        slack_connect_blocked_file_type slack_connect_clip_sharing_blocked
        slack_connect_file_upload_sharing_blocked storage_limit_reached unable_to_share_files
    """,
    FileGone: """
        cant_delete_file canvas_disabled_file_team canvas_disabled_user_team canvas_globally_disabled
        delete_not_allowed file_deleted file_deleting_disabled file_is_deleted file_not_found not_visible
        template_not_visible
    """,
    PassingRefusal: "messaging_processing_failed update_failed",
    Unavailable: """
        external_channel_migrating message_limit_exceeded org_login_required team_added_to_org
    """,
    CallRefused: """
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
    SlackDown: "fatal_error internal_error request_timeout service_unavailable",
}
SEEN: dict[type[PostError], str] = {
    ChannelClosed: "channel_is_archived thread_not_found",
    TooLong: "markdown_text_too_long",
    BlocksRefused: "only_one_table_allowed",
    CallRefused: "invalid_json json_not_object not_enabled unknown_method",
}
ERRORS_BY_CODE: dict[str, type[PostError]] = {
    code: kind for group in (CODES, SEEN) for kind, codes in group.items() for code in codes.split()
}
