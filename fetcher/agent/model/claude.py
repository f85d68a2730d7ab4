"""The model of `contract.py`: Claude, through the Claude API or through Bedrock.

A turn is one stream. The SDK tries again, as the server asks, until a stream is open; a stream that
breaks off before the first text is begun once more. Exceptions of the SDK become a `ModelFailed`:
`ModelUnavailable` or `ModelRejected`.
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
from fetcher.agent.model.contract import Arrival, ModelCall, ModelTurn, OnArrival
from fetcher.agent.model.model_features import features_of, request_fields
from fetcher.agent.model.turn_assembly import Assembly, MalformedStream
from fetcher.agent.values import Usage
from fetcher.settings import AgentSettings

if TYPE_CHECKING:
    from anthropic import AnthropicError

log = logging.getLogger(__name__)

BEDROCK_MODEL = "jp.anthropic.claude-sonnet-5-5"
"""The inference profile of Japan, which keeps requests in Tokyo and Osaka.

Public catalogues of Bedrock's models list it; it was not called from here. The command
`aws bedrock list-inference-profiles` tells which profiles an account has.
"""
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
    match settings.provider:
        case "anthropic":
            return ClaudeModel(settings.anthropic_model, partial(open_api, settings), settings)
        case "bedrock":
            model = settings.bedrock_model_id or BEDROCK_MODEL
            return ClaudeModel(model, partial(open_bedrock, settings, bedrock_url), settings)
        case "offline":
            return None


class BrokenOff(ModelUnavailable):
    """A stream was open, and broke off before its end."""


class ClaudeModel:
    """A model; it belongs to the event loop of its first turn until it is closed."""

    def __init__(self, name: str, opener: Callable[[], Client], settings: AgentSettings) -> None:
        self._opener = opener
        self._retries = settings.model_max_retries
        self._fields = {"model": name} | request_fields(
            name,
            effort=settings.agent_effort,
            thinking=settings.agent_thinking,
            on_bedrock=settings.provider == "bedrock",
        )
        self._strict = features_of(name).strict
        self._client: Client | None = None
        self._lock = asyncio.Lock()

    async def turn(self, call: ModelCall, on_arrival: OnArrival) -> ModelTurn:
        """Call the model once; report what arrives. Raises ModelFailed."""
        first = Assembly()
        try:
            return await self._read(call, first, on_arrival, spent=Usage())
        except BrokenOff:
            if first.spoken or not self._retries:  # people must not read the same text twice
                raise
        return await self._read(call, Assembly(), on_arrival, spent=first.usage)

    async def aclose(self) -> None:
        """Close the connection; a later turn connects anew."""
        client, self._client = self._client, None
        if client:
            await client.close()

    async def _read(
        self, call: ModelCall, assembly: Assembly, on_arrival: OnArrival, *, spent: Usage
    ) -> ModelTurn:
        """Read one stream; `spent` is what the stream before it has cost."""
        from anthropic import AnthropicError

        async with self._lock:
            if self._client is None:
                self._client = await asyncio.to_thread(self._opener)
            client = self._client
        body: dict[str, Any] = {**self._fields, "max_tokens": call.max_tokens, "messages": call.messages}
        if call.system:
            body["system"] = call.system
        if call.tools:
            unknown = () if self._strict else ("strict",)
            body["tools"] = [
                {name: value for name, value in tool.items() if name not in unknown} for tool in call.tools
            ]
        try:
            opened = await client.stream(body)
        except AnthropicError as error:
            raise translated(error, client.secrets) from None
        except ValueError as error:  # a key or a text that cannot be encoded
            raise ModelRejected(f"the request cannot be made: {_named(error)}") from None
        counted = assembly.usage
        async with opened as stream:
            while True:
                with _reading(client):
                    event = await anext(stream, None)
                    text = "" if event is None else assembly.add(event)
                if event is None:
                    break
                if text or assembly.thinking or assembly.usage != counted:
                    counted, thinking, usage = assembly.usage, assembly.thinking, spent + assembly.usage
                    on_arrival(Arrival(content=assembly.content, text=text, thinking=thinking, usage=usage))
        with _reading(client):
            return assembly.turn()


@contextlib.contextmanager
def _reading(client: Client) -> Iterator[None]:
    """Translates what reading a stream raises."""
    from anthropic import AnthropicError

    try:
        yield
    except AnthropicError as error:
        failure = translated(error, client.secrets)
        if isinstance(failure, ModelRejected):
            raise failure from None
        raise BrokenOff(failure.message) from None
    except client.stream_errors as error:
        reason = str(error) if isinstance(error, MalformedStream) else _named(error)
        raise BrokenOff(f"the stream broke off: {reason}") from None


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
