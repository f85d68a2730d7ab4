"""The jobs that wait for a reader, in two queues: new jobs, and jobs that were interrupted.

Pages that take long must not block other pages. So some readers, the steady ones, always finish a job. The
other readers interrupt a job after a second if a new one waits. An interrupted job starts again from the
second queue, which only steady readers serve. So a new job waits at most a second for each page before it.
"""

import threading
import time
from collections import deque
from concurrent.futures import Future

from fetcher.web.sandbox.process import ReaderProcess
from fetcher.web.values import Reading, ReadingContext


class Job:
    """A body to be read, and its result."""

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
        """Whether its caller still waits for it, and there is time left."""
        return not self.abandoned and time.monotonic() < self.until

    def begin(self, reader: ReaderProcess) -> bool:
        """Assign a reader, which is killed if the caller leaves; False if the job is not wanted any more."""
        with self._lock:
            self.begun = self.is_wanted
            self._reader = reader if self.begun else None
            return self.begun

    def end(self) -> None:
        """Release the reader for other jobs."""
        with self._lock:
            self._reader = None

    def interrupt(self) -> None:
        """Release the reader; the job waits again."""
        with self._lock:
            self._reader, self.begun = None, False

    def abandon(self) -> None:
        """Note that the caller has left: the job is not begun, or its reader is killed."""
        with self._lock:
            self.abandoned = True
            if self._reader:
                self._reader.kill()


class JobQueue:
    """Both queues; any thread may put and take."""

    def __init__(self) -> None:
        self._new: deque[Job] = deque()
        self._interrupted: deque[Job] = deque()
        self._changed = threading.Condition()
        self._closed = False

    def put(self, job: Job) -> None:
        with self._changed:
            self._new.append(job)
            self._changed.notify()

    def put_back(self, job: Job) -> None:
        """Queue an interrupted job for a steady reader."""
        with self._changed:
            self._interrupted.append(job)
            self._changed.notify_all()

    def take(self, *, steady: bool) -> Job | None:
        """Wait for the next job for a reader; None if the queue was closed."""
        with self._changed:
            while not self._closed:
                if steady and self._interrupted:
                    return self._interrupted.popleft()
                if self._new:
                    return self._new.popleft()
                self._changed.wait()
        return None

    @property
    def has_new(self) -> bool:
        """Whether a new job waits for a reader."""
        with self._changed:
            return any(job.is_wanted for job in self._new)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
