"""The Slack client, and which calls it tries again by itself.

An idempotent call is tried again after a server's or a connection's error. A call that creates something is
not: its first try may have succeeded although its answer was lost, so `poster.py` searches for the result
before it tries again. Waiting when Slack says so (429) is always safe.

Before each request that changes something, also before a repeated one, the fence is asked whether this worker
may still write. It is told of each that ended without a certain response: Slack may carry it out later.
"""

import logging
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from functools import cached_property
from http.client import RemoteDisconnected
from typing import TYPE_CHECKING, Any, NotRequired, Protocol, TypedDict, Unpack
from urllib.error import URLError

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry import RetryHandler
from slack_sdk.http_retry.builtin_handlers import (
    ConnectionErrorRetryHandler,
    RateLimitErrorRetryHandler,
    ServerErrorRetryHandler,
)
from slack_sdk.http_retry.request import HttpRequest
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.http_retry.state import RetryState
from slack_sdk.web import SlackResponse

from slackapp.slack.errors import SLACK_FAILURES, SlackDown, UnknownRefusal, post_error_from

if TYPE_CHECKING:
    from slackapp.settings import SlackSettings

NOT_IDEMPOTENT = frozenset(
    {
        "chat.postMessage",
        "chat.postEphemeral",
        "chat.startStream",
        "chat.appendStream",
        "files.completeUploadExternal",
    }
)
READING = frozenset({"auth.test", "conversations.history", "conversations.replies", "files.info"})
"""Calls that change nothing."""
WAITS = (0.5, 1.5, 4.0)
"""Seconds before a call whose outcome is unknown is checked and tried again."""
PAGE = 200
"""Messages in a page."""
LONGEST_PAGE = 999
"""Slack asks for fewer than 1000."""
TIMEOUT_SECONDS = 15
QUICK_SECONDS = 5
LONGEST_WAIT = 60
"""The longest wait that Slack may ask for; a longer one counts as a failure."""

TOKEN_REFUSED = frozenset(
    {"invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive"}
)
"""Slack refuses the token itself."""

log = logging.getLogger(__name__)
_wire = logging.getLogger("slackapp.wire")
_wire.setLevel(logging.CRITICAL)  # the SDK quotes answers that it cannot read; every failure is ours to log


class Fence(Protocol):
    """Says whether this worker may write to Slack."""

    def require(self) -> None:
        """Raise if it may not: another worker has the claim, or may have it."""

    def note_uncertain(self, method: str) -> None:
        """Note a call whose outcome is unknown."""


class NoFence:
    """For writes that belong to no claim."""

    def require(self) -> None:
        """Allow everything."""

    def note_uncertain(self, method: str) -> None:
        """Note nothing."""


class CheckedClient(WebClient):
    """Takes only objects for answers. The SDK trips over JSON of other types, charsets that do not exist and
    compressed bodies; they are broken answers, like all that are not JSON."""

    def api_call(self, api_method: str, **arguments: Any) -> SlackResponse:
        try:
            answer = super().api_call(api_method, **arguments)
        except (AttributeError, LookupError) as error:
            raise ValueError("the answer is not Slack's") from error
        if not isinstance(answer.data, dict):
            raise ValueError("the answer is not Slack's")
        return answer


class RenewingClient(CheckedClient):
    """Asks for the token again when Slack refuses it: it may have been changed since."""

    renew_token: Callable[[], str] | None = None
    """Where the present token comes from; None where it never changes."""

    def take_new_token(self) -> str:
        """The present token; later copies of this client begin with it."""
        assert self.renew_token is not None
        self.token = self.renew_token()
        return self.token

    def api_call(self, api_method: str, **arguments: Any) -> SlackResponse:
        try:
            return super().api_call(api_method, **arguments)
        except SlackApiError as error:
            if self.renew_token is None or post_error_from(error).code not in TOKEN_REFUSED:
                raise
            token = self.renew_token()
            if token == self.token:
                raise
            log.warning("token_renewed", extra={"fields": {"method": api_method}})
            self.token = token
        return super().api_call(api_method, **arguments)


class FencedClient(RenewingClient):
    """Asks its fence before each call that changes something, and tells it of uncertain ones.

    A refusal that may pass is tried again a few times, an unknown one once. It counts as uncertain: nothing
    is known of what Slack has done.
    """

    fence: Fence = NoFence()
    sleep: Callable[[float], None] | None = None
    """None for calls that are not worth waiting for."""

    def api_call(self, api_method: str, **arguments: Any) -> SlackResponse:
        if api_method in READING:
            return super().api_call(api_method, **arguments)
        tries = 0
        while True:
            self.fence.require()
            try:
                return super().api_call(api_method, **arguments)
            except SLACK_FAILURES as error:
                failure = post_error_from(error)
                if isinstance(failure, SlackDown | UnknownRefusal):
                    self.fence.note_uncertain(api_method)
                if self.sleep is None or tries >= len(failure.pauses):
                    raise
            self.sleep(failure.pauses[tries])
            tries += 1


class _FailedCall(TypedDict):
    """The arguments of a retry handler."""

    state: RetryState
    request: HttpRequest
    response: NotRequired[HttpResponse | None]
    error: NotRequired[Exception | None]


class _Fenced(RetryHandler):
    """Asks the fence again after the wait before a repeated request."""

    fence: Fence = NoFence()
    is_uncertain = True

    def prepare_for_next_attempt(self, **call: Unpack[_FailedCall]) -> None:
        method = _method(call["request"])
        if method not in READING and self.is_uncertain:
            self.fence.note_uncertain(method)
        super().prepare_for_next_attempt(**call)
        if method not in READING:
            self.fence.require()


class _RateLimit(_Fenced, RateLimitErrorRetryHandler):
    is_uncertain = False

    def _can_retry(self, **call: Unpack[_FailedCall]) -> bool:
        response = call.get("response")
        if response is None or not super()._can_retry(**call):
            return False
        headers = {name.lower(): values for name, values in response.headers.items()}
        wait = str((headers.get("retry-after") or ["1"])[0])
        return wait.isdecimal() and int(wait) <= LONGEST_WAIT


class _OneWait(_RateLimit):
    """Waits once, whatever the number of calls."""

    has_waited = False

    def _can_retry(self, **call: Unpack[_FailedCall]) -> bool:
        return not self.has_waited and super()._can_retry(**call)

    def prepare_for_next_attempt(self, **call: Unpack[_FailedCall]) -> None:
        self.has_waited = True
        super().prepare_for_next_attempt(**call)


class _ServerError(_Fenced, ServerErrorRetryHandler):
    def _can_retry(self, **call: Unpack[_FailedCall]) -> bool:
        response = call.get("response")
        is_error = response is not None and response.status_code >= 500
        return is_error and _method(call["request"]) not in NOT_IDEMPOTENT


class _ConnectionError(_Fenced, ConnectionErrorRetryHandler):
    def _can_retry(self, **call: Unpack[_FailedCall]) -> bool:
        return super()._can_retry(**call) and _method(call["request"]) not in NOT_IDEMPOTENT


def _method(request: HttpRequest) -> str:
    return request.url.rpartition("/")[2]


def retry_handlers(fence: Fence) -> list[RetryHandler]:
    """The handlers by which the SDK tries a failed call again."""
    errors: list[type[Exception]] = [URLError, ConnectionResetError, RemoteDisconnected, TimeoutError]
    handlers: list[_Fenced] = [
        _RateLimit(max_retry_count=3),
        _ServerError(max_retry_count=2),
        _ConnectionError(max_retry_count=2, error_types=errors),
    ]
    for handler in handlers:
        handler.fence = fence
    return list(handlers)


def make_client(settings: "SlackSettings", renew_token: Callable[[], str] | None = None) -> WebClient:
    """Make the client that the settings describe."""
    client = RenewingClient(
        token=settings.slack_bot_token.get_secret_value(),
        base_url=settings.slack_api_url,
        timeout=TIMEOUT_SECONDS,
        retry_handlers=retry_handlers(NoFence()),
        logger=_wire,
    )
    client.renew_token = renew_token
    return client


def fenced(
    client: WebClient, fence: Fence, *, retries: bool = True, sleep: Callable[[float], None] = time.sleep
) -> FencedClient:
    """The same client behind a fence; without retries, for calls that are not worth waiting for."""
    copy = FencedClient(
        token=client.token,
        base_url=client.base_url,
        timeout=client.timeout if retries else QUICK_SECONDS,
        ssl=client.ssl,
        proxy=client.proxy,
        headers=dict(client.headers),
        retry_handlers=retry_handlers(fence) if retries else [],
        logger=client.logger,
    )
    copy.fence = fence
    if isinstance(client, RenewingClient) and client.renew_token is not None:
        copy.renew_token = client.take_new_token
    copy.sleep = sleep if retries else None
    return copy


def waiting_once(client: WebClient) -> FencedClient:
    """The same client for one download: where Slack says so (429), its calls wait once in all."""
    copy = fenced(client, NoFence())
    copy.retry_handlers = [_OneWait(max_retry_count=1), *retry_handlers(NoFence())[1:]]
    return copy


def longest_page(client: WebClient, **arguments: Any) -> tuple[list[Mapping[str, Any]], bool]:
    """As many messages of a thread as one call returns, the oldest first, and whether these are all.

    Raises what the SDK raises.
    """
    answer = client.conversations_replies(limit=LONGEST_PAGE, include_all_metadata=True, **arguments)
    is_whole = not (answer.get("response_metadata") or {}).get("next_cursor")
    return list(answer.get("messages") or ()), is_whole


def paged_messages(
    call: Callable[..., SlackResponse], most_pages: int, **arguments: Any
) -> Generator[Mapping[str, Any], None, bool]:
    """The messages that `conversations.replies` or `conversations.history` returns, with their metadata.

    Returns whether these are all: more pages are not read. Raises what the SDK raises.
    """
    cursor = ""
    for _ in range(most_pages):
        answer = call(limit=PAGE, include_all_metadata=True, cursor=cursor or None, **arguments)
        yield from answer.get("messages") or ()
        cursor = str((answer.get("response_metadata") or {}).get("next_cursor") or "")
        if not cursor:
            return True
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """As whom the token speaks, as `auth.test` says."""

    bot_name: str
    bot_user: str
    bot_id: str
    team_name: str
    team_id: str

    @classmethod
    def from_answer(cls, answer: SlackResponse) -> "Identity":
        names = {"bot_name": "user", "bot_user": "user_id", "bot_id": "bot_id", "team_name": "team"}
        fields = {name: str(answer.get(key) or "") for name, key in (names | {"team_id": "team_id"}).items()}
        return cls(**fields)


@dataclass
class BotIdentity:
    """The app's own user id and its workspace's address, asked once.

    Other apps can read and copy our marks, but not our user.
    """

    client: WebClient

    @property
    def user_id(self) -> str:
        """Raises what the SDK raises."""
        return str(self._answer["user_id"])

    @property
    def url(self) -> str:
        """Where people see the workspace, such as `https://acme.slack.com/`; raises what the SDK raises."""
        return str(self._answer["url"])

    @cached_property
    def _answer(self) -> SlackResponse:
        return self.client.auth_test()
