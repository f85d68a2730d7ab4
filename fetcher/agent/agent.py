"""A question with links goes in; an answer with sources and files comes out."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from fetcher import messages_ja
from fetcher.agent.errors import ModelFailed, QuestionRejected, ToolRefused
from fetcher.agent.files.answer_files import FilePolicy
from fetcher.agent.model import prompts, thread_messages
from fetcher.agent.model.claude import ClaudeModel, open_model
from fetcher.agent.model.contract import Model
from fetcher.agent.model.loop import Loop, LoopOutcome, has_text
from fetcher.agent.offline.reader import answer_offline
from fetcher.agent.safety.citations import compose
from fetcher.agent.safety.fencing import plain_label
from fetcher.agent.safety.provenance import FetchPolicy, Provenance
from fetcher.agent.safety.sanitising import sanitised
from fetcher.agent.tools import incomplete
from fetcher.agent.tools.open_pages import OpenPages
from fetcher.agent.tools.toolbox import TOOLS, Toolbox, ToolSettings
from fetcher.agent.values import SHORT_CHARS, Answer, AskRequest, Limits, Progress
from fetcher.clock import Clock, SystemClock
from fetcher.codes import AgentCode
from fetcher.settings import AgentSettings, Settings
from fetcher.web.errors import FetchError
from fetcher.web.fetch_url import quick, unhurried
from fetcher.web.pipeline import Pipeline
from fetcher.web.values import FetchedPage

log = logging.getLogger(__name__)

Watch = Callable[[Progress], None]

MODEL_SHARE = 0.85
"""The part of the time that the model gets; the rest is the offline reader's, should it be needed."""

TOLD = frozenset(
    {
        AgentCode.FETCH_LIMIT,
        AgentCode.UNNAMED_HOST_LIMIT,
        AgentCode.FILE_TOO_LARGE,
        AgentCode.FILE_TYPE_NOT_ALLOWED,
        AgentCode.FILE_LIMIT,
        AgentCode.FILE_INVALID,
        AgentCode.DOMAIN_BLOCKED,
    }
)
"""Refusals of tools that the asker should hear of; the others are the model's own business."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentDependencies:
    """What every question uses; one a process."""

    settings: AgentSettings
    web: Settings
    pipeline: Pipeline
    model: Model | None
    clock: Clock


class Agent:
    """Answers questions, with the model where there is one and by reading alone where there is none."""

    def __init__(self, workplace: AgentDependencies) -> None:
        self._place = workplace
        settings = workplace.settings
        self._fetch_policy = FetchPolicy(
            max_fetches=settings.agent_max_fetches,
            max_url_chars=settings.agent_max_url_chars,
            allowed_domains=settings.agent_allowed_domains,
            blocked_domains=settings.agent_blocked_domains,
        )
        self._file_policy = FilePolicy(
            max_bytes=settings.agent_max_file_bytes, types=settings.agent_file_types
        )
        self._tools = ToolSettings(
            web=workplace.web.webfetch, files=self._file_policy, max_files=settings.agent_max_files
        )

    async def ask(self, request: AskRequest, on_progress: Watch = lambda _: None) -> Answer:
        """The answer; raises QuestionRejected, and is cancellable at any moment."""
        if not request.question.strip() and not thread_messages.links(request):
            raise QuestionRejected(AgentCode.EMPTY_QUESTION, "There is no question")
        started = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(request.limits.seconds):
                desk = await self._desk(request, on_progress)
        except TimeoutError:
            return _too_late()
        spent = asyncio.get_running_loop().time() - started
        left = replace(request.limits, seconds=max(0.0, request.limits.seconds - spent))
        request = replace(request, limits=left)
        if self._place.model is None:
            answer = await self._offline(request, desk, on_progress)
        else:
            answer = await self._with_model(self._place.model, request, desk, on_progress)
        return replace(answer, read_urls=desk.read, known_urls=desk.record(answer.text))

    async def aclose(self) -> None:
        """Hangs up; a later question connects anew."""
        if isinstance(self._place.model, ClaudeModel):
            await self._place.model.aclose()

    async def _desk(self, request: AskRequest, on_progress: Watch) -> OpenPages:
        """A desk for the question; where much was said, a thread looks for the links."""
        if thread_messages.length(request) <= SHORT_CHARS:  # the threads may all be busy with pages
            provenance = self._provenance(request)
        else:
            provenance = await asyncio.to_thread(self._provenance, request)
        return OpenPages(self._place.pipeline, provenance, on_progress)

    def _provenance(self, request: AskRequest) -> Provenance:
        fetches = min(self._fetch_policy.max_fetches, request.limits.fetches)
        return Provenance(
            thread_messages.said_by_people(request),
            thread_messages.links(request),
            replace(self._fetch_policy, max_fetches=fetches),
            known=request.known_urls,
        )

    async def _with_model(
        self, model: Model, request: AskRequest, desk: OpenPages, on_progress: Watch
    ) -> Answer:
        started = asyncio.get_running_loop().time()
        toolbox = Toolbox(desk, self._tools)
        loop = self._loop(model, toolbox, request, on_progress)
        outcome = await self._talked(loop, request)
        if outcome.spoken or outcome.stop_reason == "refusal":
            answer = _answer(outcome, toolbox)
            off = [messages_ja.switched_off()] if self._place.web.switched_off_by else []
            return replace(answer, undone=(*off, *answer.undone))
        spent = asyncio.get_running_loop().time() - started
        return await self._instead(request, spent, desk, on_progress, outcome, toolbox)

    def _loop(self, model: Model, toolbox: Toolbox, request: AskRequest, on_progress: Watch) -> Loop:
        """A conversation with the tools that settings advertise (SRD FR-WF-CFG-PREC-01 to -03)."""
        web = self._place.web
        return Loop(
            model,
            toolbox,
            request.limits,
            on_progress,
            tools=tuple(tool.definition for name, tool in TOOLS.items() if web.advertises(name)),
            system=prompts.SYSTEM + (prompts.READING_IS_OFF if web.switched_off_by else ""),
        )

    async def _talked(self, loop: Loop, request: AskRequest) -> LoopOutcome:
        """How the conversation with the model ended, whatever ended it."""
        spoken, cut = thread_messages.messages(
            request,
            today=f"{self._place.clock.now():%Y-%m-%d}",
            max_history_tokens=self._place.settings.agent_max_history_tokens,
        )
        reached: tuple[AgentCode, ...] = (AgentCode.TOKEN_LIMIT,) if cut else ()
        try:
            async with asyncio.timeout(MODEL_SHARE * request.limits.seconds):
                outcome = await loop.run(spoken)
        except TimeoutError:
            outcome = replace(loop.outcome, reached=(AgentCode.TIME_LIMIT,))
        except ModelFailed as failure:
            fields = {"error_code": failure.code, "correlation_id": request.correlation_id}
            log.warning("model_failed: %s", failure.message, extra={"fields": fields})
            content = failure.partial if has_text(failure.partial) else loop.outcome.content
            outcome = replace(loop.outcome, content=content, reached=(failure.code,))
        return replace(outcome, reached=(*reached, *outcome.reached))

    async def _instead(
        self,
        request: AskRequest,
        spent: float,
        desk: OpenPages,
        on_progress: Watch,
        outcome: LoopOutcome,
        toolbox: Toolbox,
    ) -> Answer:
        """The offline reader's answer where the model gave none (A5), in the time that is left."""
        left = replace(request.limits, seconds=max(1.0, request.limits.seconds - spent))
        made = tuple(toolbox.files)
        answer = await self._offline(replace(request, limits=left), desk, on_progress, exporting=not made)
        if not answer.sources:
            answer = replace(answer, text=messages_ja.no_answer())
        notes = [messages_ja.note(code) for code in outcome.reached]
        return replace(
            answer,
            files=made or answer.files,
            usage=outcome.usage,
            undone=tuple(dict.fromkeys([*notes, *answer.undone, *toolbox.shortfalls])),
        )

    async def _offline(
        self, request: AskRequest, desk: OpenPages, on_progress: Watch, *, exporting: bool = True
    ) -> Answer:
        readings, web = thread_messages.links_to_read(request), self._place.web.webfetch

        async def read(url: str) -> FetchedPage:
            """The first reading of an ambiguous link that leads to a page."""
            *first, last = readings[url]
            for reading in first:
                try:
                    return await desk.fetch(reading, quick(web))
                except FetchError:
                    continue
            return await desk.fetch(last, quick(web))

        async def read_more(page: FetchedPage) -> FetchedPage:
            return await desk.fetch(page.requested_url, unhurried(web))

        answer = await answer_offline(
            request,
            read=read,
            read_more=read_more,
            links=list(readings),
            files=self._file_policy,
            phrases=messages_ja.OFFLINE,
            on_progress=on_progress,
            max_files=self._place.settings.agent_max_files,
            exporting=exporting,
        )
        read_urls = {source.url for source in answer.sources}
        return replace(
            answer,
            undone=(*answer.undone, *incomplete.for_people(desk.incomplete)),
            text=sanitised(answer.text, read_urls.__contains__),
            sources=tuple(replace(source, title=plain_label(source.title)) for source in answer.sources),
            answered=bool(answer.sources),
        )


def _too_late() -> Answer:
    """What is said when the time was up before anything could be read."""
    note = messages_ja.note(AgentCode.TIME_LIMIT)
    return Answer(text=messages_ja.no_answer(), undone=(note,), offline=True, answered=False)


def _answer(outcome: LoopOutcome, toolbox: Toolbox) -> Answer:
    text, sources = compose(outcome.content, toolbox.titles)
    codes = [*outcome.reached, *_ending(outcome), *_refused(toolbox.refusals)]
    refused = outcome.stop_reason == "refusal"
    undone = [*map(messages_ja.note, codes), *toolbox.shortfalls]
    return Answer(
        text=text if text.strip() else messages_ja.refused(),
        sources=sources,
        files=tuple(toolbox.files),
        usage=outcome.usage,
        undone=tuple(dict.fromkeys(undone)) if text.strip() else (),
        answered=not refused,
    )


def _ending(outcome: LoopOutcome) -> list[AgentCode]:
    """What the model's own reason for stopping means."""
    meanings = {
        "max_tokens": AgentCode.TOKEN_LIMIT,
        "model_context_window_exceeded": AgentCode.TOKEN_LIMIT,
        "refusal": AgentCode.MODEL_REFUSED,
    }
    return [meanings[outcome.stop_reason]] if outcome.stop_reason in meanings else []


def _refused(refusals: list[ToolRefused]) -> list[AgentCode]:
    return [refusal.code for refusal in refusals if refusal.code in TOLD]


def open_agent(
    settings: AgentSettings,
    web: Settings,
    *,
    pipeline: Pipeline | None = None,
    model: Model | None = None,
    clock: Clock | None = None,
) -> Agent:
    """An agent as the settings describe it; what is given takes the place of what they name.

    It reads pages unattended: raises ConfigurationError where settings want each page to be approved.
    """
    web.require_unattended()
    return Agent(
        AgentDependencies(
            settings=settings,
            web=web,
            pipeline=pipeline or Pipeline(web),
            model=model or open_model(settings),
            clock=clock or SystemClock(),
        )
    )


def limits_of(settings: AgentSettings) -> Limits:
    """What a question may cost, as the settings have it."""
    return Limits(
        turns=settings.agent_max_turns,
        fetches=settings.agent_max_fetches,
        seconds=settings.agent_timeout_seconds,
        output_tokens=settings.agent_max_output_tokens,
        input_tokens=settings.agent_max_input_tokens,
    )
