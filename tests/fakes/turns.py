"""What the model of `FakeClaude` says and does, one turn at a time.

A turn is a value that a test puts into the server's script: `say("...")`, `call("fetch_url", {...})`,
both together (`say("...") + call(...) + call(...)`), a failure, or a turn that goes wrong midway.
Where the turn depends on what reached the model, a function of the request stands in its place.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from tests.fakes.search_results import Block, Body, Citation, located
from tests.fakes.search_results import cite as cite  # a word of a turn's vocabulary

PIECE = 3
"""Characters of text in a delta: few, so that words and Japanese sentences come in pieces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A content block: how it begins, what is added to it, and what it comes to."""

    start: Block
    deltas: tuple[Block, ...] = ()
    whole: Block


MakePart = Callable[[Body, int], Part]
"""Makes a part for a request and a place in the answer: citations and ids depend on them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A turn that goes well."""

    parts: tuple[MakePart, ...] = ()
    stop_reason: str = "end_turn"
    stop_details: Block | None = None
    thought: int | None = None
    """Tokens of the thought before it; None: as many as the model's effort makes."""

    def __add__(self, other: "Reply") -> "Reply":
        """Both in one turn; it stops for a tool if either does."""
        stops = (self.stop_reason, other.stop_reason)
        stop_reason = "tool_use" if "tool_use" in stops else other.stop_reason
        return replace(self, parts=self.parts + other.parts, stop_reason=stop_reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An answer that is an error; the SDK tries again after `retry_after` seconds."""

    status: int
    kind: str
    message: str
    retry_after: float | None
    retry: bool | None = None
    """What the server itself says about trying again."""


class Fault(Enum):
    """What happens midway."""

    CLOSE = "the connection closes inside the body"
    END = "the body ends as if it were whole"
    STALL = "nothing more is sent"
    ERROR = "an error comes in place of an event"
    GARBLE = "an event is no JSON"
    CORRUPT = "what comes is no event at all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Midway:
    """A turn that goes wrong after so many deltas."""

    reply: Reply
    after: int
    fault: Fault
    kind: str = "overloaded_error"


class Odd(Enum):
    """Answers without a turn in them."""

    SILENCE = "nothing at all"
    NO_JSON = "a page of HTML with status 200"


Turn = Reply | Failure | Midway | Odd


def say(text: str, *, citations: Iterable[Citation] = (), stop_reason: str = "end_turn") -> Reply:
    """A text block; its citations are `cite(...)`s, or locations as they shall be."""
    cited = tuple(citations)
    return Reply(
        parts=(lambda body, _: _text(text, [located(each, body) for each in cited]),),
        stop_reason=stop_reason,
    )


def call(tool: str, arguments: dict[str, Any] | None = None) -> Reply:
    """A call of a tool."""
    return Reply(
        parts=(lambda body, place: _tool_use(_id(body, place), tool, arguments or {}),),
        stop_reason="tool_use",
    )


def call_written(tool: str, written: str) -> Reply:
    """A call whose arguments are whatever the model wrote, JSON or not."""
    return replace(call_cut_short(tool, written), stop_reason="tool_use")


def call_cut_short(tool: str, written: str) -> Reply:
    """A call whose arguments end where the tokens ended."""

    def part(body: Body, place: int) -> Part:
        start = {"type": "tool_use", "id": _id(body, place), "name": tool, "input": {}}
        return Part(start=start, deltas=_written(written), whole=start)

    return Reply(parts=(part,), stop_reason="max_tokens")


def search_made(query: str, *results: tuple[str, str], error: str = "", ended: bool = True) -> Reply:
    """A search of the server's own tool: its call, and links with titles, or an error.

    Shapes: `types/server_tool_use_block.py`, `types/web_search_tool_result_block.py`. One that has not
    `ended` lacks its result, as in a turn that is paused.
    """
    called = {"type": "server_tool_use", "id": "srvtoolu_01", "name": "web_search", "input": {"query": query}}
    rows: Any = [
        {"type": "web_search_result", "url": url, "title": title, "encrypted_content": "x", "page_age": None}
        for url, title in results
    ]
    if error:
        rows = {"type": "web_search_tool_result_error", "error_code": error}
    result = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_01", "content": rows}
    return block(called) + block(result) if ended else replace(block(called), stop_reason="pause_turn")


def refuse(text: str = "", *, category: str | None = None, explanation: str | None = None) -> Reply:
    """A refusal with its details (`types/refusal_stop_details.py`), perhaps in the middle of a text."""
    details = {"type": "refusal", "category": category, "explanation": explanation}
    return replace(say(text) if text else Reply(), stop_reason="refusal", stop_details=details)


def silence() -> Reply:
    """A turn that ends without a word, as may follow on text behind tool results."""
    return Reply()


def pause(text: str = "") -> Reply:
    """A turn that the server breaks off, to be continued when it is sent back."""
    return replace(say(text) if text else Reply(), stop_reason="pause_turn")


def context_full(text: str = "") -> Reply:
    """A turn that fills the model's context window."""
    return replace(say(text) if text else Reply(), stop_reason="model_context_window_exceeded")


def think(tokens: int, reply: Reply) -> Reply:
    """The reply after a thought of so many tokens."""
    return replace(reply, thought=tokens)


def thought(signed: str) -> Part:
    """A thinking block; by default the API leaves its text out and sends the signature alone."""
    start = {"type": "thinking", "thinking": "", "signature": ""}
    delta = {"type": "signature_delta", "signature": signed}
    return Part(start=start, deltas=(delta,), whole=start | {"signature": signed})


def blank() -> Part:
    """The white space that models write before they call a tool."""
    return _text("\n\n", [])


def max_tokens(text: str) -> Reply:
    """A text that is cut off at the limit."""
    return say(text, stop_reason="max_tokens")


def block(start: Block, *deltas: Block) -> Reply:
    """A content block as it is given, of whatever type, with whatever deltas."""
    return Reply(parts=(lambda *_: Part(start=start, deltas=deltas, whole=start),))


def fail(status: int, kind: str = "", *, message: str = "", retry_after: float | None = 0.001) -> Failure:
    """An error; it may be tried again at once, or as the SDK sees fit if `retry_after` is None."""
    named = kind or ERROR_TYPES.get(status, "api_error")
    said = message or f"The server says {named}"
    return Failure(status=status, kind=named, message=said, retry_after=retry_after)


def stall() -> Odd:
    """Never answers."""
    return Odd.SILENCE


def no_json() -> Odd:
    """Answers 200 with a page of HTML, as a captive portal does."""
    return Odd.NO_JSON


def break_midway(reply: Reply | None = None, *, after: int = 2, cleanly: bool = False) -> Midway:
    """Closes the connection in the middle; `cleanly`, as if that were the end."""
    return _midway(reply, after, Fault.END if cleanly else Fault.CLOSE)


def stall_midway(reply: Reply | None = None, *, after: int = 2) -> Midway:
    return _midway(reply, after, Fault.STALL)


def error_event(reply: Reply | None = None, *, after: int = 2, kind: str = "overloaded_error") -> Midway:
    """An error in the middle of the stream."""
    return replace(_midway(reply, after, Fault.ERROR), kind=kind)


def malformed(reply: Reply | None = None, *, after: int = 2) -> Midway:
    """An event in the middle that is no JSON."""
    return _midway(reply, after, Fault.GARBLE)


def corrupted(reply: Reply | None = None, *, after: int = 2) -> Midway:
    """Bytes in the middle that are no event: not UTF-8, or a frame whose checksum is wrong."""
    return _midway(reply, after, Fault.CORRUPT)


def _midway(reply: Reply | None, after: int, fault: Fault) -> Midway:
    return Midway(reply=reply or say("This sentence has no end"), after=after, fault=fault)


# Anthropic's page "Claude API errors".
ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    409: "conflict_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}


def _text(text: str, citations: list[Block]) -> Part:
    added: list[Block] = [{"type": "text_delta", "text": piece} for piece in _pieces(text)]
    added += [{"type": "citations_delta", "citation": location} for location in citations]
    empty: Block = {"type": "text", "text": "", "citations": [] if citations else None}
    return Part(
        start=empty, deltas=tuple(added), whole=empty | {"text": text, "citations": citations or None}
    )


def _tool_use(name_of_call: str, tool: str, arguments: dict[str, Any]) -> Part:
    start = {"type": "tool_use", "id": name_of_call, "name": tool, "input": {}}
    written = json.dumps(arguments, ensure_ascii=False) if arguments else ""
    return Part(start=start, deltas=_written(written), whole=start | {"input": arguments})


def _written(arguments: str) -> tuple[Block, ...]:
    """Arguments piece by piece; the API begins with an empty one."""
    return tuple({"type": "input_json_delta", "partial_json": piece} for piece in ("", *_pieces(arguments)))


def _pieces(text: str) -> list[str]:
    return [text[start : start + PIECE] for start in range(0, len(text), PIECE)]


def _id(body: Body, place: int) -> str:
    """An id that no other call of the conversation has."""
    return f"toolu_{len(body['messages']):03}{place:03}"
