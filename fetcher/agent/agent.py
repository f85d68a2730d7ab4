"""A question with links goes in; an answer with sources and files comes out."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from fetcher import wording
from fetcher.agent.errors import QuestionRejected
from fetcher.agent.model import thread_messages
from fetcher.agent.model.answering import ModelAnswering
from fetcher.agent.model.claude import ClaudeModel, open_model
from fetcher.agent.model.contract import Model
from fetcher.agent.model.counted_model import CountedModel
from fetcher.agent.model.scan_reader import ScanReader
from fetcher.agent.offers import offers
from fetcher.agent.offline.answering import OfflineAnswering
from fetcher.agent.safety.provenance import FetchPolicy, Provenance
from fetcher.agent.tools.definitions import SEARCH_WEB
from fetcher.agent.tools.open_pages import OpenPages
from fetcher.agent.tools.searches import Searches, SearchPolicy
from fetcher.agent.tools.toolbox import ToolSettings
from fetcher.agent.values import SHORT_CHARS, Answer, AskRequest, Limits, Progress
from fetcher.agent.web_search.contract import WebSearch
from fetcher.agent.web_search.opening import open_search
from fetcher.clock import Clock, SystemClock
from fetcher.codes import AgentCode
from fetcher.settings import AgentSettings, Settings
from fetcher.turns import for_question, in_turn
from fetcher.web.errors import InvalidScheme
from fetcher.web.pipeline import Pipeline
from fetcher.wording import fixed_ja
from fetcher.wording.language import speaking

OnProgress = Callable[[Progress], None]

_OTHER_SCHEME = re.compile(r"(?<![A-Za-z0-9+.-])(?!https?:)([A-Za-z][A-Za-z0-9+.-]{1,20})://\S")
"""A URL that cannot be read, such as `ftp://host/file`."""


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
        tools = ToolSettings.of(settings, dependencies.web.webfetch)
        self._offline = OfflineAnswering(
            web=dependencies.web.webfetch, files=tools.files, max_files=settings.agent_max_files
        )
        self._with_model = None
        if dependencies.model is not None:
            self._with_model = ModelAnswering(
                model=dependencies.model,
                offline=self._offline,
                settings=settings,
                web=dependencies.web,
                tools=tools,
                clock=dependencies.clock,
            )

    async def ask(self, request: AskRequest, on_progress: OnProgress = lambda _: None) -> Answer:
        """Answer the question; raises QuestionRejected, and can be cancelled at any moment."""
        with speaking(request.language), for_question():
            return await self._ask(request, on_progress)

    async def _ask(self, request: AskRequest, on_progress: OnProgress) -> Answer:
        other = _OTHER_SCHEME.search(request.question)
        if request.labelled and other and not thread_messages.links(request):
            refusal = fixed_ja.labelled_failure(InvalidScheme(scheme=other[1]))
            return Answer(text=refusal, offline=True, answered=False)
        started = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(request.limits.seconds):
                if thread_messages.length(request) <= SHORT_CHARS:  # the threads may all be busy with pages
                    request, provenance = self._with_links(request)
                else:
                    request, provenance = await in_turn(self._with_links, request)
        except TimeoutError:
            note = wording.note(AgentCode.TIME_LIMIT)
            return Answer(text=wording.no_answer(), undone=(note,), offline=True, answered=False)
        if not request.question.strip() and not request.files and not thread_messages.links(request):
            raise QuestionRejected(AgentCode.EMPTY_QUESTION, "The question is empty")
        model = self._dependencies.model and CountedModel(self._dependencies.model, on_progress)
        scans = self._scan_reader(request, model)
        pages = OpenPages(
            self._dependencies.pipeline,
            provenance,
            on_progress,
            files=request.files,
            most_files=request.limits.fetches,
            scans=scans,
        )
        searches = self._searches(request, pages, on_progress)
        spent = asyncio.get_running_loop().time() - started
        request = request.within(max(0.0, request.limits.seconds - spent))
        try:
            if self._with_model is None or model is None:
                answer = await self._offline.answer(request, pages, searches, on_progress)
            elif searches is None and not thread_messages.has_anything_to_read(request):
                return Answer(text=wording.nothing_to_read(), answered=False)
            else:
                counted = replace(self._with_model, model=model)
                answer = await counted.answer(request, pages, searches, on_progress)
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

    def _with_links(self, request: AskRequest) -> tuple[AskRequest, Provenance]:
        """The question with the links that people wrote, and what may be fetched for it."""
        request = replace(request, written=thread_messages.written_links(request))
        fetches = min(self._fetch_policy.max_fetches, request.limits.fetches)
        policy = replace(self._fetch_policy, max_fetches=fetches)
        return request, Provenance(thread_messages.links(request), policy, known=request.known_urls)

    def _scan_reader(self, request: AskRequest, model: Model | None) -> ScanReader | None:
        """What reads scans: the model, where there is one and settings let pages go to it."""
        settings = self._dependencies.settings
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
    web = web.for_unattended()
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
