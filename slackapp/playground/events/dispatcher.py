"""Delivers requests to apps from a pool of threads, retries failed events as Slack does, records attempts."""

import contextlib
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from fetcher.clock import Clock
from slackapp.playground.activity_log import ActivityLog
from slackapp.playground.events.schedule import Schedule
from slackapp.playground.events.transports import Kind, Outcome, OutgoingRequest, Transport
from slackapp.playground.values import App, Json, RecordedDelivery

RETRY_DELAYS = (0.0, 60.0, 300.0)
"""Seconds before each of Slack's three retries."""


class Dispatcher:
    """Delivers requests to apps."""

    def __init__(
        self,
        *,
        clock: Clock,
        activity: ActivityLog,
        transport_for: Callable[[App], Transport],
        workers: int,
    ) -> None:
        self._clock = clock
        self._activity = activity
        self._transport_for = transport_for
        self.schedule = Schedule(clock)
        """Retries that wait for their time."""
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="local slack delivery")

    def deliver_event(self, app: App, body: Json, *, retry_num: int = 0, retry_reason: str = "") -> None:
        """Delivers an event from another thread, and retries it when it fails."""
        request = OutgoingRequest(
            kind=Kind.EVENT, payload=body, retry_num=retry_num, retry_reason=retry_reason
        )
        with contextlib.suppress(RuntimeError):  # the pool has been shut down
            self._pool.submit(self._deliver_with_retries, app, request)

    def deliver_once(self, app: App, request: OutgoingRequest) -> Future[RecordedDelivery]:
        """Delivers from another thread, without retries."""
        return self._pool.submit(lambda: self.deliver(app, request)[0])

    def deliver(self, app: App, request: OutgoingRequest) -> tuple[RecordedDelivery, Outcome]:
        """Delivers now and waits for the acknowledgement."""
        began = time.monotonic()
        outcome = self._transport_for(app).deliver(app, request)
        payload = request.payload
        event = payload.get("event")
        named = event if isinstance(event, dict) else payload
        kind = payload.get("command", "") if request.kind is Kind.COMMAND else named.get("type", "")
        delivery = RecordedDelivery(
            event_id=str(payload.get("event_id") or payload.get("trigger_id") or ""),
            type=str(kind),
            attempt=request.retry_num,
            status=outcome.status,
            error=outcome.error,
            seconds=time.monotonic() - began,
            transport=outcome.transport,
            app_id=app.app_id,
            at=self._clock.now(),
            body=payload,
            answer=outcome.answer,
        )
        self._activity.record_delivery(delivery)
        return delivery, outcome

    def stop(self) -> None:
        """Waits for deliveries in work and drops the others."""
        self.schedule.stop()
        self._pool.shutdown(cancel_futures=True)

    def _deliver_with_retries(self, app: App, request: OutgoingRequest) -> None:
        _, outcome = self.deliver(app, request)
        if not outcome.error or outcome.no_retry or request.retry_num >= len(RETRY_DELAYS):
            return
        again = partial(
            self.deliver_event,
            app,
            request.payload,
            retry_num=request.retry_num + 1,
            retry_reason=outcome.error,
        )
        delay = RETRY_DELAYS[request.retry_num]
        if delay:
            self.schedule.run_after(delay, again)
        else:
            again()
