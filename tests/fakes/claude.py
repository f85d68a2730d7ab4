"""A server on loopback that speaks the Messages API, as Anthropic and as Bedrock serve it.

The real SDK talks to it: `POST /v1/messages`, streamed as server-sent events or whole, and Bedrock's
`/model/{id}/invoke-with-response-stream` and `/invoke`. What the model says is a script of turns
(`tests.fakes.turns`), one for each request. A request that the real API would refuse
(`tests.fakes.request_rules`) is refused here and costs no turn; one that comes when the script is at
its end gets a 500 that says so. Every request is kept.
"""

import asyncio
import contextlib
import json
import ssl
import threading
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self
from urllib.parse import unquote

from tests.fakes.answers import chunk, chunked_head, head
from tests.fakes.network import LOOPBACK
from tests.fakes.request_rules import complaint
from tests.fakes.search_results import Block, Body, blocks
from tests.fakes.server import Conversation, LoopbackServer, until_hang_up
from tests.fakes.turns import Failure, Fault, Midway, Odd, Reply, Turn, fail
from tests.fakes.wires import Message, Wire, wire_of

LAST_CHUNK = b"0\r\n\r\n"
SIGN_IN = b"<html><body>Please sign in</body></html>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request as it arrived; header names are in lower case."""

    path: str
    headers: dict[str, str]
    json: Body

    @property
    def model(self) -> str:
        """The model's id, which Bedrock has in the path."""
        return str(self.json.get("model") or unquote(self.path.split("/")[2]))

    @property
    def text(self) -> str:
        """Everything that reached the model, as one text to search in."""
        return json.dumps(self.json, ensure_ascii=False)

    @property
    def tool_results(self) -> list[Block]:
        """What the last message tells the model of the tools that it called."""
        last = blocks(self.json["messages"][-1]["content"])
        return [block for block in last if block["type"] == "tool_result"]


Scripted = Turn | Callable[[Asked], Turn]


class FakeClaude:
    """The server; use it as a context manager, or call `start` and `stop`."""

    def __init__(self) -> None:
        self.refusals: list[str] = []
        """Why requests were refused, in order."""
        self._turns: deque[Scripted] = deque()
        self._requests: list[Asked] = []
        self._cache: set[str] = set()
        self._arrival = threading.Condition()
        self._server = LoopbackServer(self._attend, _no_tls)

    @property
    def url(self) -> str:
        """The base URL for either client."""
        return f"http://{LOOPBACK}:{self._server.port}"

    @property
    def requests(self) -> list[Asked]:
        return list(self._requests)

    @property
    def turns_left(self) -> int:
        return len(self._turns)

    def script(self, *turns: Scripted) -> None:
        """Adds turns to what the model will say."""
        self._turns.extend(turns)

    def wait_until_asked(self, number: int = 1, within: float = 5.0) -> bool:
        """Whether so many requests have come within some seconds."""
        with self._arrival:
            return self._arrival.wait_for(lambda: len(self._requests) >= number, within)

    def all_hung_up(self, within: float = 1.0) -> bool:
        """Whether every client closes its connection within some seconds."""
        return self._server.all_hung_up(within)

    def start(self) -> Self:
        self._server.start()
        return self

    def reset(self) -> None:
        """Ends the turns that still run and forgets script, records and cache."""
        self._server.cut_off()
        for memory in (self.refusals, self._turns, self._requests, self._cache):
            memory.clear()
        self._raise_failures()

    def stop(self) -> None:
        self._server.stop()
        self._raise_failures()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _raise_failures(self) -> None:
        failures, self._server.failures = self._server.failures, []
        if failures:
            raise ExceptionGroup("turns of the fake model failed", failures)

    async def _attend(self, conversation: Conversation) -> None:
        asked = await _read(conversation.reader)
        with self._arrival:
            self._requests.append(asked)
            self._arrival.notify_all()
        async with until_hang_up(conversation.reader), contextlib.aclosing(self._answer(asked)) as pieces:
            async for piece in pieces:
                conversation.writer.write(piece)
                await conversation.writer.drain()

    def _answer(self, asked: Asked) -> AsyncGenerator[bytes, None]:
        wire = wire_of(asked.path, asked.json)
        match self._turn_for(asked, wire):
            case Failure() as failure:
                return _send(_error(failure, wire))
            case Odd.NO_JSON:
                return _send(head(length=len(SIGN_IN)) + SIGN_IN)
            case Odd.SILENCE:
                return _send(stall=True)
            case Reply() as reply:
                return _send(*_body(wire, self._frames(reply, asked, wire)), LAST_CHUNK)
            case Midway() as turn:
                sound = self._frames(turn.reply, asked, wire, turn.after)
                wrong = _wrong_end(turn, wire)
                return _send(*_body(wire, sound), *wrong, stall=turn.fault is Fault.STALL)

    def _turn_for(self, asked: Asked, wire: Wire) -> Turn:
        if refusal := _refusal(asked, wire):
            self.refusals.append(refusal.message)
            return refusal
        if not self._turns:
            return replace(fail(500, message="The script of the fake model is at its end"), retry=False)
        turn = self._turns.popleft()
        return turn if isinstance(turn, Turn) else turn(asked)

    def _frames(self, reply: Reply, asked: Asked, wire: Wire, after: int | None = None) -> list[bytes]:
        parts = tuple(make(asked.json, place) for place, make in enumerate(reply.parts))
        message = Message(
            model=asked.model,
            parts=parts,
            stop_reason=reply.stop_reason,
            usage=self._usage(asked.json),
            output_tokens=_tokens([part.whole for part in parts]),
        )
        return wire.framing.frames(message, after)

    def _usage(self, body: Body) -> dict[str, int]:
        """Tokens counted as characters, so that a test sees what a request cost."""
        marked = _marked_part(body)
        kept = _tokens(marked)
        read = kept if _json(marked) in self._cache else 0
        self._cache.add(_json(marked))
        return {
            "input_tokens": _tokens(body) - kept,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": kept - read,
        }


async def _read(reader: asyncio.StreamReader) -> Asked:
    first, *fields = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = (field.partition(":") for field in fields)
    headers = {name.lower(): value.strip() for name, _, value in pairs if name}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Asked(path=first.split(" ")[1], headers=headers, json=json.loads(body))


async def _send(*pieces: bytes, stall: bool = False) -> AsyncGenerator[bytes, None]:
    for piece in pieces:
        yield piece
    if stall:
        await asyncio.Event().wait()


def _body(wire: Wire, frames: list[bytes]) -> Iterator[bytes]:
    yield chunked_head({"Content-Type": wire.framing.content_type, "request-id": "req_fake"})
    for frame in frames:
        # Cut in the middle of whatever stands there: nobody may rely on whole events, or characters.
        yield chunk(frame[: len(frame) // 2])
        yield chunk(frame[len(frame) // 2 :])


def _wrong_end(turn: Midway, wire: Wire) -> list[bytes]:
    match turn.fault:
        case Fault.END:
            return [LAST_CHUNK]
        case Fault.ERROR:
            return [chunk(wire.framing.error(turn.kind)), LAST_CHUNK]
        case Fault.GARBLE:
            return [chunk(wire.framing.garbled()), LAST_CHUNK]
        case Fault.CORRUPT:
            return [chunk(wire.framing.corrupted()), LAST_CHUNK]
    return []


def _refusal(asked: Asked, wire: Wire) -> Failure | None:
    if not wire.knows(asked.headers):
        return fail(wire.stranger, message="The request carries no credentials")
    reason = complaint(asked.json)
    return fail(400, message=reason) if reason else None


def _error(failure: Failure, wire: Wire) -> bytes:
    headers, body = wire.failure(failure)
    headers |= {"Content-Type": "application/json", "request-id": "req_fake"}
    if failure.retry_after is not None:
        headers |= {
            "retry-after-ms": str(failure.retry_after * 1000),
            "retry-after": str(failure.retry_after),
        }
    if failure.retry is not None:
        headers["x-should-retry"] = str(failure.retry).lower()
    return head(failure.status, headers=headers, length=len(body)) + body


def _marked_part(body: Body) -> list[Block]:
    """What a request has up to its last cache breakpoint, in the order in which the API reads it."""
    order = [*body.get("tools", ()), *blocks(body.get("system", [])), *body["messages"]]
    marked = [place for place, each in enumerate(order) if "cache_control" in _json(each)]
    return order[: marked[-1] + 1] if marked else []


def _tokens(value: list[Block] | Body) -> int:
    return len(_json(value)) // 4 if value else 0


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _no_tls(name: str | None) -> ssl.SSLContext:
    raise AssertionError("the fake model is served without TLS")
