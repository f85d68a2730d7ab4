"""Answers with the model and its tools; where the model gives no answer, with the offline reader."""

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from fetcher import wording
from fetcher.agent.errors import ModelFailed
from fetcher.agent.model import prompts, thread_messages
from fetcher.agent.model.answer import model_answer
from fetcher.agent.model.contract import Block, Model
from fetcher.agent.model.loop import Loop, LoopOutcome
from fetcher.agent.model.page_notes import PageNotes
from fetcher.agent.offline.answering import OfflineAnswering
from fetcher.agent.tools.definitions import DEFINITIONS, FETCH_URL, SEARCH_WEB
from fetcher.agent.tools.open_pages import OpenPages
from fetcher.agent.tools.prefetching import read_links
from fetcher.agent.tools.searches import Searches
from fetcher.agent.tools.toolbox import Toolbox, ToolSettings
from fetcher.agent.values import Answer, AskRequest, Progress
from fetcher.clock import Clock, zone_named
from fetcher.codes import AgentCode
from fetcher.settings import AgentSettings, Settings
from fetcher.web.output.tokens import count

log = logging.getLogger(__name__)

MODEL_SHARE = 0.85
"""The part of the time that the model gets; the rest is left for the offline reader, should it be needed."""
AHEAD_SHARE = 0.25
"""The part of the time in which pages are read before the first call of the model, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswering:
    """The model with what it works with."""

    model: Model
    offline: OfflineAnswering
    settings: AgentSettings
    web: Settings
    tools: ToolSettings
    clock: Clock

    async def answer(
        self,
        request: AskRequest,
        pages: OpenPages,
        searches: Searches | None,
        on_progress: Callable[[Progress], None],
    ) -> Answer:
        """The model's answer; where it gives none, the offline reader's, in the time that is left (A5)."""
        started = asyncio.get_running_loop().time()
        notes = PageNotes(self.model, request.limits)
        toolbox = Toolbox(pages, self.tools, notes, searches)
        outcome = await self._converse(request, pages, toolbox, on_progress)
        cut = (AgentCode.TOKEN_LIMIT,) if notes.cut else ()
        reached = tuple(dict.fromkeys([*outcome.reached, *cut]))
        outcome = replace(outcome, usage=outcome.usage + notes.usage, reached=reached)
        if outcome.spoken or outcome.refused:
            answer = model_answer(outcome, toolbox)
            off = [wording.switched_off()] if self.web.switched_off_by else []
            return replace(answer, undone=(*off, *answer.undone))
        spent = asyncio.get_running_loop().time() - started
        request = request.within(max(1.0, request.limits.seconds - spent))
        made = tuple(toolbox.files)
        answer = await self.offline.answer(request, pages, searches, on_progress, exporting=not made)
        told = [wording.note(code) for code in outcome.reached]
        if answer.sources and told:
            told[-1] = wording.answered_instead(outcome.reached[-1])
        text = answer.text.removesuffix(wording.OFFLINE.no_model()).rstrip() if told else answer.text
        return replace(
            answer,
            text=text if answer.sources else wording.no_answer(),
            files=made or answer.files,
            usage=outcome.usage,
            undone=tuple(dict.fromkeys([*told, *answer.undone, *toolbox.shortfalls])),
        )

    async def _converse(
        self,
        request: AskRequest,
        pages: OpenPages,
        toolbox: Toolbox,
        on_progress: Callable[[Progress], None],
    ) -> LoopOutcome:
        """Run the loop of model and tools; return how it ended, also where time or the model ended it."""
        web, settings = self.web, self.settings
        loop = Loop(
            self.model,
            toolbox,
            request.limits,
            on_progress,
            # Only tools that settings advertise (SRD FR-WF-CFG-PREC-01 to -03).
            tools=tuple(DEFINITIONS[name] for name in toolbox.names if web.advertises(name)),
            system=prompts.SYSTEM
            + (prompts.READING_IS_OFF if web.switched_off_by else "")
            + (prompts.SEARCHING if SEARCH_WEB in toolbox.names else ""),
        )
        today = self.clock.now().astimezone(zone_named(settings.timezone))
        messages, cut = thread_messages.messages(
            request, today=f"{today:%Y-%m-%d}", max_history_tokens=settings.agent_max_history_tokens
        )
        try:
            async with asyncio.timeout(MODEL_SHARE * request.limits.seconds):
                blocks = await self._read_ahead(request, pages, messages)
                await toolbox.show(blocks)
                messages[-1]["content"] = [*blocks, *messages[-1]["content"]]
                outcome = await loop.run(messages)
        except TimeoutError:
            outcome = replace(loop.so_far, reached=(AgentCode.TIME_LIMIT,))
        except ModelFailed as failure:
            fields = {"error_code": failure.code, "correlation_id": request.correlation_id}
            log.warning("model_failed: %s", failure.message, extra={"fields": fields})
            outcome = replace(loop.so_far, reached=(failure.code,))
        return replace(outcome, reached=(AgentCode.TOKEN_LIMIT, *outcome.reached)) if cut else outcome

    async def _read_ahead(
        self, request: AskRequest, pages: OpenPages, messages: Sequence[Block]
    ) -> list[Block]:
        """Read the links of the newest message, where settings and the question's bounds allow it."""
        web, most = self.web, self.settings.agent_prefetch_links
        if web.switched_off_by or not web.advertises(FETCH_URL):
            return []
        wanted, files = thread_messages.to_read_ahead(request), {file.url for file in request.files}
        links = [item for item in wanted.items() if item[0] not in files][: min(most, request.limits.fetches)]
        attached = [item for item in wanted.items() if item[0] in files][: request.limits.fetches]
        used = count(json.dumps(messages, ensure_ascii=False))
        return await read_links(
            pages,
            dict([*attached, *links]),
            self.tools.read,
            seconds=AHEAD_SHARE * request.limits.seconds,
            most_chars=self.tools.page_chars,
            most_tokens=int(thread_messages.QUESTION_SHARE * request.limits.input_tokens) - used,
        )
