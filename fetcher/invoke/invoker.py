"""One event from beginning to end; every caller that waits gets an answer.

event ─▶ source ─▶ payload ─▶ request ─▶ backend, within the time that is left, again where it is worth it
                                                                             │
answer ◀─ envelope ◀─ success or error, with metadata ◀─ reply or failure ◀──┘
"""

import json
import logging
import random
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from fetcher import logs
from fetcher.clock import Clock, SystemClock
from fetcher.invoke import response
from fetcher.invoke.backends.contract import AgentCall, Backend, invoke_within_time
from fetcher.invoke.request import (
    AGENT_ID,
    HTTP,
    LONGEST_SECONDS,
    AgentInvocationRequest,
    EventSource,
    Payload,
    payload_of,
    source_of,
)
from fetcher.invoke.response import AgentReply, InvocationFailed, Unclassified
from fetcher.invoke.settings import BackendSettings, InvokeSettings
from fetcher.settings import ConfigurationError

log = logging.getLogger(__name__)

ANSWERING_SECONDS = 1.0
"""The part of the function's own time that is reserved for the answer."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8.0
MISCONFIGURED = "The function is not set up for this agent. See its log."
UNFORESEEN = "The function failed in an unforeseen way. See its log."


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeEnvironment:
    """Time, chance and sleep as arguments, so that tests can set them."""

    clock: Clock = field(default_factory=SystemClock)
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random
    new_id: Callable[[], str] = lambda: str(uuid.uuid4())


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationConfig:
    """The settings of one invocation, within what its source and the remaining time allow."""

    timeout: float
    max_retries: int = 0
    log_level: str = "INFO"


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationContext:
    """The document's InvocationContext: each attempt sees its own."""

    request_id: str
    source: EventSource
    start_time: float
    started: float
    """The same moment on the monotonic clock."""
    config: InvocationConfig
    attempt: int = 1
    errors: tuple[InvocationFailed, ...] = ()


class NoAnswer(Exception):
    """An event from EventBridge that failed; its text is the error as JSON.

    Nothing reads what the function returns for it. A function that raises has Lambda send the event and this
    error to the place for failures.
    """


class Invoker:
    """Answers events. It raises NoAnswer for those whose sender does not wait, and nothing else."""

    def __init__(
        self,
        load_settings: Callable[[], InvokeSettings],
        open_backend: Callable[[BackendSettings], Backend],
        environment: RuntimeEnvironment,
    ) -> None:
        self._load_settings = load_settings
        self._open_backend = open_backend
        self._environment = environment

    def answer(self, event: Any, lambda_context: Any) -> dict[str, Any]:
        """The answer, in the form that the event's source understands; raises NoAnswer."""
        source = source_of(event)
        left = getattr(lambda_context, "get_remaining_time_in_millis", None)
        seconds = [LONGEST_SECONDS[source]] + ([left() / 1000 - ANSWERING_SECONDS] if left else [])
        context = InvocationContext(
            request_id=getattr(lambda_context, "aws_request_id", None) or self._environment.new_id(),
            source=source,
            start_time=self._environment.clock.now().timestamp(),
            started=self._environment.monotonic(),
            config=InvocationConfig(timeout=max(0.0, min(seconds))),
        )
        payload: Payload = {}
        try:
            payload = payload_of(event, source)
            return self._serve(payload, context)
        except InvocationFailed as error:
            failure = error
        except ConfigurationError as error:
            log.error("misconfigured: %s", error, extra={"fields": {"request_id": context.request_id}})
            failure = Unclassified(MISCONFIGURED)
        except Exception as error:  # noqa: BLE001 - the outermost rim: the caller gets an answer in any case
            fields = {"request_id": context.request_id} | logs.defect(error)
            log.error("unforeseen", extra={"fields": fields})
            failure = Unclassified(UNFORESEEN)
        outcome = {"status": "error", "error_type": failure.error_type, "error_code": failure.code}
        self._log_end(payload, context, outcome)
        told = response.error(failure, self._metadata(payload, context))
        body = response.enveloped(told, failure.status, http=source in HTTP)
        if source is EventSource.EVENTBRIDGE and "detail-type" in event:  # from EventBridge itself
            raise NoAnswer(json.dumps(body, ensure_ascii=False))
        return body

    def _serve(self, payload: Payload, context: InvocationContext) -> response.Body:
        """Ask the agent; the success that its reply becomes. Raises InvocationFailed."""
        request = AgentInvocationRequest.from_payload(payload)
        settings = self._load_settings()
        config = InvocationConfig(
            timeout=min(request.timeout, context.config.timeout),
            max_retries=request.max_retries,
            log_level=settings.invoke_log_level,
        )
        backend = self._open_backend(settings.backend_of(request.agent_id))
        session_id = request.session_id or self._environment.new_id()
        reply, context = self._ask(backend, request, session_id, replace(context, config=config))
        body = response.success(
            reply,
            self._metadata(payload, context),
            session_id=session_id,
            milliseconds=self._milliseconds(context),
        )
        is_event = context.source is EventSource.EVENTBRIDGE
        largest = response.LARGEST_RECORD if is_event else response.LARGEST_RESPONSE
        answer, left_out = response.fitted(body, largest, http=context.source in HTTP)
        for name in (*reply.missing, *left_out):
            fields = {"request_id": context.request_id, "missing": name, "left_out": name in left_out}
            log.warning("partial_response", extra={"fields": fields})
        usage = body["metadata"].get("tokenUsage")
        outcome = {"status": "success", "attempts": context.attempt, "token_usage": usage}
        self._log_end(payload, context, outcome)
        return answer

    def _ask(
        self, backend: Backend, request: AgentInvocationRequest, session_id: str, context: InvocationContext
    ) -> tuple[AgentReply, InvocationContext]:
        """The reply of the first attempt that has one, and its context; raises the last attempt's failure.

        Between attempts are growing, random pauses, while another attempt can help and there is time.
        """
        while True:
            seconds = self._seconds_left(context)
            call = AgentCall(
                request=request, session_id=session_id, request_id=context.request_id, seconds=seconds
            )
            try:
                return invoke_within_time(backend, call), context
            except InvocationFailed as failure:
                pause = pause_after(context.attempt, self._environment.random())
                may_help = failure.tried_again and not failure.begun
                is_left = context.attempt <= context.config.max_retries and pause < self._seconds_left(
                    context
                )
                again = may_help and is_left
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
                context = replace(context, attempt=context.attempt + 1, errors=(*context.errors, failure))
            self._environment.sleep(pause)

    def _seconds_left(self, context: InvocationContext) -> float:
        return max(0.0, context.started + context.config.timeout - self._environment.monotonic())

    def _milliseconds(self, context: InvocationContext) -> int:
        return round((self._environment.monotonic() - context.started) * 1000)

    def _metadata(self, payload: Payload, context: InvocationContext) -> response.Body:
        return response.metadata(context.request_id, self._environment.clock.now(), payload.get("agentId"))

    def _log_end(self, payload: Payload, context: InvocationContext, outcome: dict[str, Any]) -> None:
        agent_id = payload.get("agentId")
        is_id = isinstance(agent_id, str) and AGENT_ID.fullmatch(agent_id)
        fields = {
            "request_id": context.request_id,
            "source": context.source,
            "agent_id": agent_id if is_id else None,  # other values may be anything, and are not logged
            "execution_ms": self._milliseconds(context),
        }
        log.info("invocation_ended", extra={"fields": fields | outcome})


def pause_after(attempt: int, chance: float) -> float:
    """Twice as long after each attempt; a random half of it keeps callers from coming back together."""
    whole: float = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (attempt - 1))
    return whole * (1 + chance) / 2
