"""The errors of posting to Slack, as one tree.

PostError                Slack's code, and whether trying again may help
├── ChannelClosed        the app cannot post there: unknown, left, archived, restricted
├── NotInChannel         the app must be invited first
├── NotAuthorised        the token is invalid, or lacks a permission
├── TooLong              the message must be split
├── BlocksRefused        Slack does not accept the blocks
├── MessageGone          the message does not exist, or may not be changed
├── StreamOver           Slack has ended the stream
├── NotShared            a file was uploaded, but Slack shows it nowhere
├── AnswerOverwritten    Slack carried out an old call late; the answer has to be made again
├── RateLimited          too many calls, even after waiting
└── SlackDown            no answer, or a server's error: the call may have succeeded
"""

from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException

from slack_sdk.errors import SlackApiError, SlackClientError

SLACK_FAILURES = (SlackClientError, OSError, HTTPException, ValueError)
"""Everything that a failing call of the SDK raises: URLError and timeouts are OSErrors, and a body that is
not JSON is a ValueError."""


class PostError(Exception):
    """A call to Slack failed."""

    retryable = False

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(message or code)
        self.code = code


class ChannelClosed(PostError):
    """Nothing can be posted there."""


class NotInChannel(PostError):
    """The bot is not a member of the channel."""


class NotAuthorised(PostError):
    """An administrator has to check the token."""


class TooLong(PostError):
    """The message is longer than Slack accepts."""


class BlocksRefused(PostError):
    """Slack would accept plain text."""


class MessageGone(PostError):
    """The message cannot be changed any more."""


class StreamOver(PostError):
    """The message has stopped streaming; it can still be updated."""


class NotShared(PostError):
    """The upload succeeded, but the file is shown nowhere."""


class AnswerOverwritten(PostError):
    """An answer of an earlier worker does not stand any more, and its text is not known."""

    retryable = True


class RateLimited(PostError):
    """Slack asked for a longer wait than the app allows."""

    retryable = True

    def __init__(self, code: str, message: str = "", *, retry_after: float = 1.0) -> None:
        super().__init__(code, message)
        self.retry_after = retry_after


class SlackDown(PostError):
    """The outcome is unknown."""

    retryable = True


ERRORS_BY_CODE: dict[str, type[PostError]] = {
    "channel_not_found": ChannelClosed,
    "is_archived": ChannelClosed,
    "channel_is_archived": ChannelClosed,
    "restricted_action": ChannelClosed,
    "restricted_action_read_only_channel": ChannelClosed,
    "restricted_action_thread_only_channel": ChannelClosed,
    "restricted_action_non_threadable_channel": ChannelClosed,
    "user_not_in_channel": ChannelClosed,
    "not_in_channel": NotInChannel,
    "invalid_auth": NotAuthorised,
    "not_authed": NotAuthorised,
    "account_inactive": NotAuthorised,
    "token_revoked": NotAuthorised,
    "token_expired": NotAuthorised,
    "missing_scope": NotAuthorised,
    "no_permission": NotAuthorised,
    "not_allowed_token_type": NotAuthorised,
    "access_denied": NotAuthorised,
    "msg_too_long": TooLong,
    "msg_blocks_too_long": TooLong,
    "markdown_text_too_long": TooLong,
    "invalid_blocks": BlocksRefused,
    "invalid_blocks_format": BlocksRefused,
    "invalid_attachments": BlocksRefused,
    "only_one_table_allowed": BlocksRefused,
    "block_mismatch": BlocksRefused,
    "message_not_found": MessageGone,
    "cant_update_message": MessageGone,
    "cant_delete_message": MessageGone,
    "edit_window_closed": MessageGone,
    "streaming_state_conflict": MessageGone,
    "message_not_in_streaming_state": StreamOver,
    "message_not_owned_by_app": StreamOver,
    "stopped_by_user": StreamOver,
    "internal_error": SlackDown,
    "fatal_error": SlackDown,
    "service_unavailable": SlackDown,
    "request_timeout": SlackDown,
}
"""Slack's codes that the app treats specially; the others are a plain PostError."""


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
    code = str(response.get("error") or "") if hasattr(response, "get") else ""
    if status == 429 or code in ("ratelimited", "rate_limited"):
        headers = getattr(response, "headers", None)
        values = (
            {str(name).lower(): value for name, value in headers.items()} if isinstance(headers, dict) else {}
        )
        wait = values.get("retry-after", "1")
        wait = str(wait[0] if isinstance(wait, list) and wait else wait)
        return RateLimited("ratelimited", retry_after=float(wait) if wait.isdecimal() else 1.0)
    if status >= 500:
        return SlackDown(f"http_{status}")
    code = code if code.replace("_", "").isalnum() and len(code) < 80 else f"http_{status}"
    return ERRORS_BY_CODE.get(code, PostError)(code)
