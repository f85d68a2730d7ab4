"""One question's work, whichever method asked for it: a place, the answer, and a log line."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from fetcher import logs, messages_ja
from fetcher.a2a import card
from fetcher.a2a.errors import CallFailed, InvalidParams, NotAnswered
from fetcher.a2a.tasks.capacity import Capacity, NoCapacity
from fetcher.agent import AgentError, Answer, Answerer, AskRequest, Limits, Progress, QuestionRejected

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAnswering:
    """Who answers, how many questions at a time, and what each may cost."""

    agent: Answerer
    places: Capacity
    limits: Limits

    @contextmanager
    def place(self) -> Iterator[None]:
        """A place to work in; raises NotAnswered where there is none."""
        try:
            taken = self.places.taken()
        except NoCapacity:
            log.warning("a2a_busy")
            raise NotAnswered(card.busy(), {"reason": "busy", "retryable": True}) from None
        with taken:
            yield

    async def answer(self, request: AskRequest, on_progress: Callable[[Progress], None]) -> Answer:
        """The answer; raises CallFailed with a Japanese message, and is cancellable."""
        started = time.monotonic()
        outcome = "cancelled"
        try:
            answer = await self._asked(request, on_progress)
            outcome = "answered" if answer.answered else "not_answered"
            return answer
        except CallFailed:
            outcome = "failed"
            raise
        finally:
            _log(request, outcome, time.monotonic() - started)

    async def _asked(self, request: AskRequest, on_progress: Callable[[Progress], None]) -> Answer:
        try:
            return await self.agent.ask(request, on_progress)
        except QuestionRejected as error:
            raise InvalidParams(messages_ja.note(error.code), {"reason": error.code}) from None
        except AgentError as error:
            data: dict[str, Any] = {"reason": error.code, "retryable": error.retryable}
            raise NotAnswered(messages_ja.note(error.code), data) from None
        except Exception as error:  # noqa: BLE001 - the rim: a defect of ours becomes an answer, and is logged
            fields = {"correlation_id": request.correlation_id} | logs.defect(error)
            log.error("a2a_question_failed", extra={"fields": fields})
            raise NotAnswered(card.failed(), {"reason": "internal"}) from None


def _log(request: AskRequest, outcome: str, seconds: float) -> None:
    fields = {"correlation_id": request.correlation_id, "outcome": outcome, "seconds": round(seconds, 3)}
    log.info("a2a_question", extra={"fields": fields})
