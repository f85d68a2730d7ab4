"""The contract with the model: one call in, one turn out, in the Messages API's own JSON."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

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
    final: bool = False
    """The model must answer now and may use no tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTurn:
    """Everything that one call brings back."""

    content: tuple[Block, ...]
    stop_reason: str
    usage: Usage = field(default_factory=Usage)


class Model(Protocol):
    async def turn(self, call: ModelCall, on_text: Callable[[str], None]) -> ModelTurn:
        """One turn of the model, its text handed on as it arrives; raises ModelFailed."""
