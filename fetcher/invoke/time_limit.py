"""Work that is given up when its time is over, whatever it is waiting for.

Timeouts of an HTTP client hold for one read: a stream that drips, or that stalls late, outlives them. So
the work runs in a thread beside, and whoever waits for it leaves when the time is up. The work attaches to
its leash a way to hang up; it is used then, so that the thread ends too and the next invocation of the
process finds no stranger. Work that has nothing to hang up on yet ends by its client's own timeout.
"""

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TypeVar

from fetcher.invoke.errors import TimedOut

T = TypeVar("T")
HangUp = Callable[[], None]


class TimeLimit:
    """Between the work and whoever waits for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hang_up: HangUp | None = None
        self._cut = False

    def attach(self, hang_up: HangUp) -> None:
        """Says how to stop the work; it is stopped at once where nobody waits any more."""
        with self._lock:
            self._hang_up = hang_up
            late = self._cut
        if late:
            hang_up()

    def cut(self) -> None:
        """Stops the work."""
        with self._lock:
            self._cut = True
            hang_up = self._hang_up
        if hang_up:
            hang_up()


def within(seconds: float, work: Callable[[TimeLimit], T]) -> T:
    """What the work returns or raises; raises TimedOut when that takes longer."""
    if seconds <= 0:
        raise _too_late()
    leash = TimeLimit()
    ended: SimpleQueue[Callable[[], T]] = SimpleQueue()
    threading.Thread(target=lambda: ended.put(_outcome(work, leash)), name="invocation", daemon=True).start()
    try:
        outcome = ended.get(timeout=seconds)
    except Empty:
        leash.cut()
        raise _too_late() from None
    return outcome()


def _too_late() -> TimedOut:
    return TimedOut(
        "The agent did not answer in time. Try again, with a larger timeout or a smaller question."
    )


def _outcome(work: Callable[[TimeLimit], T], leash: TimeLimit) -> Callable[[], T]:
    """How the work ended, to be told in the thread that waits for it."""
    try:
        result = work(leash)
    except Exception as error:  # noqa: BLE001 - it belongs to whoever waits, and is raised there
        failure = error

        def fail() -> T:
            raise failure

        return fail
    return lambda: result
