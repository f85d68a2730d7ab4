"""A question with links goes in; an answer with sources and files comes out."""

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from fetcher import wording
from fetcher.agent.errors import ModelFailed, QuestionRejected
from fetcher.agent.model import prompts, thread_messages
from fetcher.agent.model.answer import model_answer
from fetcher.agent.model.claude import ClaudeModel, open_model
from fetcher.agent.model.contract import Block, Model
from fetcher.agent.model.loop import Loop, LoopOutcome
from fetcher.agent.model.page_notes import PageNotes
from fetcher.agent.model.scan_reader import ScanReader
from fetcher.agent.offers import offers
from fetcher.agent.offline.answering import OfflineAnswering
from fetcher.agent.safety.provenance import FetchPolicy, Provenance
from fetcher.agent.tools.definitions import DEFINITIONS, FETCH_URL, SEARCH_WEB
from fetcher.agent.tools.open_pages import OpenPages
from fetcher.agent.tools.prefetching import read_links
from fetcher.agent.tools.searches import Searches, SearchPolicy
from fetcher.agent.tools.toolbox import Toolbox, ToolSettings
from fetcher.agent.values import SHORT_CHARS, Answer, AskRequest, Limits, Progress
from fetcher.agent.web_search.contract import WebSearch
from fetcher.agent.web_search.opening import open_search
from fetcher.clock import Clock, SystemClock, zone_named
from fetcher.codes import AgentCode
from fetcher.settings import AgentSettings, Settings
from fetcher.web.output.tokens import count
from fetcher.web.pipeline import Pipeline
from fetcher.wording.language import speaking

log = logging.getLogger(__name__)

OnProgress = Callable[[Progress], None]

MODEL_SHARE = 0.85
"""The part of the time that the model gets; the rest is left for the offline reader, should it be needed."""
AHEAD_SHARE = 0.25
"""The part of the time in which pages are read before the first call of the model, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentDependencies:
    """Collaborators that every question shares; one instance per process."""

    settings: AgentSettings
    web: Settings
    pipeline: Pipeline
    model: Model | None
    search: WebSearch | None = None
    clock: Clock


class Agent:
    """Answers questions with the model, or with the offline reader if no model is set."""

    def __init__(self, dependencies: AgentDependencies) -> None:
        self._dependencies = dependencies
        settings = dependencies.settings
        self._fetch_policy = FetchPolicy.of(settings)
        self._tools = ToolSettings.of(settings, dependencies.web.webfetch)
        self._offline = OfflineAnswering(
            web=dependencies.web.webfetch, files=self._tools.files, max_files=settings.agent_max_files
        )

    async def ask(self, request: AskRequest, on_progress: OnProgress = lambda _: None) -> Answer:
        """Answer the question; raises QuestionRejected, and can be cancelled at any moment."""
        with speaking(request.language):
            return await self._ask(request, on_progress)

    async def _ask(self, request: AskRequest, on_progress: OnProgress) -> Answer:
        if not request.question.strip() and not request.files and not thread_messages.links(request):
            raise QuestionRejected(AgentCode.EMPTY_QUESTION, "The question is empty")
        started = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(request.limits.seconds):
                if thread_messages.length(request) <= SHORT_CHARS:  # the threads may all be busy with pages
                    provenance = self._provenance(request)
                else:
                    provenance = await asyncio.to_thread(self._provenance, request)
        except TimeoutError:
            note = wording.note(AgentCode.TIME_LIMIT)
            return Answer(text=wording.no_answer(), undone=(note,), offline=True, answered=False)
        scans = self._scan_reader(request)
        pages = OpenPages(
            self._dependencies.pipeline, provenance, on_progress, files=request.files, scans=scans
        )
        searches = self._searches(request, pages, on_progress)
        request = _with_time_left(request, started, least=0.0)
        try:
            if self._dependencies.model is None:
                answer = await self._offline.answer(request, pages, searches, on_progress)
            elif searches is None and not thread_messages.has_anything_to_read(request):
                return Answer(text=wording.nothing_to_read(), answered=False)
            else:
                answer = await self._answer_with_model(
                    self._dependencies.model, request, pages, searches, on_progress
                )
        finally:
            await pages.aclose()
        if scans:
            answer = replace(answer, usage=answer.usage + scans.usage)
        if searches:
            usage = answer.usage + searches.usage
            answer = replace(answer, usage=usage, searches=tuple(searches.queries))
        files = {file.url for file in request.files}
        return replace(
            answer,
            read_urls=provenance.read,
            known_urls=provenance.record(answer.text),
            offers=offers(answer, pages.documents, files),
        )

    async def aclose(self) -> None:
        """Close the connection to the model; a later question connects anew."""
        if isinstance(self._dependencies.model, ClaudeModel):
            await self._dependencies.model.aclose()

    def _provenance(self, request: AskRequest) -> Provenance:
        fetches = min(self._fetch_policy.max_fetches, request.limits.fetches)
        return Provenance(
            thread_messages.said_by_people(request),
            thread_messages.links(request),
            replace(self._fetch_policy, max_fetches=fetches),
            known=request.known_urls,
        )

    def _scan_reader(self, request: AskRequest) -> ScanReader | None:
        """What reads scans: the model, where there is one and settings let pages go to it."""
        model, settings = self._dependencies.model, self._dependencies.settings
        if model is None or not settings.agent_scan_pages:
            return None
        return ScanReader(
            model,
            request.limits,
            pages=settings.agent_scan_pages,
            most_bytes=settings.agent_scan_bytes,
            correlation_id=request.correlation_id,
        )

    def _searches(self, request: AskRequest, pages: OpenPages, on_progress: OnProgress) -> Searches | None:
        """The searches of a question; None where settings or the caller let no words leave."""
        provider, settings = self._dependencies.search, self._dependencies.settings
        web = self._dependencies.web
        if provider is None or not request.search or web.switched_off_by or not web.advertises(SEARCH_WEB):
            return None
        languages, results = settings.search_languages, settings.search_results
        return Searches(
            SearchPolicy(provider=provider, languages=languages, results=results),
            pages.provenance,
            lambda: [*thread_messages.said_by_others(request), *pages.file_texts],
            on_progress,
        )

    async def _answer_with_model(
        self,
        model: Model,
        request: AskRequest,
        pages: OpenPages,
        searches: Searches | None,
        on_progress: OnProgress,
    ) -> Answer:
        """The model's answer; where it gives none, the offline reader's, in the time that is left (A5)."""
        started = asyncio.get_running_loop().time()
        notes = PageNotes(model, request.limits)
        toolbox = Toolbox(pages, self._tools, notes, searches)
        outcome = await self._converse(model, request, pages, toolbox, on_progress)
        cut = (AgentCode.TOKEN_LIMIT,) if notes.cut else ()
        reached = tuple(dict.fromkeys([*outcome.reached, *cut]))
        outcome = replace(outcome, usage=outcome.usage + notes.usage, reached=reached)
        if outcome.spoken or outcome.refused:
            answer = model_answer(outcome, toolbox)
            off = [wording.switched_off()] if self._dependencies.web.switched_off_by else []
            return replace(answer, undone=(*off, *answer.undone))
        request = _with_time_left(request, started, least=1.0)
        made = tuple(toolbox.files)
        answer = await self._offline.answer(request, pages, searches, on_progress, exporting=not made)
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
        model: Model,
        request: AskRequest,
        pages: OpenPages,
        toolbox: Toolbox,
        on_progress: OnProgress,
    ) -> LoopOutcome:
        """Run the loop of model and tools; return how it ended, also where time or the model ended it."""
        web, settings = self._dependencies.web, self._dependencies.settings
        loop = Loop(
            model,
            toolbox,
            request.limits,
            on_progress,
            # Only tools that settings advertise (SRD FR-WF-CFG-PREC-01 to -03).
            tools=tuple(DEFINITIONS[name] for name in toolbox.names if web.advertises(name)),
            system=prompts.SYSTEM
            + (prompts.READING_IS_OFF if web.switched_off_by else "")
            + (prompts.SEARCHING if SEARCH_WEB in toolbox.names else ""),
        )
        today = self._dependencies.clock.now().astimezone(zone_named(settings.timezone))
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
        web, most = self._dependencies.web, self._dependencies.settings.agent_prefetch_links
        if web.switched_off_by or not web.advertises(FETCH_URL):
            return []
        wanted, files = thread_messages.to_read_ahead(request), {file.url for file in request.files}
        links = [item for item in wanted.items() if item[0] not in files][: min(most, request.limits.fetches)]
        attached = [item for item in wanted.items() if item[0] in files]
        used = count(json.dumps(messages, ensure_ascii=False))
        return await read_links(
            pages,
            dict([*attached, *links]),
            self._tools.read,
            seconds=AHEAD_SHARE * request.limits.seconds,
            most_chars=self._tools.page_chars,
            most_tokens=int(thread_messages.QUESTION_SHARE * request.limits.input_tokens) - used,
        )


def _with_time_left(request: AskRequest, started: float, *, least: float) -> AskRequest:
    """The request with the seconds that are left of its limit since `started`."""
    spent = asyncio.get_running_loop().time() - started
    return replace(
        request, limits=replace(request.limits, seconds=max(least, request.limits.seconds - spent))
    )


def open_agent(
    settings: AgentSettings,
    web: Settings,
    *,
    pipeline: Pipeline | None = None,
    model: Model | None = None,
    search: WebSearch | None = None,
    clock: Clock | None = None,
) -> Agent:
    """An agent as the settings describe it; collaborators that are given replace those of the settings.

    It reads pages unattended: raises ConfigurationError where settings want each page to be approved.
    """
    web.require_unattended()
    return Agent(
        AgentDependencies(
            settings=settings,
            web=web,
            pipeline=pipeline or Pipeline(web),
            model=model or open_model(settings),
            search=search or open_search(settings, proxies=web.webfetch.http.use_system_proxy),
            clock=clock or SystemClock(),
        )
    )


def limits_of(settings: AgentSettings) -> Limits:
    """What a question may cost, according to the settings."""
    return Limits(
        turns=settings.agent_max_turns,
        fetches=settings.agent_max_fetches,
        seconds=settings.agent_timeout_seconds,
        output_tokens=settings.agent_max_output_tokens,
        input_tokens=settings.agent_max_input_tokens,
    )
