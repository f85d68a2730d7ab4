"""Work that is given up when its time is over.

Timeouts of an HTTP client hold for one read: a stream that drips, or that stalls late, outlives them. So the
work runs in a thread of its own, and its caller stops waiting when the time is up. The work attaches to its
TimeLimit a way to stop it, which is used then, so that the thread ends too and does not disturb the next
invocation of the process. Work that has not attached one yet ends by its client's own timeout.
"""

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TypeVar, cast

from fetcher.invoke.errors import TimedOut

T = TypeVar("T")
TOO_LATE = "The agent did not answer in time. Try again, with a larger timeout or a smaller question."


class TimeLimit:
    """Stops one piece of work when its time is over."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stop: Callable[[], None] | None = None
        self._expired = False

    def attach(self, stop: Callable[[], None]) -> None:
        """Set how to stop the work; it is stopped at once if its time is already over."""
        with self._lock:
            self._stop = stop
            expired = self._expired
        if expired:
            stop()

    def expire(self) -> None:
        """Stop the work."""
        with self._lock:
            self._expired = True
            stop = self._stop
        if stop:
            stop()


def run_within(seconds: float, work: Callable[[TimeLimit], T]) -> T:
    """What the work returns or raises; raises TimedOut when that takes longer."""
    if seconds <= 0:
        raise TimedOut(TOO_LATE)
    limit = TimeLimit()
    ended: SimpleQueue[tuple[T | None, Exception | None]] = SimpleQueue()

    def run() -> None:
        try:
            ended.put((work(limit), None))
        except Exception as error:  # noqa: BLE001 - raised below, in the thread that waits
            ended.put((None, error))

    threading.Thread(target=run, name="invocation", daemon=True).start()
    try:
        result, error = ended.get(timeout=seconds)
    except Empty:
        limit.expire()
        raise TimedOut(TOO_LATE) from None
    if error is not None:
        raise error
    return cast("T", result)
