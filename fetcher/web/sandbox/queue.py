"""The jobs that wait for a reader, in two queues: new jobs, and jobs that were interrupted.

Pages that take long must not block other pages. Everything that a reader does takes time in proportion to
the bytes that it is given. So the next job is the one whose question has been given the fewest, itself
included: a short page of one question comes before the many long pages of another. One reader takes short
jobs only. Some readers, the steady ones, always finish a job; the others interrupt it after a second if a
new one waits. An interrupted job starts again from the second queue, which only steady readers serve.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from fetcher import turns
from fetcher.web.sandbox.frames import Frame
from fetcher.web.sandbox.process import ReaderProcess

SHORT = 100_000
"""Bytes of a short job: hostile ones take a fraction of a second."""


class Job:
    """What a reader is to do for a question, and its result."""

    def __init__(self, frame: Frame, check: Callable[[Frame], Any], until: float) -> None:
        self.frame = frame
        self.check = check
        """Returns the result that an answer holds."""
        self.until = until
        self.outcome: Future[Any] = Future()
        self.question = turns.current()
        self.size = len(frame[1])
        self.begun = self.abandoned = False
        self._reader: ReaderProcess | None = None
        self._lock = threading.Lock()

    @property
    def work(self) -> int:
        """The bytes that its question has been given with this job."""
        return self.question.work + self.size

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
            self._changed.notify_all()  # one of them may take short jobs only

    def put_back(self, job: Job) -> None:
        """Queue an interrupted job for a steady reader."""
        with self._changed:
            self._interrupted.append(job)
            self._changed.notify_all()

    def take(self, *, steady: bool, short: bool) -> Job | None:
        """Wait for the next job for a reader, or the next short one; None if the queue was closed."""
        with self._changed:
            while not self._closed:
                if steady and self._interrupted:
                    return self._interrupted.popleft()
                if job := min(self._waiting(short=short), key=lambda job: job.work, default=None):
                    self._new.remove(job)
                    job.question.work += job.size
                    return job
                self._changed.wait()
        return None

    def has_new(self, *, short: bool) -> bool:
        """Whether a new job waits for a reader."""
        with self._changed:
            return any(job.is_wanted for job in self._waiting(short=short))

    def _waiting(self, *, short: bool) -> list[Job]:
        return [job for job in self._new if job.size <= SHORT or not short]

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
