"""The bodies that wait for a reader, in two lines: those that come, and those that had to give way.

A page that takes long must not keep others waiting, and two such pages must not either. So some readers, the
steady ones, finish what they have begun; the others give a page up after a moment when another one waits. It
begins anew in the second line, from which only steady readers take. Whoever comes new waits for a moment a
page at most, whatever the pages before take.
"""

import threading
import time
from collections import deque
from concurrent.futures import Future

from fetcher.web.sandbox.process import ReaderProcess
from fetcher.web.values import Reading, ReadingContext


class Job:
    """One body on its way through the pool."""

    def __init__(self, body: bytes, context: ReadingContext, until: float) -> None:
        self.body = body
        self.context = context
        self.until = until
        self.outcome: Future[Reading] = Future()
        self.begun = self.abandoned = False
        self._reader: ReaderProcess | None = None
        self._lock = threading.Lock()

    @property
    def is_wanted(self) -> bool:
        """Whether somebody still waits for it, and there is time left."""
        return not self.abandoned and time.monotonic() < self.until

    def begin(self, reader: ReaderProcess) -> bool:
        """Whether it is worth it; from now on the reader is killed when nobody waits any more."""
        with self._lock:
            self.begun = self.is_wanted
            self._reader = reader if self.begun else None
            return self.begun

    def end(self) -> None:
        """From now on the reader may have another job."""
        with self._lock:
            self._reader = None

    def give_way(self) -> None:
        """It waits again."""
        with self._lock:
            self._reader, self.begun = None, False

    def abandon(self) -> None:
        """Nobody waits any more: it is not begun, or its reader is killed."""
        with self._lock:
            self.abandoned = True
            if self._reader:
                self._reader.kill()


class JobQueue:
    """Any thread may put and take."""

    def __init__(self) -> None:
        self._new: deque[Job] = deque()
        self._given_way: deque[Job] = deque()
        self._changed = threading.Condition()
        self._closed = False

    def put(self, job: Job) -> None:
        with self._changed:
            self._new.append(job)
            self._changed.notify()

    def put_back(self, job: Job) -> None:
        """For a steady reader."""
        with self._changed:
            self._given_way.append(job)
            self._changed.notify_all()

    def take(self, *, steady: bool) -> Job | None:
        """The next job for a reader, once there is one; None where the queue was closed."""
        with self._changed:
            while not self._closed:
                if steady and self._given_way:
                    return self._given_way.popleft()
                if self._new:
                    return self._new.popleft()
                self._changed.wait()
        return None

    @property
    def has_new(self) -> bool:
        """Whether somebody waits for a page that was not begun yet."""
        with self._changed:
            return any(job.is_wanted for job in self._new)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
