"""Attempts with growing, random pauses between them, for as long as there is a point and time."""

import logging
from collections.abc import Callable

from fetcher.invoke.context import InvocationContext, InvocationDeadline, RuntimeEnvironment
from fetcher.invoke.errors import InvocationFailed
from fetcher.invoke.reply import AgentReply

log = logging.getLogger(__name__)

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 8.0

Attempt = Callable[[InvocationContext], AgentReply]


def with_retries(
    attempt: Attempt,
    context: InvocationContext,
    deadline: InvocationDeadline,
    surroundings: RuntimeEnvironment,
) -> tuple[AgentReply, InvocationContext]:
    """The first attempt's answer that is one, and its context; raises the last attempt's failure."""
    while True:
        try:
            return attempt(context), context
        except InvocationFailed as failure:
            pause = pause_after(context.attempt, surroundings.random())
            again = _worthwhile(failure, context) and pause < deadline.remaining
            _tell(failure, context, pause if again else None)
            if not again:
                raise
            context = context.after(failure)
        surroundings.sleep(pause)


def pause_after(attempt: int, chance: float) -> float:
    """Twice as long after each attempt; a random half of it keeps callers from coming back together."""
    whole: float = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (attempt - 1))
    return whole * (1 + chance) / 2


def _worthwhile(failure: InvocationFailed, context: InvocationContext) -> bool:
    return failure.tried_again and not failure.begun and context.may_try_again


def _tell(failure: InvocationFailed, context: InvocationContext, pause: float | None) -> None:
    fields = {
        "request_id": context.request_id,
        "attempt": context.attempt,
        "error_type": failure.error_type,
        "error_code": failure.code,
        "detail": failure.detail,
        "begun": failure.begun,
        "pause_seconds": None if pause is None else round(pause, 3),
    }
    log.warning("attempt_failed", extra={"fields": fields})
