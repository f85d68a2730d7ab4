"""A question with links goes in; an answer with sources and files comes out."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from fetcher import messages_ja
from fetcher.agent import conversation
from fetcher.agent.citations import compose
from fetcher.agent.claude import open_model
from fetcher.agent.desk import Desk
from fetcher.agent.errors import ModelFailed, QuestionRejected, ToolRefused
from fetcher.agent.files import FilePolicy
from fetcher.agent.loop import Loop, Outcome
from fetcher.agent.model import Model
from fetcher.agent.offline import answer_offline
from fetcher.agent.provenance import FetchPolicy, Provenance
from fetcher.agent.tools import Toolbox, ToolSettings
from fetcher.agent.values import Answer, AskRequest, Limits, Progress
from fetcher.clock import Clock, SystemClock
from fetcher.codes import AgentCode
from fetcher.settings import AgentSettings, Settings
from fetcher.web.fetch_url import QUICK
from fetcher.web.pipeline import Pipeline

log = logging.getLogger(__name__)

Watch = Callable[[Progress], None]

TOLD = frozenset(
    {
        AgentCode.FETCH_LIMIT,
        AgentCode.FILE_TOO_LARGE,
        AgentCode.FILE_TYPE_NOT_ALLOWED,
        AgentCode.FILE_LIMIT,
        AgentCode.FILE_INVALID,
        AgentCode.DOMAIN_BLOCKED,
    }
)
"""Refusals of tools that the asker should hear of; the others are the model's own business."""


LEAST_SECONDS = 10.0
"""What reading a page without the model is given, however late the model failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workplace:
    """What every question uses; one a process."""

    settings: AgentSettings
    web: Settings
    pipeline: Pipeline
    model: Model | None
    clock: Clock


class Agent:
    """Answers questions, with the model where there is one and by reading alone where there is none."""

    def __init__(self, workplace: Workplace) -> None:
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
        if not request.question.strip() and not conversation.links(request):
            raise QuestionRejected(AgentCode.EMPTY_QUESTION, "There is no question")
        desk = self._desk(request, on_progress)
        if self._place.model is None:
            return await self._offline(request, desk, on_progress)
        return await self._with_model(self._place.model, request, desk, on_progress)

    def _desk(self, request: AskRequest, on_progress: Watch) -> Desk:
        policy = replace(
            self._fetch_policy, max_fetches=min(self._fetch_policy.max_fetches, request.limits.fetches)
        )
        provenance = Provenance(
            conversation.said_by_people(request),
            conversation.links(request),
            policy,
            answers=conversation.said_by_us(request),
        )
        return Desk(self._place.pipeline, provenance, on_progress)

    async def _with_model(self, model: Model, request: AskRequest, desk: Desk, on_progress: Watch) -> Answer:
        started = asyncio.get_running_loop().time()
        toolbox = Toolbox(desk, self._tools)
        loop = Loop(model, toolbox, request.limits, on_progress)
        spoken = conversation.messages(
            request,
            today=f"{self._place.clock.now():%Y-%m-%d}",
            max_history_tokens=self._place.settings.agent_max_history_tokens,
        )
        try:
            async with asyncio.timeout(request.limits.seconds):
                outcome = await loop.run(spoken)
        except TimeoutError:
            outcome = replace(loop.outcome, reached=(AgentCode.TIME_LIMIT,))
        except ModelFailed as failure:
            log.warning("model_failed", extra={"fields": {"error_code": failure.code}})
            if not loop.outcome.content:
                spent = asyncio.get_running_loop().time() - started
                return await self._instead(_shortened(request, spent), desk, on_progress, failure)
            outcome = replace(loop.outcome, reached=(failure.code,))
        return _answer(outcome, toolbox, desk)

    async def _instead(self, request: AskRequest, desk: Desk, on_progress: Watch, why: ModelFailed) -> Answer:
        """The offline reader's answer where the model gave none (A5)."""
        answer = await self._offline(request, desk, on_progress)
        return replace(answer, undone=(messages_ja.note(why.code), *answer.undone))

    async def _offline(self, request: AskRequest, desk: Desk, on_progress: Watch) -> Answer:
        return await answer_offline(
            request,
            read=lambda url: desk.fetch(url, QUICK),
            links=conversation.links(request),
            files=self._file_policy,
            say=messages_ja.OFFLINE,
            on_progress=on_progress,
            max_files=self._place.settings.agent_max_files,
        )


def _shortened(request: AskRequest, spent: float) -> AskRequest:
    """The same question with the time that is left for it, and enough of that to read a page."""
    seconds = max(request.limits.seconds - spent, LEAST_SECONDS)
    return replace(request, limits=replace(request.limits, seconds=seconds))


def _answer(outcome: Outcome, toolbox: Toolbox, desk: Desk) -> Answer:
    text, sources = compose(outcome.content, desk.titles)
    codes = [*outcome.reached, *_ending(outcome), *_refused(toolbox.refusals)]
    if not text.strip():
        text = messages_ja.refused() if outcome.stop_reason == "refusal" else messages_ja.no_answer()
    return Answer(
        text=text,
        sources=sources,
        files=tuple(toolbox.files),
        usage=outcome.usage,
        undone=tuple(dict.fromkeys(messages_ja.note(code) for code in codes)),
    )


def _ending(outcome: Outcome) -> list[AgentCode]:
    """What the model's own reason for stopping means."""
    cut = {"max_tokens", "model_context_window_exceeded"}
    return [AgentCode.TOKEN_LIMIT] if outcome.stop_reason in cut else []


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
    """An agent as the settings describe it; what is given takes the place of what they name."""
    return Agent(
        Workplace(
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
