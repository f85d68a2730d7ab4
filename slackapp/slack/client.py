"""The Slack client: what is tried again by itself, and what is not.

A call that may be done twice without harm is tried again after a server's or a connection's error. A call
that makes something is not: its first try may have done its work though its answer was lost, so `poster.py`
looks before it tries again. Waiting when Slack says so (429) is always safe.
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

MAKES_SOMETHING = frozenset(
    {
        "chat.postMessage",
        "chat.postEphemeral",
        "chat.startStream",
        "chat.appendStream",
        "files.completeUploadExternal",
    }
)
WAITS = (0.5, 1.5, 4.0)
"""Seconds before a call of ours whose outcome is unknown is looked into and tried again."""
TIMEOUT_SECONDS = 15
QUICK_SECONDS = 5
LONGEST_WAIT = 60
"""Of what Slack may ask for; a longer wait is told as a failure."""

_wire = logging.getLogger("slackapp.wire")
_wire.setLevel(logging.WARNING)  # the SDK writes whole messages and addresses to its other logs


class _Try(TypedDict):
    """What a handler is told of a call that failed."""

    state: RetryState
    request: HttpRequest
    response: NotRequired[HttpResponse | None]
    error: NotRequired[Exception | None]


class _RateLimit(RateLimitErrorRetryHandler):
    def _can_retry(self, **tried: Unpack[_Try]) -> bool:
        response = tried.get("response")
        return response is not None and super()._can_retry(**tried) and _wait(response) <= LONGEST_WAIT


def _wait(response: HttpResponse) -> int:
    headers = {name.lower(): values for name, values in response.headers.items()}
    value = str((headers.get("retry-after") or ["1"])[0])
    return int(value) if value.isdecimal() else LONGEST_WAIT + 1


class _ServerError(ServerErrorRetryHandler):
    def _can_retry(self, **tried: Unpack[_Try]) -> bool:
        response = tried.get("response")
        return response is not None and response.status_code >= 500 and _harmless(tried["request"])


class _ConnectionError(ConnectionErrorRetryHandler):
    def _can_retry(self, **tried: Unpack[_Try]) -> bool:
        return super()._can_retry(**tried) and _harmless(tried["request"])


def _harmless(request: HttpRequest) -> bool:
    return request.url.rpartition("/")[2] not in MAKES_SOMETHING


def retry_handlers() -> list[RetryHandler]:
    """What the SDK does by itself when a call fails."""
    errors: list[type[Exception]] = [URLError, ConnectionResetError, RemoteDisconnected, TimeoutError]
    return [
        _RateLimit(max_retry_count=3),
        _ServerError(max_retry_count=2),
        _ConnectionError(max_retry_count=2, error_types=errors),
    ]


def make_client(settings: "SlackSettings") -> WebClient:
    """A client as the settings describe it."""
    return WebClient(
        token=settings.slack_bot_token.get_secret_value(),
        base_url=settings.slack_api_url,
        timeout=TIMEOUT_SECONDS,
        retry_handlers=retry_handlers(),
        logger=_wire,
    )


def without_retries(client: WebClient) -> WebClient:
    """The same client for what is not worth waiting for."""
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


class Identity:
    """Who we are to Slack, asked once: our marks are there for every app to read, and to copy."""

    def __init__(self, client: WebClient) -> None:
        self._client = client

    @cached_property
    def user(self) -> str:
        """Our own user id; raises what the SDK raises."""
        return str(self._client.auth_test()["user_id"])
