"""The Slack client, and which calls it tries again by itself.

An idempotent call is tried again after a server's or a connection's error. A call that creates something is
not: its first try may have succeeded although its answer was lost, so `poster.py` searches for the result
before it tries again. Waiting when Slack says so (429) is always safe.
"""

import logging
from functools import cached_property
from http.client import RemoteDisconnected
from typing import TYPE_CHECKING, NotRequired, TypedDict, Unpack
from urllib.error import URLError

from slack_sdk import WebClient
from slack_sdk.http_retry import RetryHandler
from slack_sdk.http_retry.builtin_handlers import (
    ConnectionErrorRetryHandler,
    RateLimitErrorRetryHandler,
    ServerErrorRetryHandler,
)
from slack_sdk.http_retry.request import HttpRequest
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.http_retry.state import RetryState

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
WAITS = (0.5, 1.5, 4.0)
"""Seconds before a call whose outcome is unknown is checked and tried again."""
TIMEOUT_SECONDS = 15
QUICK_SECONDS = 5
LONGEST_WAIT = 60
"""The longest wait that Slack may ask for; a longer one counts as a failure."""

_wire = logging.getLogger("slackapp.wire")
_wire.setLevel(logging.WARNING)  # at lower levels the SDK logs whole messages and URLs


class _FailedCall(TypedDict):
    """The arguments of a retry handler."""

    state: RetryState
    request: HttpRequest
    response: NotRequired[HttpResponse | None]
    error: NotRequired[Exception | None]


class _RateLimit(RateLimitErrorRetryHandler):
    def _can_retry(self, **call: Unpack[_FailedCall]) -> bool:
        response = call.get("response")
        if response is None or not super()._can_retry(**call):
            return False
        headers = {name.lower(): values for name, values in response.headers.items()}
        wait = str((headers.get("retry-after") or ["1"])[0])
        return wait.isdecimal() and int(wait) <= LONGEST_WAIT


class _ServerError(ServerErrorRetryHandler):
    def _can_retry(self, **call: Unpack[_FailedCall]) -> bool:
        response = call.get("response")
        return response is not None and response.status_code >= 500 and _is_idempotent(call["request"])


class _ConnectionError(ConnectionErrorRetryHandler):
    def _can_retry(self, **call: Unpack[_FailedCall]) -> bool:
        return super()._can_retry(**call) and _is_idempotent(call["request"])


def _is_idempotent(request: HttpRequest) -> bool:
    return request.url.rpartition("/")[2] not in NOT_IDEMPOTENT


def retry_handlers() -> list[RetryHandler]:
    """The handlers by which the SDK tries a failed call again."""
    errors: list[type[Exception]] = [URLError, ConnectionResetError, RemoteDisconnected, TimeoutError]
    return [
        _RateLimit(max_retry_count=3),
        _ServerError(max_retry_count=2),
        _ConnectionError(max_retry_count=2, error_types=errors),
    ]


def make_client(settings: "SlackSettings") -> WebClient:
    """Make the client that the settings describe."""
    return WebClient(
        token=settings.slack_bot_token.get_secret_value(),
        base_url=settings.slack_api_url,
        timeout=TIMEOUT_SECONDS,
        retry_handlers=retry_handlers(),
        logger=_wire,
    )


def without_retries(client: WebClient) -> WebClient:
    """The same client for calls that are not worth waiting for."""
    return WebClient(
        token=client.token,
        base_url=client.base_url,
        timeout=QUICK_SECONDS,
        ssl=client.ssl,
        proxy=client.proxy,
        headers=dict(client.headers),
        retry_handlers=[],
        logger=client.logger,
    )


class BotIdentity:
    """The app's own user id, asked once. Other apps can read and copy our marks, but not our user."""

    def __init__(self, client: WebClient) -> None:
        self._client = client

    @cached_property
    def user_id(self) -> str:
        """Raises what the SDK raises."""
        return str(self._client.auth_test()["user_id"])
