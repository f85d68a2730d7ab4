"""Things that happen later, by a clock that tests may move."""

import heapq
import itertools
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from fetcher.clock import Clock

LONGEST_WAIT = 60.0


class Schedule:
    """Runs each action, in one thread, once its moment has come; `nudge` says that the clock moved."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._due: list[tuple[datetime, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._stopped = False
        self._thread: threading.Thread | None = None

    def after(self, seconds: float, action: Callable[[], None]) -> None:
        with self._changed:
            when = self._clock.now() + timedelta(seconds=seconds)
            heapq.heappush(self._due, (when, next(self._numbers), action))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="local slack schedule", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    @property
    def waiting(self) -> int:
        with self._changed:
            return len(self._due)

    def nudge(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def stop(self) -> None:
        """Forgets what has not happened yet."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while (action := self._next()) is not None:
            action()

    def _next(self) -> Callable[[], None] | None:
        with self._changed:
            while not self._stopped:
                wait = self._seconds_left()
                if wait <= 0:
                    return heapq.heappop(self._due)[2]
                self._changed.wait(min(wait, LONGEST_WAIT))
        return None

    def _seconds_left(self) -> float:
        if not self._due:
            return LONGEST_WAIT
        return (self._due[0][0] - self._clock.now()).total_seconds()
