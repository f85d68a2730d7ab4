"""A server on loopback that speaks Bedrock's agent runtime and AgentCore Runtime.

The real boto3 talks to it: `InvokeAgent`, answered with AWS's event stream, and `InvokeAgentRuntime`,
answered with any body. What it answers is a script of turns, one for each request; a request that comes
when the script is at its end gets a 500 that says so. A request without AWS's signature is refused and
costs no turn. Every request is kept.

Authority: botocore's service models of `bedrock-agent-runtime` and `bedrock-agentcore`, for addresses,
headers, shapes of events, and the errors with their statuses.
"""

import asyncio
import base64
import json
import re
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.fakes import eventstream
from tests.fakes.answers import chunk as http_chunk
from tests.fakes.answers import chunked_head, head
from tests.fakes.http_request import HttpRequest
from tests.fakes.scripted import LAST_CHUNK, ScriptedServer

AGENT = re.compile(r"/agents/([^/]+)/agentAliases/([^/]+)/sessions/([^/]+)/text")
RUNTIME = re.compile(r"/runtimes/(.+)/invocations")
AGENT_SESSION = "x-amz-bedrock-agent-session-id"
RUNTIME_SESSION = "X-Amzn-Bedrock-AgentCore-Runtime-Session-Id"
DRIP_SECONDS = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request as it arrived; header names are in lower case."""

    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def path(self) -> str:
        return unquote(urlsplit(self.target).path)

    @property
    def query(self) -> dict[str, list[str]]:
        return parse_qs(urlsplit(self.target).query)

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def agent(self) -> tuple[str, str, str]:
        """The ids in the path: agent, alias, session."""
        found = AGENT.fullmatch(self.path)
        assert found, self.path
        return found[1], found[2], found[3]

    @property
    def session_id(self) -> str:
        return self.agent[2] if AGENT.fullmatch(self.path) else self.headers[RUNTIME_SESSION.lower()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What is answered to one request."""

    pieces: tuple[bytes, ...] = ()
    """Of a chunked body."""
    content_type: str = "application/vnd.amazon.eventstream"
    says_session: bool = True
    ending: bytes = LAST_CHUNK
    stalls: bool = False
    drips: bytes = b""
    """Goes over the wire byte by byte, again and again."""
    whole: bytes = b""
    """Instead of all that: a whole response."""


def chunk(text: str | bytes, citations: Iterable[Any] = ()) -> bytes:
    """A piece of the answer's text, which may end anywhere."""
    content = text.encode() if isinstance(text, str) else text
    part: dict[str, Any] = {"bytes": base64.b64encode(content).decode("ascii")}
    return event("chunk", part | ({"attribution": {"citations": list(citations)}} if citations else {}))


def citation(text: str, *references: Any) -> dict[str, Any]:
    part = {"textResponsePart": {"text": text, "span": {"start": 0, "end": len(text)}}}
    return {"generatedResponsePart": part, "retrievedReferences": list(references)}


def web_reference(url: str) -> dict[str, Any]:
    return {"content": {"text": "…"}, "location": {"type": "WEB", "webLocation": {"url": url}}}


def trace(kind: str = "orchestrationTrace", **parts: Any) -> bytes:
    """One step of the agent's, as Bedrock tells it."""
    return event("trace", {"sessionId": "s", "trace": {kind: parts}})


def model_output(number: int, input_tokens: int, output_tokens: int) -> dict[str, Any]:
    """What a call of the model cost."""
    usage = {"inputTokens": input_tokens, "outputTokens": output_tokens}
    return {"traceId": f"trace-{number}", "metadata": {"usage": usage}}


def event(kind: str, payload: Any) -> bytes:
    return eventstream.frame({":message-type": "event", ":event-type": kind}, payload)


def says(*frames: bytes, pieces_of: int = 0, says_session: bool = True) -> Turn:
    """A stream of frames, over the wire as they are, or all of them in pieces of a size."""
    stream = b"".join(frames)
    cut = (
        tuple(stream[at : at + pieces_of] for at in range(0, len(stream), pieces_of)) if pieces_of else frames
    )
    return Turn(pieces=cut, says_session=says_session)


def breaks(*frames: bytes, kind: str, message: str = "broken") -> Turn:
    """A stream that an exception ends."""
    return says(*frames, eventstream.exception(kind, message))


def stalls(*frames: bytes) -> Turn:
    """A stream that never ends and says no more."""
    return Turn(pieces=frames, ending=b"", stalls=True)


def drips(*frames: bytes) -> Turn:
    """A stream whose next frame never comes to its end, though something always comes."""
    return Turn(pieces=frames, ending=b"", drips=chunk("x" * 4000)[:2000])


def hangs_up(*frames: bytes) -> Turn:
    """A connection that is closed before the body's end."""
    return Turn(pieces=frames, ending=b"")


def fails(status: int, code: str, message: str = "no") -> Turn:
    """An error instead of an answer."""
    body = json.dumps({"message": message}).encode()
    headers = {"Content-Type": "application/json", "x-amzn-ErrorType": code, "x-amzn-RequestId": "r"}
    return Turn(whole=head(status, headers=headers, length=len(body)) + body)


def answers(*pieces: str | bytes, content_type: str = "application/json", says_session: bool = True) -> Turn:
    """The body of an agent on AgentCore Runtime."""
    encoded = tuple(piece.encode() if isinstance(piece, str) else piece for piece in pieces)
    return Turn(pieces=encoded, content_type=content_type, says_session=says_session)


def silence() -> Turn:
    """Not even a head."""
    return Turn(stalls=True, whole=b" ")


class FakeBedrockAgents(ScriptedServer[Asked, Turn]):
    """The server; use it as a context manager."""

    def _understood(self, request: HttpRequest) -> Asked:
        return Asked(target=request.target, headers=request.headers, body=request.body)

    def _answer(self, asked: Asked) -> AsyncGenerator[bytes, None]:
        return _pieces(self._turn_for(asked), asked)

    def _turn_for(self, asked: Asked) -> Turn:
        if refusal := _refusal(asked):
            self.refusals.append(refusal)
            return fails(403, "AccessDeniedException", refusal)
        if not self._turns:
            return fails(500, "InternalServerException", "The script of the fake Bedrock is at its end")
        return self._turns.popleft()


def _refusal(asked: Asked) -> str | None:
    if "AWS4-HMAC-SHA256" not in asked.headers.get("authorization", ""):
        return "The request is not signed"
    if not (AGENT.fullmatch(asked.path) or RUNTIME.fullmatch(asked.path)):
        return f"There is no such operation: {asked.path}"
    return None


async def _pieces(turn: Turn, asked: Asked) -> AsyncGenerator[bytes, None]:
    if turn.whole.strip():
        yield turn.whole
    elif not turn.whole:
        yield _head(turn, asked)
        for piece in turn.pieces:
            yield http_chunk(piece)
        async for piece in _dripping(turn.drips):
            yield piece
        yield turn.ending
    if turn.stalls:
        await asyncio.Event().wait()


async def _dripping(content: bytes) -> AsyncGenerator[bytes, None]:
    while content:
        for byte in content:
            yield http_chunk(bytes([byte]))
            await asyncio.sleep(DRIP_SECONDS)


def _head(turn: Turn, asked: Asked) -> bytes:
    name = AGENT_SESSION if AGENT.fullmatch(asked.path) else RUNTIME_SESSION
    session = {name: asked.session_id} if turn.says_session else {}
    return chunked_head({"Content-Type": turn.content_type} | session)
