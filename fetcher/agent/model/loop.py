"""The conversation between the model and its tools, within bounds.

The model is called until it asks for no more tools. The tools of one turn run side by side.
Before a bound is crossed it gets one last call without tools, so that a question whose bounds are
too tight still ends in an answer, from the pages that were read.
"""

import asyncio
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from fetcher.agent.errors import ToolRefused
from fetcher.agent.model import prompts
from fetcher.agent.model.contract import Block, Model, ModelCall, ModelTurn
from fetcher.agent.safety.sanitising import sanitised
from fetcher.agent.tools.results import failed
from fetcher.agent.tools.toolbox import Toolbox
from fetcher.agent.values import Limits, Progress, Step, Usage
from fetcher.codes import AgentCode
from fetcher.web.output.tokens import count

READING_SHARE = 0.6
"""The part of the time after which no more pages are read."""

CACHED: Block = {"type": "ephemeral"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopOutcome:
    """How the conversation ended, or how far it has come."""

    content: tuple[Block, ...] = ()
    """The model's text of the present turn; that of the last turn is the answer."""
    stop_reason: str = ""
    usage: Usage = field(default_factory=Usage)
    reached: tuple[AgentCode, ...] = ()
    """The bounds that were reached."""

    @property
    def spoken(self) -> bool:
        return has_text(self.content)


def has_text(blocks: Iterable[Block]) -> bool:
    return any(block["type"] == "text" and block["text"].strip() for block in blocks)


class Loop:
    """One question's conversation; `outcome` is kept up to date, so that it survives a cancellation."""

    def __init__(
        self,
        model: Model,
        toolbox: Toolbox,
        limits: Limits,
        on_progress: Callable[[Progress], None],
        *,
        tools: tuple[Block, ...],
        system: str = prompts.SYSTEM,
    ) -> None:
        self._model = model
        self._toolbox = toolbox
        self._tools = tools
        self._system = system
        self._limits = limits
        self._on_progress = on_progress
        self._reading_ends = asyncio.get_running_loop().time() + READING_SHARE * limits.seconds
        self._written: list[str] = []
        self._line = ""
        self.outcome = LoopOutcome()

    async def run(self, messages: list[Block]) -> LoopOutcome:
        """Call the model and its tools until there is an answer; raises ModelFailed."""
        for number in range(1, self._limits.turns + 1):
            late = asyncio.get_running_loop().time() > self._reading_ends
            bounds = {
                AgentCode.TURN_LIMIT: number == self._limits.turns,
                AgentCode.TIME_LIMIT: late and number > 1,
                AgentCode.TOKEN_LIMIT: AgentCode.TOKEN_LIMIT in self.outcome.reached,
            }
            reached = tuple(code for code, crossed in bounds.items() if crossed)
            before = self.outcome = replace(self.outcome, reached=reached)
            turn = await self._call_model(messages, final=bool(reached))
            calls = [block for block in turn.content if block["type"] == "tool_use"]
            if reached or not calls:
                break
            messages.append({"role": "assistant", "content": list(turn.content)})
            messages.append({"role": "user", "content": await self._run_tools(calls, turn.usage)})
        if not self.outcome.spoken and has_text(before.content):
            self.outcome = replace(self.outcome, content=before.content)  # the answer came with a call
        return self.outcome

    async def _call_model(self, messages: list[Block], *, final: bool) -> ModelTurn:
        """Call the model once; the conversation is cached up to the newest block."""
        *earlier, newest = messages[-1]["content"]
        content = [*earlier, {**newest, "cache_control": CACHED}]
        if final:
            content.append({"type": "text", "text": prompts.FINAL})
        call = ModelCall(
            system=({"type": "text", "text": self._system, "cache_control": CACHED},),
            tools=self._tools,
            messages=(*messages[:-1], {**messages[-1], "content": content}),
            max_tokens=self._limits.output_tokens,
            final=final,
        )
        self._written.clear()
        self.outcome = replace(self.outcome, content=(), stop_reason="")
        turn = await self._model.turn(call, self._take_text)
        self._show_lines(self._line)
        self.outcome = replace(
            self.outcome,
            content=turn.content,
            stop_reason=turn.stop_reason,
            usage=self.outcome.usage + turn.usage,
        )
        return turn

    def _take_text(self, text: str) -> None:
        self._written.append(text)
        self.outcome = replace(self.outcome, content=({"type": "text", "text": "".join(self._written)},))
        lines, end, rest = (self._line + text).rpartition("\n")
        self._show_lines(lines + end, rest=rest)

    def _show_lines(self, text: str, rest: str = "") -> None:
        """Report whole lines as progress, sanitised as the answer will be; keep the rest of a line."""
        self._line = rest
        if text:
            titles = self._toolbox.titles
            self._on_progress(Progress(step=Step.WRITING, text=sanitised(text, titles.__contains__)))

    async def _run_tools(self, calls: list[Block], usage: Usage) -> list[Block]:
        """Run the tools; return their results, as far as there is time and room for them."""
        used = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens + usage.output_tokens
        room = self._limits.input_tokens - used
        results = await self._run_in_time(calls)
        for number, result in enumerate(results):
            size = count(json.dumps(result["content"], ensure_ascii=False))
            if size > room:
                refusal = ToolRefused(AgentCode.TOKEN_LIMIT, "There is no room for this text")
                results[number] = failed(calls[number], refusal)
                self.outcome = replace(self.outcome, reached=(AgentCode.TOKEN_LIMIT,))
            else:
                room -= size
                await self._toolbox.show(result["content"])
        return results

    async def _run_in_time(self, calls: list[Block]) -> list[Block]:
        """Run the tools side by side; cancel those that are not done when the time for reading is up."""
        tasks = [asyncio.create_task(self._toolbox.run(call)) for call in calls]
        left = max(0.0, self._reading_ends - asyncio.get_running_loop().time())
        try:
            await asyncio.wait(tasks, timeout=left)
        finally:
            late = {task for task in tasks if not task.done()}
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        refusal = ToolRefused(AgentCode.TIME_LIMIT, "There was no time left")
        return [
            failed(call, refusal) if task in late else task.result()
            for call, task in zip(calls, tasks, strict=True)
        ]
