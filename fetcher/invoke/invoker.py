"""One event from beginning to end; every caller that waits gets an answer.

event ─▶ source ─▶ payload ─▶ request ─▶ backend, within the time that is left, again where it is worth it
                                                                             │
answer ◀─ envelope ◀─ success or error, with metadata ◀─ reply or failure ◀──┘
"""

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from fetcher import logs
from fetcher.invoke import response
from fetcher.invoke.backends.contract import AgentCall
from fetcher.invoke.backends.selection import BackendSelection
from fetcher.invoke.context import InvocationConfig, InvocationContext, InvocationDeadline, RuntimeEnvironment
from fetcher.invoke.errors import InvocationFailed, Unclassified
from fetcher.invoke.events import LONGEST_SECONDS, EventSource, Payload, payload_of, source_of
from fetcher.invoke.reply import AgentReply
from fetcher.invoke.request import AGENT_ID, AgentInvocationRequest
from fetcher.invoke.retry import run_with_retries
from fetcher.invoke.time_limit import run_within
from fetcher.settings import ConfigurationError

log = logging.getLogger(__name__)

ANSWERING_SECONDS = 1.0
"""The part of the function's own time that is reserved for the answer."""
MISCONFIGURED = "The function is not set up for this agent. See its log."
UNFORESEEN = "The function failed in an unforeseen way. See its log."
TOO_LARGE = "The agent's answer is larger than Lambda can return. Ask for less."


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One event, as it came in."""

    source: EventSource
    request_id: str
    started: float
    """On the monotonic clock."""
    start_time: float
    seconds: float
    """The most that source and platform allow."""


class NoAnswer(Exception):
    """An event from EventBridge that failed; its text is the error as JSON.

    Nothing reads what the function returns for it. A function that raises has Lambda send the event and this
    error to the place for failures.
    """


class Invoker:
    """Answers events. It raises NoAnswer for those whose sender does not wait, and nothing else."""

    def __init__(
        self, open_selection: Callable[[], BackendSelection], environment: RuntimeEnvironment
    ) -> None:
        self._open_selection = open_selection
        self._environment = environment

    def answer(self, event: Any, lambda_context: Any) -> dict[str, Any]:
        """The answer, in the form that the event's source understands; raises NoAnswer."""
        source = source_of(event)
        left = getattr(lambda_context, "get_remaining_time_in_millis", None)
        seconds = [LONGEST_SECONDS[source]] + ([left() / 1000 - ANSWERING_SECONDS] if left else [])
        invocation = Invocation(
            source=source,
            request_id=getattr(lambda_context, "aws_request_id", None) or self._environment.new_id(),
            started=self._environment.monotonic(),
            start_time=self._environment.clock.now().timestamp(),
            seconds=max(0.0, min(seconds)),
        )
        payload: Payload = {}
        try:
            payload = payload_of(event, source)
            return response.enveloped(self._serve(payload, invocation), source)
        except InvocationFailed as error:
            failure = error
        except ConfigurationError as error:
            log.error("misconfigured: %s", error, extra={"fields": {"request_id": invocation.request_id}})
            failure = Unclassified(MISCONFIGURED)
        except Exception as error:  # noqa: BLE001 - the outermost rim: the caller gets an answer in any case
            fields = {"request_id": invocation.request_id} | logs.defect(error)
            log.error("unforeseen", extra={"fields": fields})
            failure = Unclassified(UNFORESEEN)
        outcome = {"status": "error", "error_type": failure.error_type, "error_code": failure.code}
        self._log_end(payload, invocation, outcome)
        body = response.enveloped(
            response.error(failure, self._metadata(payload, invocation)), source, failure.status
        )
        if source is EventSource.EVENTBRIDGE and "detail-type" in event:  # from EventBridge itself
            raise NoAnswer(json.dumps(body, ensure_ascii=False))
        return body

    def _serve(self, payload: Payload, invocation: Invocation) -> response.Body:
        """Ask the agent; the success that its reply becomes. Raises InvocationFailed."""
        request = AgentInvocationRequest.from_payload(payload)
        selection = self._open_selection()
        config = InvocationConfig(
            timeout=min(request.timeout, invocation.seconds),
            max_retries=request.max_retries,
            log_level=selection.settings.invoke_log_level,
        )
        context = InvocationContext(
            request_id=invocation.request_id, start_time=invocation.start_time, config=config
        )
        deadline = InvocationDeadline(
            at=invocation.started + config.timeout, monotonic=self._environment.monotonic
        )
        backend = selection.backend_for(request.agent_id)
        session_id = request.session_id or self._environment.new_id()

        def attempt(current: InvocationContext) -> AgentReply:
            call = AgentCall(
                request=request,
                session_id=session_id,
                request_id=current.request_id,
                seconds=deadline.remaining,
            )
            return run_within(call.seconds, partial(backend.invoke, call))

        reply, context = run_with_retries(attempt, context, deadline, self._environment)
        body = response.success(
            reply,
            self._metadata(payload, invocation),
            session_id=session_id,
            milliseconds=self._milliseconds(invocation),
        )
        body, left_out = response.fitted(body, invocation.source)
        if not response.fits(response.enveloped(body, invocation.source), invocation.source):
            raise Unclassified(TOO_LARGE)
        for name in (*reply.missing, *left_out):
            fields = {"request_id": invocation.request_id, "missing": name, "left_out": name in left_out}
            log.warning("partial_response", extra={"fields": fields})
        usage = body["metadata"].get("tokenUsage")
        outcome = {"status": "success", "attempts": context.attempt, "token_usage": usage}
        self._log_end(payload, invocation, outcome)
        return body

    def _metadata(self, payload: Payload, invocation: Invocation) -> response.ResponseMetadata:
        return response.ResponseMetadata(
            request_id=invocation.request_id,
            moment=self._environment.clock.now(),
            agent_id=payload.get("agentId"),
        )

    def _milliseconds(self, invocation: Invocation) -> int:
        return round((self._environment.monotonic() - invocation.started) * 1000)

    def _log_end(self, payload: Payload, invocation: Invocation, outcome: dict[str, Any]) -> None:
        agent_id = payload.get("agentId")
        is_id = isinstance(agent_id, str) and AGENT_ID.fullmatch(agent_id)
        fields = {
            "request_id": invocation.request_id,
            "source": invocation.source,
            "agent_id": agent_id if is_id else None,  # other values may be anything, and are not logged
            "execution_ms": self._milliseconds(invocation),
        }
        log.info("invocation_ended", extra={"fields": fields | outcome})
