"""One event from beginning to end, whatever it is and whatever happens.

event ─▶ source ─▶ payload ─▶ request ─▶ backend, within the time that is left, again where it is worth it
                                                                             │
answer ◀─ envelope ◀─ success or error, with metadata ◀─ reply or failure ◀──┘
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from fetcher import logs
from fetcher.invoke import response
from fetcher.invoke.backends.contract import AgentCall, Backend
from fetcher.invoke.backends.selection import BackendSelection
from fetcher.invoke.context import InvocationConfig, InvocationContext, InvocationDeadline, RuntimeEnvironment
from fetcher.invoke.errors import InvocationFailed, Unclassified
from fetcher.invoke.events import LONGEST_SECONDS, EventSource, Payload, payload_of, source_of
from fetcher.invoke.reply import AgentReply
from fetcher.invoke.request import AGENT_ID, AgentInvocationRequest
from fetcher.invoke.retry import with_retries
from fetcher.invoke.time_limit import within
from fetcher.settings import ConfigurationError

log = logging.getLogger(__name__)

ANSWERING_SECONDS = 1.0
"""What is kept of the function's own time to answer in."""
MISCONFIGURED = "The function is not set up for this agent. See its log."
UNFORESEEN = "The function failed in a way that nobody foresaw. See its log."
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


class Invoker:
    """Answers events, and never raises."""

    def __init__(
        self, open_switchboard: Callable[[], BackendSelection], surroundings: RuntimeEnvironment
    ) -> None:
        self._open_switchboard = open_switchboard
        self._around = surroundings

    def answer(self, event: Any, lambda_context: Any) -> dict[str, Any]:
        """The answer, in the form that the event's source understands."""
        visit = self._visit(event, lambda_context)
        sent: Payload = {}
        try:
            sent = payload_of(event, visit.source)
            body = self._served(sent, visit)
        except InvocationFailed as failure:
            return self._refused(failure, sent, visit)
        except ConfigurationError as error:
            log.error("misconfigured: %s", error, extra={"fields": {"request_id": visit.request_id}})
            return self._refused(Unclassified(MISCONFIGURED), sent, visit)
        except Exception as error:  # noqa: BLE001 - the outermost rim: a function that raises answers nobody
            fields = {"request_id": visit.request_id} | logs.defect(error)
            log.error("unforeseen", extra={"fields": fields})
            return self._refused(Unclassified(UNFORESEEN), sent, visit)
        return response.enveloped(body, visit.source)

    def _visit(self, event: Any, lambda_context: Any) -> Invocation:
        source = source_of(event)
        left = getattr(lambda_context, "get_remaining_time_in_millis", None)
        seconds = [LONGEST_SECONDS[source]] + ([left() / 1000 - ANSWERING_SECONDS] if left else [])
        return Invocation(
            source=source,
            request_id=getattr(lambda_context, "aws_request_id", None) or self._around.new_id(),
            started=self._around.monotonic(),
            start_time=self._around.clock.now().timestamp(),
            seconds=max(0.0, min(seconds)),
        )

    def _served(self, sent: Payload, visit: Invocation) -> response.Body:
        request = AgentInvocationRequest.from_payload(sent)
        switchboard = self._open_switchboard()
        config = InvocationConfig(
            timeout=min(request.timeout, visit.seconds),
            max_retries=request.max_retries,
            log_level=switchboard.settings.invoke_log_level,
        )
        context = InvocationContext(request_id=visit.request_id, start_time=visit.start_time, config=config)
        backend = switchboard.backend_for(request.agent_id)
        session_id = request.session_id or self._around.new_id()
        reply, context = self._asked(backend, request, session_id, context, visit)
        return self._told(reply, sent, session_id, context, visit)

    def _asked(
        self,
        backend: Backend,
        request: AgentInvocationRequest,
        session_id: str,
        context: InvocationContext,
        visit: Invocation,
    ) -> tuple[AgentReply, InvocationContext]:
        deadline = InvocationDeadline(
            at=visit.started + context.config.timeout, monotonic=self._around.monotonic
        )

        def attempt(current: InvocationContext) -> AgentReply:
            call = AgentCall(
                request=request,
                session_id=session_id,
                request_id=current.request_id,
                seconds=deadline.remaining,
            )
            return within(call.seconds, partial(backend.invoke, call))

        return with_retries(attempt, context, deadline, self._around)

    def _told(
        self, reply: AgentReply, sent: Payload, session_id: str, context: InvocationContext, visit: Invocation
    ) -> response.Body:
        milliseconds = self._milliseconds(visit)
        body = response.success(
            reply, self._stamp(sent, visit), session_id=session_id, milliseconds=milliseconds
        )
        body, left_out = response.fitted(body, visit.source)
        if not response.fits(response.enveloped(body, visit.source)):
            raise Unclassified(TOO_LARGE)
        for name in (*reply.missing, *left_out):
            fields = {"request_id": visit.request_id, "missing": name, "left_out": name in left_out}
            log.warning("partial_response", extra={"fields": fields})
        usage = body["metadata"].get("tokenUsage")
        self._tell_end(sent, visit, status="success", attempts=context.attempt, token_usage=usage)
        return body

    def _refused(self, failure: InvocationFailed, sent: Payload, visit: Invocation) -> dict[str, Any]:
        self._tell_end(sent, visit, status="error", error_type=failure.error_type, error_code=failure.code)
        body = response.error(failure, self._stamp(sent, visit))
        return response.enveloped(body, visit.source, failure.status)

    def _stamp(self, sent: Payload, visit: Invocation) -> response.ResponseMetadata:
        return response.ResponseMetadata(
            request_id=visit.request_id, moment=self._around.clock.now(), agent_id=sent.get("agentId")
        )

    def _milliseconds(self, visit: Invocation) -> int:
        return round((self._around.monotonic() - visit.started) * 1000)

    def _tell_end(self, sent: Payload, visit: Invocation, **outcome: Any) -> None:
        fields = {
            "request_id": visit.request_id,
            "source": visit.source,
            "agent_id": _id_or_none(sent.get("agentId")),
            "execution_ms": self._milliseconds(visit),
        }
        log.info("invocation_ended", extra={"fields": fields | outcome})


def _id_or_none(sent: Any) -> str | None:
    """An id may be logged; what was sent in its place may be anything."""
    return sent if isinstance(sent, str) and AGENT_ID.fullmatch(sent) else None
