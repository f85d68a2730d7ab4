"""Actions that run later, by a clock that tests may move."""

import heapq
import itertools
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from fetcher.clock import Clock

LONGEST_WAIT = 60.0


class Schedule:
    """Runs each action in one thread, once its time has come."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._due: list[tuple[datetime, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._stopped = False
        self._thread: threading.Thread | None = None

    @property
    def waiting(self) -> int:
        """The number of actions that have not run yet."""
        with self._changed:
            return len(self._due)

    def run_after(self, seconds: float, action: Callable[[], None]) -> None:
        with self._changed:
            when = self._clock.now() + timedelta(seconds=seconds)
            heapq.heappush(self._due, (when, next(self._numbers), action))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="local slack schedule", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def check_clock(self) -> None:
        """Runs what is due after a test has moved the clock."""
        with self._changed:
            self._changed.notify_all()

    def stop(self) -> None:
        """Forgets actions that have not run yet."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                if self._stopped:
                    return
                wait = LONGEST_WAIT
                if self._due:
                    wait = (self._due[0][0] - self._clock.now()).total_seconds()
                if wait > 0:
                    self._changed.wait(min(wait, LONGEST_WAIT))
                    continue
                action = heapq.heappop(self._due)[2]
            action()
