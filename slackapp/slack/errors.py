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

`error_codes.py` has the codes of each.
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
    from slackapp.slack.error_codes import ERRORS_BY_CODE  # it names the classes of this module

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
