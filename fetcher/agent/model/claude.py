"""The model behind the seam of `model.py`: Claude, through the Claude API or through Bedrock.

A turn is one stream. The SDK tries again, as the server asks, until a stream is open; a stream that
breaks off before the first text is begun once more. Whatever the SDK raises leaves here as a
`ModelFailed`: `ModelUnavailable`, with what had come, or `ModelRejected`.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from fetcher import logs
from fetcher.agent.errors import ModelFailed, ModelRejected, ModelUnavailable
from fetcher.agent.model.clients import Client, open_api, open_bedrock
from fetcher.agent.model.contract import ModelCall, ModelTurn
from fetcher.agent.model.turn_assembly import Assembly, MalformedStream
from fetcher.settings import AgentSettings

if TYPE_CHECKING:
    from anthropic import AnthropicError, AsyncStream

log = logging.getLogger(__name__)

BEDROCK_MODEL = "jp.anthropic.claude-sonnet-4-5-20250929-v1:0"
BEDROCK_MODEL_RETIRES = "2026-11-30"
TRY_LATER = {408, 409, 424, 425, 429, 499}
"""Statuses below 500 that say nothing against the request itself."""
REJECTIONS = {
    "invalid_request_error",
    "authentication_error",
    "permission_error",
    "not_found_error",
    "request_too_large",
    "billing_error",
    "validationException",
}
"""Errors in a stream, which has no status of its own, that say something against the request."""


def open_model(settings: AgentSettings, *, bedrock_url: str = "") -> "ClaudeModel | None":
    """The model that the settings choose, or None if there is to be none; nothing is opened yet."""
    retries = settings.model_max_retries
    match settings.provider:
        case "anthropic":
            return ClaudeModel(settings.anthropic_model, partial(open_api, settings), retries=retries)
        case "bedrock":
            opener = partial(open_bedrock, settings, bedrock_url)
            return ClaudeModel(_bedrock_model(settings), opener, retries=retries)
        case "offline":
            return None


def _bedrock_model(settings: AgentSettings) -> str:
    """The model that is named, or the one that the agent's document names."""
    model = settings.bedrock_model_id or BEDROCK_MODEL
    if model == BEDROCK_MODEL:
        fields = {"event": "model_retires", "model": model, "date": BEDROCK_MODEL_RETIRES}
        log.warning(
            "%s retires on %s: set BEDROCK_MODEL_ID", model, BEDROCK_MODEL_RETIRES, extra={"fields": fields}
        )
    return model


class BrokenOff(ModelUnavailable):
    """A stream was open, and did not come to its end."""


class ClaudeModel:
    """A model; it belongs to the event loop of its first turn until it is closed."""

    def __init__(self, name: str, opener: Callable[[], Client], *, retries: int) -> None:
        self._name = name
        self._opener = opener
        self._retries = retries
        self._client: Client | None = None
        self._lock = asyncio.Lock()

    async def turn(self, call: ModelCall, on_text: Callable[[str], None]) -> ModelTurn:
        """One turn of the model, its text handed on as it arrives; raises ModelFailed."""
        first = Assembly()
        try:
            return await self._read(call, first, on_text)
        except BrokenOff:
            if first.spoken or not self._retries:  # nobody is told the same thing twice
                raise
        return await self._read(call, Assembly(), on_text)

    async def aclose(self) -> None:
        """Hangs up; a later turn connects anew."""
        client, self._client = self._client, None
        if client:
            await client.close()

    async def _read(self, call: ModelCall, assembly: Assembly, on_text: Callable[[str], None]) -> ModelTurn:
        client = await self._connected()
        async with await self._opened(client, call) as stream:
            while (text := await _next_text(client, stream, assembly)) is not None:
                if text:
                    on_text(text)
        with _reading(client, assembly):
            return assembly.turn()

    async def _connected(self) -> Client:
        async with self._lock:
            if self._client is None:
                self._client = await asyncio.to_thread(self._opener)
            return self._client

    async def _opened(self, client: Client, call: ModelCall) -> "AsyncStream[object]":
        with _opening(client):
            return await client.stream({"model": self._name} | _body(call))


def _body(call: ModelCall) -> dict[str, Any]:
    body: dict[str, Any] = {"max_tokens": call.max_tokens, "messages": call.messages}
    if call.system:
        body["system"] = call.system
    if call.tools:
        body["tools"] = call.tools
    if call.tools and call.final:  # the tools stay: earlier turns have called them
        body["tool_choice"] = {"type": "none"}
    return body


async def _next_text(client: Client, stream: "AsyncStream[object]", assembly: Assembly) -> str | None:
    """The text of the next event, which may be empty; None at the end."""
    with _reading(client, assembly):
        event = await anext(stream, None)
        return None if event is None else assembly.add(event)


@contextlib.contextmanager
def _opening(client: Client) -> Iterator[None]:
    from anthropic import AnthropicError

    try:
        yield
    except AnthropicError as error:
        raise translated(error, client.secrets) from None
    except ValueError as error:  # a key or a text that cannot be encoded
        raise ModelRejected(f"the request cannot be made: {_named(error)}") from None


@contextlib.contextmanager
def _reading(client: Client, assembly: Assembly) -> Iterator[None]:
    from anthropic import AnthropicError

    try:
        yield
    except AnthropicError as error:
        failure = translated(error, client.secrets)
        if isinstance(failure, ModelRejected):
            raise failure from None
        raise BrokenOff(failure.message, partial=assembly.content()) from None
    except client.leaks as error:
        reason = str(error) if isinstance(error, MalformedStream) else _named(error)
        raise BrokenOff(f"the stream broke off: {reason}", partial=assembly.content()) from None


def translated(error: "AnthropicError", secrets: tuple[str, ...] = ()) -> ModelFailed:
    """What an exception of the SDK means to us; none of our secrets is in its text."""
    import anthropic

    if isinstance(error, anthropic.APIStatusError):
        kind = str(error.type or "error")
        told = f"{error.status_code} {kind}: {error.api_message or error.message}"
        failure = ModelRejected if _is_rejection(error.status_code, kind) else ModelUnavailable
        return failure(logs.shortened(_redacted(told, secrets)))
    if isinstance(error, anthropic.APIError | anthropic.RetryableError):
        return ModelUnavailable(_named(error))
    return ModelRejected(_named(error))


def _is_rejection(status: int, kind: str) -> bool:
    if status < 400:
        return kind in REJECTIONS
    return status < 500 and status not in TRY_LATER


def _named(error: BaseException) -> str:
    """The exception's name, and its cause's: their texts may quote what is nobody's business."""
    cause = f" ({type(error.__cause__).__name__})" if error.__cause__ else ""
    return type(error).__name__ + cause


def _redacted(text: str, secrets: tuple[str, ...]) -> str:
    for secret in secrets:
        text = text.replace(secret, "***")
    return text
