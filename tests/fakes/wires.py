"""How a turn of `FakeClaude` goes over the wire: as Anthropic's and as Bedrock's servers send it.

Authorities: the SDK's `types/raw_message_stream_event.py` and `lib/bedrock/_stream_decoder.py`, Anthropic's
page "Claude API errors", and botocore's service model of `bedrock-runtime`.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tests.fakes import eventstream
from tests.fakes.search_results import Block, Body
from tests.fakes.turns import Failure, Part

MODEL_ERRORS = {
    "overloaded_error": "serviceUnavailableException",
    "rate_limit_error": "throttlingException",
    "api_error": "internalServerException",
    "invalid_request_error": "validationException",
}
"""What Bedrock calls the errors that come in a stream."""
EXCEPTIONS = {
    400: "ValidationException",
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    429: "ThrottlingException",
    500: "InternalServerException",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A turn that has been made for its request."""

    model: str
    parts: tuple[Part, ...]
    stop_reason: str
    stop_details: Block | None = None
    usage: dict[str, int]
    output_tokens: int
    thinking_tokens: int = 0

    @property
    def _spent(self) -> Block:
        details = {"thinking_tokens": self.thinking_tokens}
        return {"output_tokens": self.output_tokens, "output_tokens_details": details}

    def whole(self) -> Block:
        return self._envelope() | {
            "content": [part.whole for part in self.parts],
            "stop_reason": self.stop_reason,
            "stop_details": self.stop_details,
            "usage": self.usage | self._spent,
        }

    def events(self, after: int | None = None) -> Iterator[Block]:
        """The stream; up to and with the so-manieth delta, if that is said."""
        if after is None:
            yield from (*self._opening(), *self._content(), *self._closing())
            return
        yield from self._opening()
        left = after
        for event in self._content():
            left -= event["type"] == "content_block_delta" and event["delta"]["type"] != "signature_delta"
            if left < 0:
                return
            yield event

    def _envelope(self) -> Block:
        empty: Block = {"content": [], "stop_reason": None, "stop_details": None, "stop_sequence": None}
        return {"id": "msg_fake", "type": "message", "role": "assistant", "model": self.model} | empty

    def _opening(self) -> Iterator[Block]:
        message = self._envelope() | {"usage": self.usage | {"output_tokens": 1}}
        yield {"type": "message_start", "message": message}
        yield {"type": "ping"}

    def _content(self) -> Iterator[Block]:
        for index, part in enumerate(self.parts):
            yield {"type": "content_block_start", "index": index, "content_block": part.start}
            for delta in part.deltas:
                yield {"type": "content_block_delta", "index": index, "delta": delta}
            yield {"type": "content_block_stop", "index": index}
            yield {"type": "ping"}

    def _closing(self) -> Iterator[Block]:
        delta = {"stop_reason": self.stop_reason, "stop_details": self.stop_details, "stop_sequence": None}
        yield {"type": "message_delta", "delta": delta, "usage": self._spent}
        yield {"type": "message_stop"}


class Framing(Protocol):
    """How a turn becomes bytes, whole or up to a delta, and what can come in a piece's place."""

    content_type: str

    def frames(self, message: Message, after: int | None = None) -> list[bytes]: ...

    def error(self, kind: str) -> bytes: ...

    def garbled(self) -> bytes: ...

    def corrupted(self) -> bytes: ...


class ServerSentEvents:
    content_type = "text/event-stream; charset=utf-8"

    def frames(self, message: Message, after: int | None = None) -> list[bytes]:
        return [_sent(event["type"], _json(event)) for event in message.events(after)]

    def error(self, kind: str) -> bytes:
        return _sent("error", _json({"type": "error", "error": {"type": kind, "message": "Overloaded"}}))

    def garbled(self) -> bytes:
        return _sent("content_block_delta", b'{"type": "content_block_delta", "index": 0, "delta": {"ty')

    def corrupted(self) -> bytes:
        return _sent("content_block_delta", b"\xff\xfe\x00")


class EventStream:
    content_type = "application/vnd.amazon.eventstream"

    def frames(self, message: Message, after: int | None = None) -> list[bytes]:
        return [eventstream.event(event) for event in message.events(after)]

    def error(self, kind: str) -> bytes:
        return eventstream.exception(MODEL_ERRORS.get(kind, kind), "Overloaded")

    def garbled(self) -> bytes:
        return eventstream.chunk(b'{"type": "content_block_del')

    def corrupted(self) -> bytes:
        return eventstream.corrupted(eventstream.event({"type": "ping"}))


class Whole:
    """One JSON object; midway is the middle of it."""

    content_type = "application/json"

    def frames(self, message: Message, after: int | None = None) -> list[bytes]:
        text = _json(message.whole())
        return [text] if after is None else [text[: len(text) // 2]]

    def error(self, kind: str) -> bytes:
        return b""

    def garbled(self) -> bytes:
        return b"}"

    def corrupted(self) -> bytes:
        return b"\xff"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """One of the ways in; `stranger` is the status for those who show no credentials."""

    framing: Framing
    stranger: int
    schemes: tuple[str, ...]
    """How the credentials that it takes begin."""
    bedrock: bool = False

    def knows(self, headers: Mapping[str, str]) -> bool:
        shown = headers.get("authorization", "").split(" ")[0]
        return shown in self.schemes or "x-api-key" in headers

    def failure(self, failure: Failure) -> tuple[dict[str, str], bytes]:
        """The headers and the body of an error."""
        error = {"type": failure.kind, "message": failure.message}
        return {}, _json({"type": "error", "error": error, "request_id": "req_fake"})


class BedrockWire(Wire):
    def failure(self, failure: Failure) -> tuple[dict[str, str], bytes]:
        kind = EXCEPTIONS.get(failure.status, "ServiceUnavailableException")
        return {"x-amzn-ErrorType": kind}, _json({"message": failure.message})


def wire_of(path: str, body: Body) -> Wire:
    """The way that a request came in."""
    match path.strip("/").split("/"):
        case ["v1", "messages"]:
            framing: Framing = ServerSentEvents() if body.get("stream") else Whole()
            return Wire(framing=framing, stranger=401, schemes=("Bearer",))
        case ["model", _, "invoke" | "invoke-with-response-stream" as method]:
            framing = Whole() if method == "invoke" else EventStream()
            schemes = ("AWS4-HMAC-SHA256", "Bearer")
            return BedrockWire(framing=framing, stranger=403, schemes=schemes, bedrock=True)
    raise LookupError(f"the fake model has no {path}")


def _sent(name: str, data: bytes) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (name.encode(), data)


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
