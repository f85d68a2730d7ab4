"""A server on loopback that speaks the Messages API, as Anthropic and as Bedrock serve it.

The real SDK talks to it: `POST /v1/messages`, streamed as server-sent events or whole, and Bedrock's
`/model/{id}/invoke-with-response-stream` and `/invoke`. What the model says is a script of turns
(`tests.fakes.turns`), one for each request. A request that the real API would refuse is refused here and
costs no turn; one that comes when the script is at its end gets a 500 that says so. Every request is kept.

What is refused: what the SDK's own types do not have (`request_types`), what the API's rules forbid
(`request_rules`), what the model does not take (`claude_models`), and a conversation whose earlier messages
were changed (`transcripts`). Models that think do so before every turn, and their thoughts count.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote

from tests.fakes.answers import chunk, chunked_head, head
from tests.fakes.claude_models import model_complaints, model_named, thought_tokens
from tests.fakes.http_request import HttpRequest
from tests.fakes.request_rules import complaint
from tests.fakes.scripted import LAST_CHUNK, ScriptedServer
from tests.fakes.search_results import Block, Body, blocks
from tests.fakes.transcripts import fingerprint, signature, transcript_complaints, unmarked
from tests.fakes.turns import Failure, Fault, Midway, Odd, Part, Reply, Turn, blank, fail, thought
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
        self._issued: dict[str, set[tuple[str, str]]] = {}
        self._paused: list[str] = []
        super().__init__(self._cache, self._issued, self._paused)

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
        if refusal := self._refusal(asked, wire):
            self.refusals.append(refusal.message)
            return refusal
        if not self._turns:
            return replace(fail(500, message="The script of the fake model is at its end"), retry=False)
        turn = self._turns.popleft()
        return turn if isinstance(turn, Turn) else turn(asked)

    def _refusal(self, asked: Asked, wire: Wire) -> Failure | None:
        if not wire.knows(asked.headers):
            return fail(wire.stranger, message="The request carries no credentials")
        reason = complaint(asked.json)
        reason = reason or next(model_complaints(asked.model, asked.json, on_bedrock=wire.bedrock), None)
        reason = reason or next(transcript_complaints(asked.json, self._issued), None)
        if not reason and asked.json["messages"][-1]["role"] == "assistant":
            before = fingerprint(asked.json, asked.json["messages"][:-1])
            # Only a turn that was paused is sent back so.
            reason = None if before in self._paused else "messages: must end with a user message"
        return fail(400, message=reason) if reason else None

    def _frames(self, reply: Reply, asked: Asked, wire: Wire, after: int | None = None) -> list[bytes]:
        body = asked.json
        tokens = thought_tokens(model_named(asked.model), body)
        tokens = reply.thought if tokens and reply.thought is not None else tokens
        signed = signature(body, "") if tokens else ""
        first = [thought(signed)] if tokens else []
        made = [make(body, place) for place, make in enumerate(reply.parts)]
        if tokens and made and made[0].start["type"] == "tool_use":
            first.append(blank())
        parts, cut = _within(body["max_tokens"] - tokens, made)
        prefix = fingerprint(body, body["messages"])
        for part in parts:
            if part.start["type"] == "tool_use":
                self._issued.setdefault(part.start["id"], set()).add((prefix, signed))
        if reply.stop_reason == "pause_turn":
            self._paused.append(prefix)
        message = Message(
            model=asked.model,
            parts=(*first, *parts),
            stop_reason="max_tokens" if cut else reply.stop_reason,
            stop_details=None if cut else reply.stop_details,
            usage=self._usage(body),
            output_tokens=min(body["max_tokens"], tokens + _tokens([part.whole for part in parts])),
            thinking_tokens=tokens,
        )
        return wire.framing.frames(message, after)

    def _usage(self, body: Body) -> dict[str, int]:
        """Tokens counted as characters, so that a test sees what a request cost.

        A cached beginning is found again though the mark has moved on. Another `tool_choice` or `thinking`
        loses the messages ("Tool use with prompt caching"), but not what stands before them.
        """
        before = [*body.get("tools", ()), *blocks(body.get("system", []))]
        order = [*before, *body["messages"]]
        choice = _json([body.get("tool_choice"), body.get("thinking")])
        keys = [
            _json(unmarked(order[:length])) + (choice if length > len(before) else "")
            for length in range(1, len(order) + 1)
        ]
        marks = [length for length, each in enumerate(order, 1) if "cache_control" in _json(each)]
        marked = max(marks, default=0)
        read = max((length for length in range(1, marked + 1) if keys[length - 1] in self._cache), default=0)
        self._cache.update(keys[length - 1] for length in marks)
        kept, found = _tokens(order[:marked]), _tokens(order[:read])
        return {
            "input_tokens": _tokens(body) - kept,
            "cache_read_input_tokens": found,
            "cache_creation_input_tokens": kept - found,
        }


def _within(room: int, parts: list[Part]) -> tuple[list[Part], bool]:
    """The parts as far as `max_tokens` goes, which the thought has used first; and whether they were cut."""
    kept: list[Part] = []
    for part in parts:
        cost = _tokens([part.whole])
        if cost > room:
            deltas = part.deltas[: max(0, room) * len(part.deltas) // cost]
            return [*kept, replace(part, deltas=deltas)] if room > 0 else kept, True
        room -= cost
        kept.append(part)
    return kept, False


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


def _tokens(value: list[Block] | Body) -> int:
    return len(_json(value)) // 4 if value else 0


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
