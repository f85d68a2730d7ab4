"""Deliveries: each in a thread of a pool, failed events again as Slack tries them, all of them recorded."""

import contextlib
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

from fetcher.clock import Clock
from slackapp.playground.activity_log import ActivityLog
from slackapp.playground.events.schedule import Schedule
from slackapp.playground.events.transports import Kind, Outcome, OutgoingRequest, Transport
from slackapp.playground.values import App, Json, RecordedDelivery

RETRY_DELAYS = (0.0, 60.0, 300.0)
"""Seconds before each of Slack's three retries."""


class Dispatcher:
    """Hands parcels to apps."""

    def __init__(
        self,
        *,
        clock: Clock,
        journal: ActivityLog,
        courier: Callable[[App], Transport],
        workers: int,
    ) -> None:
        self._clock = clock
        self._journal = journal
        self._courier = courier
        self._schedule = Schedule(clock)
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="local slack delivery")

    @property
    def retries_waiting(self) -> int:
        return self._schedule.waiting

    def event(self, app: App, body: Json) -> None:
        """An event, tried again when it fails."""
        self._submit(app, OutgoingRequest(kind=Kind.EVENT, payload=body))

    def send(self, app: App, parcel: OutgoingRequest) -> Future[RecordedDelivery]:
        """One delivery, whatever comes of it."""
        return self._pool.submit(lambda: self.carry(app, parcel)[0])

    def carry(self, app: App, parcel: OutgoingRequest) -> tuple[RecordedDelivery, Outcome]:
        """Delivers here and now."""
        began = time.monotonic()
        outcome = self._courier(app).carry(app, parcel)
        delivery = RecordedDelivery(
            event_id=str(parcel.payload.get("event_id") or parcel.payload.get("trigger_id") or ""),
            type=_type(parcel),
            attempt=parcel.retry_num,
            status=outcome.status,
            error=outcome.error,
            seconds=time.monotonic() - began,
            transport=outcome.transport,
            app_id=app.app_id,
            at=self._clock.now(),
            body=parcel.payload,
            answer=outcome.answer,
        )
        self._journal.delivered(delivery)
        return delivery, outcome

    def nudge(self) -> None:
        """Says that the clock has moved."""
        self._schedule.nudge()

    def stop(self) -> None:
        """Ends after what is being delivered now."""
        self._schedule.stop()
        self._pool.shutdown(cancel_futures=True)

    def _submit(self, app: App, parcel: OutgoingRequest) -> None:
        with contextlib.suppress(RuntimeError):  # the pool has been shut down
            self._pool.submit(self._try, app, parcel)

    def _try(self, app: App, parcel: OutgoingRequest) -> None:
        _, outcome = self.carry(app, parcel)
        if not outcome.error or outcome.no_retry or parcel.retry_num >= len(RETRY_DELAYS):
            return
        again = replace(parcel, retry_num=parcel.retry_num + 1, retry_reason=outcome.error)
        delay = RETRY_DELAYS[parcel.retry_num]
        if delay:
            self._schedule.after(delay, lambda: self._submit(app, again))
        else:
            self._submit(app, again)


def _type(parcel: OutgoingRequest) -> str:
    if parcel.kind is Kind.COMMAND:
        return str(parcel.payload.get("command", ""))
    event = parcel.payload.get("event")
    return str(event.get("type", "")) if isinstance(event, dict) else str(parcel.payload.get("type", ""))
