"""A server on loopback that speaks the Messages API, as Anthropic and as Bedrock serve it.

The real SDK talks to it: `POST /v1/messages`, streamed as server-sent events or whole, and Bedrock's
`/model/{id}/invoke-with-response-stream` and `/invoke`. What the model says is a script of turns
(`tests.fakes.turns`), one for each request. A request that the real API would refuse
(`tests.fakes.request_rules`) is refused here and costs no turn; one that comes when the script is at
its end gets a 500 that says so. Every request is kept.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote

from tests.fakes.answers import chunk, chunked_head, head
from tests.fakes.http_request import HttpRequest
from tests.fakes.request_rules import complaint
from tests.fakes.scripted import LAST_CHUNK, ScriptedServer
from tests.fakes.search_results import Block, Body, blocks
from tests.fakes.turns import Failure, Fault, Midway, Odd, Reply, Turn, fail
from tests.fakes.wires import Message, Wire, wire_of

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


class FakeClaude(ScriptedServer[Asked, Scripted]):
    """The server; use it as a context manager, or call `start` and `stop`."""

    def __init__(self) -> None:
        self._cache: set[str] = set()
        super().__init__(self._cache)

    def _understood(self, request: HttpRequest) -> Asked:
        return Asked(path=request.target, headers=request.headers, json=json.loads(request.body))

    def _answer(self, asked: Asked) -> AsyncGenerator[bytes, None]:
        wire = wire_of(asked.path, asked.json)
        match self._turn_for(asked, wire):
            case Failure() as failure:
                return _pieces(_error(failure, wire))
            case Odd.NO_JSON:
                return _pieces(head(length=len(SIGN_IN)) + SIGN_IN)
            case Odd.SILENCE:
                return _pieces(stall=True)
            case Reply() as reply:
                return _pieces(*_body(wire, self._frames(reply, asked, wire)), LAST_CHUNK)
            case Midway() as turn:
                sound = self._frames(turn.reply, asked, wire, turn.after)
                wrong = _wrong_end(turn, wire)
                return _pieces(*_body(wire, sound), *wrong, stall=turn.fault is Fault.STALL)

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


async def _pieces(*pieces: bytes, stall: bool = False) -> AsyncGenerator[bytes, None]:
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
