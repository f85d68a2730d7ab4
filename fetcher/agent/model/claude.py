"""The model of `contract.py`: Claude, through the Claude API or through Bedrock.

A turn is one stream. The SDK tries again, as the server asks, until a stream is open; a stream that
breaks off before the first text is begun once more. Exceptions of the SDK become a `ModelFailed`:
`ModelUnavailable`, with the text so far, or `ModelRejected`.
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
    """The model that the settings choose, or None if they choose none; it connects on its first turn."""
    retries = settings.model_max_retries
    match settings.provider:
        case "anthropic":
            return ClaudeModel(settings.anthropic_model, partial(open_api, settings), retries=retries)
        case "bedrock":
            model = settings.bedrock_model_id or BEDROCK_MODEL
            if model == BEDROCK_MODEL:
                fields = {"event": "model_retires", "model": model, "date": BEDROCK_MODEL_RETIRES}
                message = "%s retires on %s: set BEDROCK_MODEL_ID"
                log.warning(message, model, BEDROCK_MODEL_RETIRES, extra={"fields": fields})
            return ClaudeModel(model, partial(open_bedrock, settings, bedrock_url), retries=retries)
        case "offline":
            return None


class BrokenOff(ModelUnavailable):
    """A stream was open, and broke off before its end."""


class ClaudeModel:
    """A model; it belongs to the event loop of its first turn until it is closed."""

    def __init__(self, name: str, opener: Callable[[], Client], *, retries: int) -> None:
        self._name = name
        self._opener = opener
        self._retries = retries
        self._client: Client | None = None
        self._lock = asyncio.Lock()

    async def turn(self, call: ModelCall, on_text: Callable[[str], None]) -> ModelTurn:
        """Call the model once; report its text as it arrives. Raises ModelFailed."""
        first = Assembly()
        try:
            return await self._read(call, first, on_text)
        except BrokenOff:
            if first.spoken or not self._retries:  # people must not read the same text twice
                raise
        return await self._read(call, Assembly(), on_text)

    async def aclose(self) -> None:
        """Close the connection; a later turn connects anew."""
        client, self._client = self._client, None
        if client:
            await client.close()

    async def _read(self, call: ModelCall, assembly: Assembly, on_text: Callable[[str], None]) -> ModelTurn:
        async with self._lock:
            if self._client is None:
                self._client = await asyncio.to_thread(self._opener)
            client = self._client
        async with await self._open_stream(client, call) as stream:
            while True:
                with _reading(client, assembly):
                    event = await anext(stream, None)
                    text = "" if event is None else assembly.add(event)
                if event is None:
                    break
                if text:
                    on_text(text)
        with _reading(client, assembly):
            return assembly.turn()

    async def _open_stream(self, client: Client, call: ModelCall) -> "AsyncStream[object]":
        from anthropic import AnthropicError

        body: dict[str, Any] = {"model": self._name, "max_tokens": call.max_tokens, "messages": call.messages}
        if call.system:
            body["system"] = call.system
        if call.tools:
            body["tools"] = call.tools
        if call.tools and call.final:  # the tools stay: earlier turns have called them
            body["tool_choice"] = {"type": "none"}
        try:
            return await client.stream(body)
        except AnthropicError as error:
            raise translated(error, client.secrets) from None
        except ValueError as error:  # a key or a text that cannot be encoded
            raise ModelRejected(f"the request cannot be made: {_named(error)}") from None


@contextlib.contextmanager
def _reading(client: Client, assembly: Assembly) -> Iterator[None]:
    """Translates what reading a stream raises."""
    from anthropic import AnthropicError

    try:
        yield
    except AnthropicError as error:
        failure = translated(error, client.secrets)
        if isinstance(failure, ModelRejected):
            raise failure from None
        raise BrokenOff(failure.message, partial=assembly.content()) from None
    except client.stream_errors as error:
        reason = str(error) if isinstance(error, MalformedStream) else _named(error)
        raise BrokenOff(f"the stream broke off: {reason}", partial=assembly.content()) from None


def translated(error: "AnthropicError", secrets: tuple[str, ...] = ()) -> ModelFailed:
    """An exception of the SDK as ours, without our secrets in its text."""
    import anthropic

    if isinstance(error, anthropic.APIStatusError):
        status, kind = error.status_code, str(error.type or "error")
        message = f"{status} {kind}: {error.api_message or error.message}"
        for secret in secrets:
            message = message.replace(secret, "***")
        # In a stream, errors have the status of its opening.
        rejected = kind in REJECTIONS if status < 400 else status < 500 and status not in TRY_LATER
        return (ModelRejected if rejected else ModelUnavailable)(logs.shortened(message))
    if isinstance(error, anthropic.APIError | anthropic.RetryableError):
        return ModelUnavailable(_named(error))
    return ModelRejected(_named(error))


def _named(error: BaseException) -> str:
    """The names of the exception and of its cause; their texts may quote private data."""
    cause = f" ({type(error.__cause__).__name__})" if error.__cause__ else ""
    return type(error).__name__ + cause
