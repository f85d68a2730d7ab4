"""Attempts with growing, random pauses between them, while another can help and there is time."""

import logging
from collections.abc import Callable

from fetcher.invoke.context import InvocationContext, InvocationDeadline, RuntimeEnvironment
from fetcher.invoke.errors import InvocationFailed
from fetcher.invoke.reply import AgentReply

log = logging.getLogger(__name__)

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 8.0

Attempt = Callable[[InvocationContext], AgentReply]


def run_with_retries(
    attempt: Attempt,
    context: InvocationContext,
    deadline: InvocationDeadline,
    environment: RuntimeEnvironment,
) -> tuple[AgentReply, InvocationContext]:
    """The reply of the first attempt that has one, and its context; raises the last attempt's failure."""
    while True:
        try:
            return attempt(context), context
        except InvocationFailed as failure:
            pause = pause_after(context.attempt, environment.random())
            may_help = failure.tried_again and not failure.begun
            again = may_help and context.attempt <= context.config.max_retries and pause < deadline.remaining
            fields = {
                "request_id": context.request_id,
                "attempt": context.attempt,
                "error_type": failure.error_type,
                "error_code": failure.code,
                "detail": failure.detail,
                "begun": failure.begun,
                "pause_seconds": round(pause, 3) if again else None,
            }
            log.warning("attempt_failed", extra={"fields": fields})
            if not again:
                raise
            context = context.after(failure)
        environment.sleep(pause)


def pause_after(attempt: int, chance: float) -> float:
    """Twice as long after each attempt; a random half of it keeps callers from coming back together."""
    whole: float = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (attempt - 1))
    return whole * (1 + chance) / 2
