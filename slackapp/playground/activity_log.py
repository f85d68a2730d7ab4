"""Everything that happens in the local Slack, in order.

The log keeps calls and deliveries, and hands every record to its subscribers. Its condition holds the lock of
the whole local Slack, so that a waiter never sees a half-made change.
"""

import contextlib
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

from fetcher.clock import Clock
from slackapp.playground.values import Call, Capacity, Json, RecordedDelivery

Subscriber = Callable[[Json], None]
T = TypeVar("T")

END = "end"
CALL_FIELDS = ("method", "arguments", "status", "response", "seconds", "app_id")
DELIVERY_FIELDS = ("event_id", "attempt", "status", "error", "seconds", "transport", "app_id", "body")
"""Fields that go into a record; every record has its own time."""


class ActivityLog:
    """Calls, deliveries, and a condition that is notified of every change."""

    def __init__(self, clock: Clock, capacity: Capacity) -> None:
        self.changed = threading.Condition(threading.RLock())
        self._clock = clock
        self._calls: deque[Call] = deque(maxlen=capacity.calls)
        self._deliveries: deque[RecordedDelivery] = deque(maxlen=capacity.deliveries)
        self._subscribers: list[Subscriber] = []
        self.last_number = 0
        """The number of the newest record."""

    @property
    def calls(self) -> tuple[Call, ...]:
        with self.changed:
            return tuple(self._calls)

    @property
    def deliveries(self) -> tuple[RecordedDelivery, ...]:
        with self.changed:
            return tuple(self._deliveries)

    def record(self, kind: str, **fields: Any) -> None:
        """Gives subscribers a change as a record that can be written as JSON, and wakes waiters."""
        with self.changed:
            self.last_number += 1
            at = self._clock.now().isoformat()
            record = {"number": self.last_number, "type": kind, "at": at, **fields}
            for subscriber in tuple(self._subscribers):
                subscriber(record)
            self.changed.notify_all()

    def record_call(self, call: Call) -> None:
        with self.changed:
            self._calls.append(call)
            self.record("call", **{name: getattr(call, name) for name in CALL_FIELDS})

    def record_delivery(self, delivery: RecordedDelivery) -> None:
        with self.changed:
            self._deliveries.append(delivery)
            fields = {name: getattr(delivery, name) for name in DELIVERY_FIELDS}
            self.record("delivery", event=delivery.type, **fields)

    def subscribe(self, callback: Subscriber) -> Callable[[], None]:
        """Calls back with every record, in order and under the lock, so it must not wait.

        Returns a function that ends the subscription.
        """
        with self.changed:
            self._subscribers.append(callback)

        def unsubscribe() -> None:
            with self.changed, contextlib.suppress(ValueError):
                self._subscribers.remove(callback)

        return unsubscribe

    def close(self) -> None:
        """Tells subscribers that no more records follow."""
        self.record(END)

    def wait_until(self, predicate: Callable[[], T], timeout: float) -> T:
        """Returns what the predicate returns as soon as it is true, or when the time is over."""
        with self.changed:
            return self.changed.wait_for(predicate, timeout)
