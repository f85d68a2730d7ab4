"""The contract with the model: one call in, one turn out, in the Messages API's own JSON."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

from fetcher.agent.values import Usage

Block = dict[str, Any]
"""A content block as the Messages API has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """Everything that one call sends."""

    system: tuple[Block, ...]
    tools: tuple[Block, ...]
    messages: tuple[Block, ...]
    max_tokens: int

    @classmethod
    def alone(cls, system: str, content: Sequence[Block], max_tokens: int) -> Self:
        """A call beside the conversation: one message, and no tools."""
        return cls(
            system=({"type": "text", "text": system},),
            tools=(),
            messages=({"role": "user", "content": list(content)},),
            max_tokens=max_tokens,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTurn:
    """Everything that one call brings back."""

    content: tuple[Block, ...]
    stop_reason: str
    usage: Usage = field(default_factory=Usage)
    stop_details: Mapping[str, Any] | None = None
    """Why the model refused, if it did."""
    call_cut: bool = False
    """Whether the turn ended inside a call of a tool, which `content` then lacks."""

    @property
    def text(self) -> str:
        return "".join(block["text"] for block in self.content if block["type"] == "text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """Something of a turn has arrived."""

    content: Callable[[], tuple[Block, ...]]
    """The blocks of the turn so far, with their citations."""
    text: str = ""
    """The text that is new."""
    thinking: bool = False
    """Whether the model is thinking now."""
    usage: Usage = field(default_factory=Usage)
    """What the call has cost so far, also in a stream that broke off and was begun again."""


OnArrival = Callable[[Arrival], None]


class Model(Protocol):
    async def turn(self, call: ModelCall, on_arrival: OnArrival) -> ModelTurn:
        """One turn of the model, which is reported as it arrives; raises ModelFailed."""
