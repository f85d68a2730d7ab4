"""The conversation between the model and its tools, within bounds.

The model is called until it asks for no more tools. What it asks for in one turn runs side by side.
Before a bound is crossed it gets one last call without tools, so that a question whose bounds are
too tight ends in an answer to the part that was read.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from fetcher.agent import prompts
from fetcher.agent.model import Block, Model, ModelCall, ModelTurn
from fetcher.agent.tools import TOOLS, Toolbox
from fetcher.agent.values import Limits, Progress, Step, Usage
from fetcher.codes import AgentCode
from fetcher.web.tokens import count

READING_SHARE = 0.6
"""The part of the time after which no more pages are read."""

CACHED: Block = {"type": "ephemeral"}
TOO_MUCH = json.dumps(
    {"error": AgentCode.TOKEN_LIMIT, "message": "There is no room for more text", "retryable": False}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How the conversation ended."""

    content: tuple[Block, ...] = ()
    """The model's last turn: the answer."""
    stop_reason: str = ""
    usage: Usage = field(default_factory=Usage)
    reached: tuple[AgentCode, ...] = ()
    """The bounds that were reached."""


class Loop:
    """One question's conversation; `outcome` is kept up to date, so that it survives a cancellation."""

    def __init__(
        self, model: Model, toolbox: Toolbox, limits: Limits, on_progress: Callable[[Progress], None]
    ) -> None:
        self._model = model
        self._toolbox = toolbox
        self._limits = limits
        self._on_progress = on_progress
        self._written: list[str] = []
        self.outcome = Outcome()

    async def run(self, messages: list[Block]) -> Outcome:
        """Talks until there is an answer; raises ModelFailed."""
        started = asyncio.get_running_loop().time()
        for number in range(1, self._limits.turns + 1):
            late = asyncio.get_running_loop().time() - started > READING_SHARE * self._limits.seconds
            reached = self._bounds(last=number == self._limits.turns, late=late)
            turn = await self._turn(messages, final=bool(reached))
            calls = [block for block in turn.content if block["type"] == "tool_use"]
            if reached or not (calls or turn.stop_reason == "pause_turn"):
                return self.outcome
            if not turn.content:
                continue  # a pause before the first word: ask again
            messages.append({"role": "assistant", "content": list(turn.content)})
            if calls:
                messages.append({"role": "user", "content": await self._results(calls, turn.usage)})
        return self.outcome

    def _bounds(self, *, last: bool, late: bool) -> tuple[AgentCode, ...]:
        """The bounds that the next call would cross."""
        first = self.outcome.usage.calls == 0
        full = AgentCode.TOKEN_LIMIT in self.outcome.reached
        tests = {
            AgentCode.TURN_LIMIT: last and not first,
            AgentCode.TIME_LIMIT: late and not first,
            AgentCode.TOKEN_LIMIT: full,
        }
        reached = tuple(code for code, crossed in tests.items() if crossed)
        self.outcome = replace(self.outcome, reached=reached)
        return reached

    async def _turn(self, messages: list[Block], *, final: bool) -> ModelTurn:
        self._written.clear()
        turn = await self._model.turn(self._call(messages, final), self._heard)
        self.outcome = replace(
            self.outcome,
            content=turn.content,
            stop_reason=turn.stop_reason,
            usage=self.outcome.usage + turn.usage,
        )
        return turn

    def _call(self, messages: list[Block], final: bool) -> ModelCall:
        spoken = [*messages[:-1], _last(messages[-1], final)]
        return ModelCall(
            system=({"type": "text", "text": prompts.SYSTEM, "cache_control": CACHED},),
            tools=tuple(tool.definition for tool in TOOLS.values()),
            messages=tuple(spoken),
            max_tokens=self._limits.output_tokens,
            final=final,
        )

    def _heard(self, text: str) -> None:
        self._written.append(text)
        self.outcome = replace(self.outcome, content=({"type": "text", "text": "".join(self._written)},))
        self._on_progress(Progress(step=Step.WRITING, text=text))

    async def _results(self, calls: list[Block], usage: Usage) -> list[Block]:
        """The tools' results, those that no longer fit replaced by a word about it."""
        results = await asyncio.gather(*(self._toolbox.run(call) for call in calls))
        used = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens + usage.output_tokens
        room = self._limits.input_tokens - used
        for result in results:
            room -= count(json.dumps(result["content"], ensure_ascii=False))
            if room < 0:
                result.update(content=TOO_MUCH, is_error=True)
                self.outcome = replace(self.outcome, reached=(AgentCode.TOKEN_LIMIT,))
        return results


def _last(message: Block, final: bool) -> Block:
    """The newest message: the conversation is cached up to here, and the last call is announced."""
    *before, newest = message["content"]
    blocks = [*before, {**newest, "cache_control": CACHED}]
    return {**message, "content": [*blocks, {"type": "text", "text": prompts.FINAL}] if final else blocks}
