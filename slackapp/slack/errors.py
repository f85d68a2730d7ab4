"""What Slack may say to what we say, as one tree.

PostError                a code of Slack's, and whether trying again may help
├── ChannelClosed        we cannot speak there: unknown, left, archived, restricted
├── NotInChannel         we would have to be invited first
├── NotAuthorised        the token is no good, or may not do this
├── TooLong              the message must be split
├── BlocksRefused        the blocks are not to Slack's liking
├── MessageGone          what we wanted to change is not there, or may not be changed
├── StreamOver           Slack has ended the stream
├── NotShared            a file was uploaded, but Slack shows it to nobody
├── RateLimited          too many calls, even after waiting
└── SlackDown            no answer, or a server's error: it may have been done all the same
"""

from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException

from slack_sdk.errors import SlackApiError, SlackClientError

SLACK_FAILURES = (SlackClientError, OSError, HTTPException, ValueError)
"""Everything that a call of the SDK raises when it fails: URLError and timeouts are OSErrors, and a body that
is no JSON is a ValueError."""


class PostError(Exception):
    """Slack did not do what we asked."""

    retryable = False

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(message or code)
        self.code = code


class ChannelClosed(PostError):
    """Nobody can be told anything there."""


class NotInChannel(PostError):
    """The bot is no member."""


class NotAuthorised(PostError):
    """An administrator has to look at the token."""


class TooLong(PostError):
    """The message has more than Slack takes."""


class BlocksRefused(PostError):
    """Plain text would be taken."""


class MessageGone(PostError):
    """The message cannot be changed any more."""


class StreamOver(PostError):
    """The message is no stream any more; it can still be updated."""


class NotShared(PostError):
    """The upload ended well and shows nowhere."""


class RateLimited(PostError):
    """Slack asked us to wait longer than we do."""

    retryable = True

    def __init__(self, code: str, message: str = "", *, retry_after: float = 1.0) -> None:
        super().__init__(code, message)
        self.retry_after = retry_after


class SlackDown(PostError):
    """Whether it was done is unknown."""

    retryable = True


KINDS: dict[str, type[PostError]] = {
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
"""Slack's codes that mean something to us; the others are a plain PostError."""


@contextmanager
def translating() -> Iterator[None]:
    """Around a call of the SDK: its exceptions as ours."""
    try:
        yield
    except SLACK_FAILURES as error:
        raise translated(error) from error


def translated(error: Exception) -> PostError:
    """Slack's refusal, or the failure to reach it, as an error of ours."""
    if not isinstance(error, SlackApiError):
        return SlackDown("slack_unreachable", type(error).__name__)
    response = error.response
    status = int(getattr(response, "status_code", 0) or 0)
    code = str(response.get("error") or "") if hasattr(response, "get") else ""
    if status == 429 or code in ("ratelimited", "rate_limited"):
        return RateLimited("ratelimited", retry_after=_retry_after(getattr(response, "headers", {})))
    if status >= 500:
        return SlackDown(f"http_{status}")
    code = code if code.replace("_", "").isalnum() and len(code) < 80 else f"http_{status}"
    return KINDS.get(code, PostError)(code)


def _retry_after(headers: object) -> float:
    values = (
        {str(name).lower(): value for name, value in dict(headers).items()}
        if isinstance(headers, dict)
        else {}
    )
    value = values.get("retry-after", "1")
    text = str(value[0] if isinstance(value, list) and value else value)
    return float(text) if text.isdecimal() else 1.0
