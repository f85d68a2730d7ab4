"""The answer to one question, for every method that asks: capacity, the agent's errors, a log line.

The agent has a thread and an event loop of its own, since reading pages is work for the processor too. The
server's own loop stays free to answer `/ping`, to refuse and to cancel.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from fetcher import logs, wording
from fetcher.a2a import card
from fetcher.a2a.calls import InvalidParams, NotAnswered
from fetcher.a2a.server import Capacity, NoCapacity
from fetcher.agent import AgentError, Answer, Answerer, AskRequest, Limits, Progress, QuestionRejected
from fetcher.event_loop_thread import EventLoopThread


class AgentThread:
    """An `Answerer` for the server's loop; the agent inside never leaves its thread."""

    def __init__(self, open_agent: Callable[[], Answerer]) -> None:
        self._open_agent = open_agent
        self._agent: Answerer | None = None
        self._thread = EventLoopThread("agent")

    async def ask(
        self, request: AskRequest, on_progress: Callable[[Progress], None] = lambda _: None
    ) -> Answer:
        """The answer; raises QuestionRejected. Cancelling it cancels the work in the other thread."""
        server = asyncio.get_running_loop()

        def report(progress: Progress) -> None:
            server.call_soon_threadsafe(on_progress, progress)

        async def ask_there() -> Answer:
            if self._agent is None:
                self._agent = self._open_agent()
            return await self._agent.ask(request, report)

        return await asyncio.wrap_future(self._thread.submit(ask_there()))

    async def aclose(self) -> None:
        """Cancel what still runs, close the agent and end the thread."""

        async def close_agent() -> None:
            if self._agent is not None:
                await self._agent.aclose()

        await asyncio.to_thread(self._thread.close, close_agent)


log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAnswering:
    """Which agent answers, how many questions at a time, and what each may cost."""

    agent: Answerer
    capacity: Capacity
    limits: Limits

    def reserve(self) -> AbstractContextManager[None]:
        """Capacity for one question, for as long as the block runs; raises NotAnswered if there is none."""
        try:
            return self.capacity.take()
        except NoCapacity:
            log.warning("a2a_busy")
            raise NotAnswered(card.busy(), {"reason": "busy", "retryable": True}) from None

    async def answer(self, request: AskRequest, on_progress: Callable[[Progress], None]) -> Answer:
        """The answer; raises CallFailed with a message to people, and is cancellable."""
        started = time.monotonic()
        outcome = "cancelled"
        try:
            answer = await self.agent.ask(request, on_progress)
            outcome = "answered" if answer.answered else "not_answered"
            return answer
        except QuestionRejected as error:
            outcome = "failed"
            raise InvalidParams(wording.note(error.code), {"reason": error.code}) from None
        except AgentError as error:
            outcome = "failed"
            data: dict[str, Any] = {"reason": error.code, "retryable": error.retryable}
            raise NotAnswered(wording.note(error.code), data) from None
        except Exception as error:  # noqa: BLE001 - the rim: a defect of ours becomes an answer, and is logged
            outcome = "failed"
            fields = {"correlation_id": request.correlation_id} | logs.defect(error)
            log.error("a2a_question_failed", extra={"fields": fields})
            raise NotAnswered(card.failed(), {"reason": "internal"}) from None
        finally:
            seconds = round(time.monotonic() - started, 3)
            fields = {"correlation_id": request.correlation_id, "outcome": outcome, "seconds": seconds}
            log.info("a2a_question", extra={"fields": fields})
