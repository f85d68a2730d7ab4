"""The answer to one question, for every method that asks: capacity, the agent's errors, a log line.

The agent has a thread and an event loop of its own, since reading pages is work for the processor too. The
server's own loop stays free to answer `/ping`, to refuse and to cancel.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from fetcher import logs, wording
from fetcher.a2a import card
from fetcher.a2a.calls import InvalidParams, NotAnswered
from fetcher.agent import AgentError, Answer, Answerer, AskRequest, Limits, Progress, QuestionRejected
from fetcher.clock import Clock
from fetcher.event_loop_thread import EventLoopThread

log = logging.getLogger(__name__)


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


class Capacity:
    """A bounded number of questions; a question above it is refused at once and does not wait."""

    def __init__(self, most: int, clock: Clock) -> None:
        self._most = most
        self._clock = clock
        self._changed_at = clock.now()
        self._running = 0
        self._closed = False
        self._free = asyncio.Event()
        self._free.set()

    @contextmanager
    def take(self) -> Iterator[None]:
        """Count a question for as long as the block runs; raises NotAnswered if there is no room for it."""
        if self._closed or self._running >= self._most:
            log.warning("a2a_busy")
            raise NotAnswered(card.busy(), {"reason": "busy", "retryable": True})
        self._count(+1)
        try:
            yield
        finally:
            self._count(-1)

    def close(self) -> None:
        """Admit no more questions."""
        self._closed = True

    async def wait_until_free(self, seconds: float) -> None:
        """Wait until no question runs any more, at most so long."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._free.wait(), seconds)

    @property
    def health(self) -> dict[str, Any]:
        """The body of `/ping`, as AgentCore wants it."""
        status = "HealthyBusy" if self._running else "Healthy"
        return {"status": status, "time_of_last_update": int(self._changed_at.timestamp())}

    def _count(self, change: int) -> None:
        self._running += change
        if self._running in (0, 1):
            self._changed_at = self._clock.now()
        if self._running:
            self._free.clear()
        else:
            self._free.set()


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAnswering:
    """Which agent answers, how many questions at a time, and what each may cost."""

    agent: Answerer
    capacity: Capacity
    limits: Limits

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
