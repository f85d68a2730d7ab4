"""Everything that happens, in order: kept for whoever looks later, told to whoever listens.

One lock guards the whole of the local Slack; it is this journal's, so that a waiter sees no half-made change.
"""

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from fetcher.clock import Clock
from slackapp.playground.values import Call, Capacity, Json, RecordedDelivery

Subscriber = Callable[[Json], None]
T = TypeVar("T")

END = "end"
CALL = ("method", "arguments", "status", "response", "seconds", "app_id")
DELIVERY = ("event_id", "attempt", "status", "error", "seconds", "transport", "app_id", "body")
"""What of each goes into its record, which says itself when it was."""


class ActivityLog:
    """Calls, deliveries, and a condition that is notified of every change."""

    def __init__(self, clock: Clock, capacity: Capacity) -> None:
        self.changed = threading.Condition(threading.RLock())
        self._clock = clock
        self._calls: deque[Call] = deque(maxlen=capacity.calls)
        self._deliveries: deque[RecordedDelivery] = deque(maxlen=capacity.deliveries)
        self._subscribers: list[Subscriber] = []
        self._number = 0

    @property
    def calls(self) -> tuple[Call, ...]:
        with self.changed:
            return tuple(self._calls)

    @property
    def deliveries(self) -> tuple[RecordedDelivery, ...]:
        with self.changed:
            return tuple(self._deliveries)

    @property
    def number(self) -> int:
        """Of the last record."""
        with self.changed:
            return self._number

    def note(self, kind: str, **fields: Any) -> None:
        """Tells subscribers of a change, as a record that can be written as JSON, and wakes waiters."""
        with self.changed:
            self._number += 1
            record = {"number": self._number, "type": kind, "at": self._clock.now().isoformat(), **fields}
            for subscriber in tuple(self._subscribers):
                subscriber(record)
            self.changed.notify_all()

    def called(self, call: Call) -> None:
        with self.changed:
            self._calls.append(call)
            self.note("call", **_fields(call, CALL))

    def delivered(self, delivery: RecordedDelivery) -> None:
        with self.changed:
            self._deliveries.append(delivery)
            self.note("delivery", event=delivery.type, **_fields(delivery, DELIVERY))

    def subscribe(self, callback: Subscriber) -> Callable[[], None]:
        """Calls back with every record, in order and under the lock, so it must not wait; returns the end."""
        with self.changed:
            self._subscribers.append(callback)

        def unsubscribe() -> None:
            with self.changed, contextlib.suppress(ValueError):
                self._subscribers.remove(callback)

        return unsubscribe

    def close(self) -> None:
        """Lets those who listen go."""
        self.note(END)

    def wait_until(self, predicate: Callable[[], T], timeout: float) -> T:
        """What the predicate says once it is true, or at the end of the time."""
        with self.changed:
            return self.changed.wait_for(predicate, timeout)


def _fields(value: Call | RecordedDelivery, names: Iterable[str]) -> Json:
    return {name: getattr(value, name) for name in names}
