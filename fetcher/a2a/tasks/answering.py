"""The answer to one question, for every method that asks: capacity, the agent's errors, a log line."""

import logging
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from fetcher import logs, wording
from fetcher.a2a import card
from fetcher.a2a.errors import InvalidParams, NotAnswered
from fetcher.a2a.tasks.capacity import Capacity, NoCapacity
from fetcher.agent import AgentError, Answer, Answerer, AskRequest, Limits, Progress, QuestionRejected

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
