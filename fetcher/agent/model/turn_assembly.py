"""A turn of the model, put together from the events of its stream.

The turn can be sent back as it is: it has only blocks that the API takes from a caller, with only the fields
that it takes. Blocks and deltas of unknown types are skipped.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from fetcher.agent.model.contract import Block, ModelTurn
from fetcher.agent.values import Usage
from fetcher.text import strict_json, well_formed

GROWTH = {
    ("text", "text_delta"): "text",
    ("tool_use", "input_json_delta"): "partial_json",
    ("thinking", "thinking_delta"): "thinking",
    ("thinking", "signature_delta"): "signature",
}
"""The field by which a delta makes a block grow."""
TEXTS = {
    "text": ("text",),
    "tool_use": ("id", "name"),
    "thinking": ("thinking",),
    "redacted_thinking": ("data",),
}
"""The blocks that are known, and the texts with which they begin."""
CITATION_FIELDS = (
    "type",
    "cited_text",
    "source",
    "title",
    "search_result_index",
    "start_block_index",
    "end_block_index",
)
"""Of a `search_result_location`, the only kind that our requests give rise to."""


NOT_AN_OBJECT = "INVALID_JSON"
"""The key under which arguments that are not a JSON object go back to the model, as the API advises:
https://platform.claude.com/docs/en/agents-and-tools/tool-use/fine-grained-tool-streaming"""
DEEPEST = 30
"""Levels of a call's arguments; tools need three."""


class MalformedStream(ValueError):
    """The stream is not what the API promises."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A content block in the making."""

    start: Block
    pieces: dict[str, list[str]] = field(default_factory=dict)
    citations: list[Block] = field(default_factory=list)

    def __post_init__(self) -> None:
        for name in TEXTS.get(self.start["type"], ()):
            _string(self.start, name)

    def grow(self, delta: Block) -> str:
        """Take in a delta; return the text that it adds, if any."""
        if delta["type"] == "citations_delta" and delta["citation"]["type"] == "search_result_location":
            self.citations.append({name: delta["citation"][name] for name in CITATION_FIELDS})
        name = GROWTH.get((self.start["type"], delta["type"]))
        if name is None:
            return ""
        piece = _string(delta, name)
        self.pieces.setdefault(name, []).append(piece)
        return piece if name == "text" else ""

    def grown(self, name: str) -> str:
        """A text of the block as far as it has come."""
        begun = self.start.get(name)
        return "".join([begun if isinstance(begun, str) else "", *self.pieces.get(name, ())])

    def finished(self) -> Block | None:
        """The block as it may be sent back; None where the API would refuse it."""
        kind = self.start["type"]
        match kind:
            case "text":
                block = {"type": kind, "text": self.grown("text")}
                return block | {"citations": self.citations} if self.citations else block
            case "tool_use":
                written = self.grown("partial_json")
                arguments = _parsed(written)
                if arguments is None:  # the tool says what is wrong, so that the model can correct it
                    arguments = {NOT_AN_OBJECT: written}
                return {"type": kind, "id": self.start["id"], "name": self.start["name"], "input": arguments}
            case "thinking" if signature := self.grown("signature"):  # required by the API
                return {"type": kind, "thinking": self.grown("thinking"), "signature": signature}
            case "redacted_thinking":
                return {"type": kind, "data": self.start["data"]}
        return None


class Assembly:
    """Takes the events of one stream, in order."""

    def __init__(self) -> None:
        self.spoken = False
        """Whether any text has come."""
        self.thinking = False
        """Whether the model is thinking now."""
        self._parts: dict[int, _Part] = {}
        self._stop_reason: str | None = None
        self._stop_details: Block | None = None
        self.usage = Usage(calls=1)

    def add(self, event: Any) -> str:
        """Take in the next event; return the text that it adds, if any."""
        text = ""
        try:
            match event["type"]:
                case "message_start":
                    self._count(event["message"]["usage"])
                case "content_block_start":
                    self._parts[event["index"]] = _Part(event["content_block"])
                    self.thinking = event["content_block"]["type"] in ("thinking", "redacted_thinking")
                case "content_block_delta":
                    text = self._parts[event["index"]].grow(event["delta"])
                case "message_delta":
                    stop_reason = event["delta"]["stop_reason"]
                    self._stop_reason = stop_reason if isinstance(stop_reason, str) else None
                    details = event["delta"].get("stop_details")
                    self._stop_details = details if isinstance(details, dict) else None
                    self._count(event.get("usage") or {})
        except (LookupError, TypeError, AttributeError) as error:
            raise MalformedStream(f"an event is not as it should be ({type(error).__name__})") from error
        self.spoken = self.spoken or bool(text)
        return text

    def content(self) -> tuple[Block, ...]:
        """The blocks so far; a call that the model may not have finished is left out.

        Space between two text blocks goes to the second: the API refuses blocks that are blank.
        """
        blocks, space = list[Block](), ""
        finished = (part.finished() for part in self._parts.values() if not self._is_cut(part))
        for block in filter(None, finished):
            if block["type"] == "text" and not block["text"].strip():
                space += block["text"]
                continue
            blocks.append(block | {"text": space + block["text"]} if block["type"] == "text" else block)
            space = ""
        return tuple(blocks)

    def turn(self) -> ModelTurn:
        """The whole turn, once the stream is at its end."""
        if self._stop_reason is None:
            raise MalformedStream("the stream ended before the turn did")
        return ModelTurn(
            content=self.content(),
            stop_reason=self._stop_reason,
            usage=self.usage,
            stop_details=self._stop_details,
            call_cut=any(map(self._is_cut, self._parts.values())),
        )

    def _is_cut(self, part: _Part) -> bool:
        """Whether a part is a call that the model may not have finished.

        A call without an object of arguments is whole only where the model stopped in order to call.
        """
        if part.start["type"] != "tool_use" or self._stop_reason == "tool_use":
            return False
        written = part.grown("partial_json")
        return not written or _parsed(written) is None

    def _count(self, usage: dict[str, Any]) -> None:
        """Take in counts of tokens; they are totals, so that later ones replace earlier ones."""
        before = self.usage
        counts = {name: number for name, number in usage.items() if isinstance(number, int)}
        self.usage = Usage(
            calls=1,
            input_tokens=counts.get("input_tokens", before.input_tokens),
            output_tokens=counts.get("output_tokens", before.output_tokens),
            cache_read_tokens=counts.get("cache_read_input_tokens", before.cache_read_tokens),
            cache_write_tokens=counts.get("cache_creation_input_tokens", before.cache_write_tokens),
        )


def _parsed(arguments: str) -> dict[str, Any] | None:
    """The arguments of a call if they are whole; a tool without parameters is called with nothing.

    What is nested too deeply to be sent back is not taken.
    """
    try:
        value = strict_json(arguments or "{}")
        if "\\ud" in arguments.lower():  # escapes, and perhaps half a pair of them
            value = json.loads(well_formed(json.dumps(value, ensure_ascii=False)))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and _is_shallow(value) else None


def _is_shallow(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        items = (each.values() if isinstance(each, dict) else each for each in level)
        level = [inner for outer in items for inner in outer if isinstance(inner, dict | list)]
    return not level


def _string(block: Block, name: str) -> str:
    value = block[name]
    if not isinstance(value, str):
        raise TypeError(f"{name} is not text")
    return well_formed(value)
