"""The conversation between the model and its tools, within bounds.

The model is called until a turn is its answer; `endings.py` says what follows on each turn. The tools of one
turn run side by side. Messages are only added, never changed: the model's thoughts are bound to what stands
before them, and the cache is kept. So a bound is announced inside the last tool result before it, and a tool
that is called in spite of that is refused in its result.
"""

import asyncio
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from fetcher.agent.errors import ToolRefused
from fetcher.agent.model import prompts
from fetcher.agent.model.contract import Arrival, Block, Model, ModelCall, ModelTurn
from fetcher.agent.model.endings import ONCE, TOLD, Ending, calls_in, ending_of, has_text
from fetcher.agent.safety.allowed_links import AllowedLinks, only_urls
from fetcher.agent.safety.mentions import without_mentions
from fetcher.agent.tools.results import failed, with_note
from fetcher.agent.tools.toolbox import Toolbox
from fetcher.agent.values import Limits, Progress, Step, Usage
from fetcher.codes import AgentCode
from fetcher.web.output.tokens import count

READING_SHARE = 0.6
"""The part of the time after which no more pages are read."""
MOST_OUTPUT_TOKENS = 64_000
"""Of a call that is made again with more room."""

CACHED: Block = {"type": "ephemeral"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopOutcome:
    """How the conversation ended, or how far it has come."""

    content: tuple[Block, ...] = ()
    """The model's text of the present turn; that of the last turn is the answer."""
    refused: bool = False
    usage: Usage = field(default_factory=Usage)
    reached: tuple[AgentCode, ...] = ()
    """The bounds that were reached, and how the last turn ended if it was not whole."""

    @property
    def spoken(self) -> bool:
        return has_text(self.content)


class Loop:
    """One question's conversation; `so_far` is what there is of it when it is broken off."""

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
        self._output_tokens = limits.output_tokens
        self._rounds = 0
        """How often tools were run, or a paused turn sent back."""
        self._tried: set[Ending] = set()
        self._kept: tuple[Block, ...] = ()
        """The text of a turn that the present one continues."""
        self._beside_calls: tuple[Block, ...] = ()
        """The newest text that came with a call: the answer, if no other follows."""
        self._arrived: Callable[[], tuple[Block, ...]] = tuple
        self._line = ""
        self._showing = Step.READING
        self._outcome = LoopOutcome()

    @property
    def so_far(self) -> LoopOutcome:
        """The outcome with what has arrived of the present turn, citations included."""
        return replace(self._outcome, content=(*self._kept, *self._arrived()))

    async def run(self, messages: list[Block]) -> LoopOutcome:
        """Call the model and its tools until there is an answer; raises ModelFailed."""
        if self._limits.turns == 1:
            self._outcome = replace(self._outcome, reached=(AgentCode.TURN_LIMIT,))
            messages[-1]["content"].append({"type": "text", "text": prompts.FINAL})
        while True:
            turn = await self._call_model(messages)
            ending = ending_of(turn)
            if ending is Ending.SILENT and has_text(self._kept):  # nothing follows on what was said before
                ending = Ending.CUT_IN_TEXT if Ending.CUT_IN_TEXT in self._tried else Ending.ANSWERED
            if ending in self._tried or not await self._follow(turn, ending, messages):
                break
        told = [*self._outcome.reached, TOLD[ending]] if ending in TOLD else self._outcome.reached
        outcome = replace(self.so_far, reached=tuple(dict.fromkeys(told)))
        if ending is Ending.REFUSED:
            return replace(outcome, content=(), refused=True)
        return outcome if outcome.spoken else replace(outcome, content=self._beside_calls)

    async def _follow(self, turn: ModelTurn, ending: Ending, messages: list[Block]) -> bool:
        """Add to the messages what follows on a turn; False where the conversation is at its end."""
        if ending in ONCE:
            self._tried.add(ending)
        match ending:
            case Ending.CUT_EARLIER:
                self._output_tokens = min(MOST_OUTPUT_TOKENS, 2 * self._output_tokens)
            case Ending.SILENT:
                messages.append(_message("user", [_text(prompts.GO_ON)]))
            case Ending.CUT_IN_TEXT:
                self._kept += turn.content
                last = max(at for at, block in enumerate(turn.content, 1) if block["type"] == "text")
                messages.append(_message("assistant", turn.content[:last]))  # no turn may end with a thought
                messages.append(_message("user", [_text(prompts.CONTINUE)]))
            case Ending.PAUSED if self._rounds + 1 < self._limits.turns:
                self._rounds += 1
                self._kept += turn.content
                messages.append(_message("assistant", turn.content))
            case Ending.CALLED if self._rounds < self._limits.turns:
                self._rounds += 1
                if has_text(turn.content):
                    self._beside_calls = turn.content
                self._kept = ()
                results = await self._answer_calls(calls_in(turn), turn.usage)
                messages += [_message("assistant", turn.content), _message("user", results)]
            case _:
                return False
        return True

    async def _call_model(self, messages: list[Block]) -> ModelTurn:
        """Call the model once; the conversation is cached up to the newest block."""
        newest = messages[-1]
        if newest["role"] == "user":
            *earlier, last = newest["content"]
            newest = newest | {"content": [*earlier, last | {"cache_control": CACHED}]}
        call = ModelCall(
            system=({"type": "text", "text": self._system, "cache_control": CACHED},),
            tools=self._tools,
            messages=(*messages[:-1], newest),
            max_tokens=self._output_tokens,
        )
        self._arrived, self._showing = tuple, Step.READING
        turn = await self._model.turn(call, self._take_arrival)
        self._show_lines(self._line)
        self._arrived = lambda: turn.content
        self._outcome = replace(self._outcome, usage=self._outcome.usage + turn.usage)
        return turn

    def _take_arrival(self, arrival: Arrival) -> None:
        self._arrived = arrival.content
        if arrival.text:
            lines, end, rest = (self._line + arrival.text).rpartition("\n")
            self._show_lines(lines + end, rest=rest)
        elif arrival.thinking and self._showing is not Step.THINKING:
            self._showing = Step.THINKING
            self._on_progress(Progress(step=Step.THINKING))

    def _show_lines(self, text: str, rest: str = "") -> None:
        """Report whole lines as progress, with URLs only of pages that were read; keep the rest of a line.

        The white space before a call does not count as text.
        """
        self._line = rest
        if text.strip() or (text and self._showing is Step.WRITING):
            self._showing = Step.WRITING
            shown = only_urls(without_mentions(text), AllowedLinks(self._toolbox.titles))
            self._on_progress(Progress(step=Step.WRITING, text=shown))

    async def _answer_calls(self, calls: list[Block], usage: Usage) -> list[Block]:
        """Run the tools, within the room for their results; the last result says if these were the last."""
        if reached := self._outcome.reached:
            return [failed(call, ToolRefused(reached[0], "No more tools can be used")) for call in calls]
        room, full = self._limits.input_tokens - usage.tokens, False
        # The tools run side by side; those that are not done when the time for reading is up are cancelled.
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
        results = [
            failed(call, refusal) if task in late else task.result()
            for call, task in zip(calls, tasks, strict=True)
        ]
        for number, result in enumerate(results):
            size = count(json.dumps(result["content"], ensure_ascii=False))
            if size > room:
                refusal = ToolRefused(AgentCode.TOKEN_LIMIT, "No room is left for this text")
                results[number], full = failed(calls[number], refusal), True
            else:
                room -= size
                await self._toolbox.show(result["content"])
        bounds = {
            AgentCode.TURN_LIMIT: self._rounds + 1 >= self._limits.turns,
            AgentCode.TIME_LIMIT: asyncio.get_running_loop().time() > self._reading_ends,
            AgentCode.TOKEN_LIMIT: full,
        }
        self._outcome = replace(
            self._outcome, reached=tuple(code for code, crossed in bounds.items() if crossed)
        )
        return [*results[:-1], with_note(results[-1], prompts.FINAL)] if self._outcome.reached else results


def _message(role: str, content: Iterable[Block]) -> Block:
    return {"role": role, "content": list(content)}


def _text(text: str) -> Block:
    return {"type": "text", "text": text}
