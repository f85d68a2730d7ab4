"""The reader processes of this process, shared by all its pipelines.

One thread for each reader takes jobs from one queue (`queue.py`): it writes to the child, waits for it,
checks its answer, kills and replaces it. So the pool serves any number of event loops, none of which ever
waits for a child. A thread takes a job only when its reader is ready; until then the job waits, and that is
not the page's fault. Threads and readers start with the first download and end with the process.
"""

import asyncio
import atexit
import logging
import os
import subprocess
import threading
import time
from concurrent.futures import InvalidStateError
from contextlib import suppress

from fetcher.codes import ErrorCode
from fetcher.web.errors import ExtractionFailed, FetchError, InternalError
from fetcher.web.fetch_log import here
from fetcher.web.net.deadline import Deadline
from fetcher.web.sandbox import messages
from fetcher.web.sandbox.answers import BadAnswer, checked
from fetcher.web.sandbox.channel import ReaderEnded
from fetcher.web.sandbox.frames import Frame
from fetcher.web.sandbox.limits import ReaderLimits
from fetcher.web.sandbox.process import ReaderProcess
from fetcher.web.sandbox.queue import Job, JobQueue
from fetcher.web.values import Reading, ReadingContext

log = logging.getLogger(__name__)

MOST_JOBS = 500
"""After so many a reader is replaced: what a parser leaks has an end."""
START_SECONDS = 10
"""For a reader to be ready; it takes a fifth of a second on an idle machine."""
MOMENT = 1.0
"""Seconds after which a page gives way where another one waits; most pages take a twentieth of it."""
LOOK_EVERY = 0.1
MOST_STARTS = 3
"""How often a reader is started before the job that waits for it is told that there is none."""


class _GaveWay(Exception):
    """A page takes long, and another one waits."""


class ReaderPool:
    def __init__(self, limits: ReaderLimits) -> None:
        self._limits = limits
        self._jobs = JobQueue()
        self._steady = max(1, limits.processes // 2)
        """How many of the readers finish what they have begun, whoever waits."""
        self._lock = threading.Lock()
        self._readers: dict[int, ReaderProcess] = {}
        """The running ones, by the thread that each belongs to."""
        self._threads = 0
        self._closed = False

    def start(self) -> None:
        """Starts the readers, unless they are; returns at once. Raises `internal` where none can be."""
        with self._lock:
            while self._threads < self._limits.processes and not self._closed:
                name, number = f"reader {self._threads}", self._threads
                try:
                    threading.Thread(target=self._serve, args=(number,), name=name, daemon=True).start()
                except RuntimeError:  # no more threads: those that run have to do
                    if not self._threads:
                        raise _no_reader() from None
                    break
                self._threads += 1

    async def read(self, body: bytes, context: ReadingContext, deadline: Deadline) -> Reading:
        """What a reader makes of a body; raises a ReadingFailed, `timeout` or `internal`."""
        self.start()
        job = Job(body, context, time.monotonic() + deadline.remaining)
        self._jobs.put(job)
        try:
            async with asyncio.timeout(deadline.remaining):
                return await asyncio.wrap_future(job.outcome)
        except TimeoutError:
            if not job.begun:  # others are being read: no fault of this page
                raise deadline.expired("reading") from None
            raise _too_slow() from None
        finally:
            job.abandon()

    @property
    def pids(self) -> list[int]:
        with self._lock:
            return [reader.pid for reader in self._readers.values()]

    def close(self) -> None:
        """Ends every reader and its thread; for the end of the process."""
        with self._lock:
            self._closed = True
            readers = list(self._readers.values())
        for reader in readers:
            reader.end()
        self._jobs.close()

    def disown(self) -> None:
        """After a fork, in the new process: it has neither the threads nor the readers of the old one."""
        for reader in self._readers.values():
            reader.disown()

    def _serve(self, number: int) -> None:
        """The life of a thread."""
        self._ready(number)
        while self._serve_one(number):
            self._ready(number)  # before the next job is taken
        if reader := self._readers.get(number):
            self._remove(number, reader)

    def _serve_one(self, number: int) -> bool:
        """Waits for a job and has it done; whether there may be another."""
        steady = number < self._steady
        job = self._jobs.take(steady=steady)
        if job is None:
            return False
        reader = self._ready(number)  # it may have ended while it waited
        if reader is None:
            _tell(job, _no_reader())
        elif job.begin(reader):
            self._work(job, reader, steady=steady)
        return True

    def _work(self, job: Job, reader: ReaderProcess, *, steady: bool) -> None:
        """Has a job done; whatever goes wrong with it ends the reader and not the thread."""
        outcome: Reading | FetchError
        try:
            outcome = checked(self._answer(job, reader, steady=steady), job.context)
        except _GaveWay:
            job.give_way()
            reader.kill()
            self._jobs.put_back(job)
            return
        except FetchError as error:
            outcome = error
            if error.code is ErrorCode.INTERNAL:
                log.error("reader_fault", extra=here(**error.details))
        except TimeoutError:
            outcome = _too_slow()
            reader.kill()
        except (ReaderEnded, BadAnswer) as error:
            if not (job.abandoned or self._closed):
                log.warning("reader_failed", extra=here(error=str(error) or type(error).__name__))
            outcome = ExtractionFailed(error="the process that read the page failed")
            reader.kill()
        except Exception as error:
            log.exception("reader_failed", extra=here())
            outcome = InternalError("Something unexpected went wrong", error=type(error).__name__)
            reader.kill()
        job.end()
        _tell(job, outcome)

    def _answer(self, job: Job, reader: ReaderProcess, *, steady: bool) -> Frame:
        """What a reader says to a job; raises _GaveWay besides what waiting for it raises."""
        reader.give(messages.job(job.body, job.context), job.until)
        patience = job.until if steady else min(job.until, time.monotonic() + MOMENT)
        while not reader.answers_by(patience):
            if time.monotonic() >= job.until:
                raise TimeoutError
            if self._jobs.has_new:
                raise _GaveWay
            patience = min(job.until, time.monotonic() + LOOK_EVERY)
        return reader.answer(job.until)

    def _ready(self, number: int) -> ReaderProcess | None:
        """A thread's reader, or another where it has ended or done enough; None where none can be started."""
        reader = self._readers.get(number)
        if reader is not None and reader.usable and reader.jobs < MOST_JOBS:
            return reader
        if reader is not None:
            self._remove(number, reader)
        for _ in range(MOST_STARTS):
            try:
                return self._start_one(number)
            except (OSError, subprocess.SubprocessError, ReaderEnded, BadAnswer) as error:
                if self._closed:
                    break
                reason = str(error) or type(error).__name__
                log.warning("reader_not_started", extra=here(error=reason))
        return None

    def _start_one(self, number: int) -> ReaderProcess:
        reader = ReaderProcess(self._limits.memory_mb)
        with self._lock:
            self._readers[number] = reader
        try:
            if self._closed:
                raise ReaderEnded("the pool was closed")
            reader.wait_until_ready(START_SECONDS)
        except BaseException:
            self._remove(number, reader)
            raise
        return reader

    def _remove(self, number: int, reader: ReaderProcess) -> None:
        with self._lock:
            self._readers.pop(number, None)
        reader.bury()


def _tell(job: Job, outcome: Reading | FetchError) -> None:
    with suppress(InvalidStateError):  # it was cancelled
        if isinstance(outcome, FetchError):
            job.outcome.set_exception(outcome)
        else:
            job.outcome.set_result(outcome)


def _no_reader() -> InternalError:
    return InternalError("Something unexpected went wrong", error="no reader process can be started")


def _too_slow() -> ExtractionFailed:
    return ExtractionFailed(error="the page could not be read in the time that was left")


class _Shared:
    """The pools of this process: one, unless its pipelines are set differently."""

    def __init__(self) -> None:
        self._pools: dict[ReaderLimits, ReaderPool] = {}
        self._lock = threading.Lock()

    def pool(self, limits: ReaderLimits) -> ReaderPool:
        with self._lock:
            return self._pools.setdefault(limits, ReaderPool(limits))

    def close(self) -> None:
        for pool in list(self._pools.values()):
            pool.close()

    def forget(self) -> None:
        """In a forked process, which begins without threads: whoever forked it keeps the readers."""
        for pool in self._pools.values():
            pool.disown()
        self._pools, self._lock = {}, threading.Lock()


_shared = _Shared()
atexit.register(_shared.close)
os.register_at_fork(after_in_child=_shared.forget)


def shared_pool(limits: ReaderLimits) -> ReaderPool:
    """The pool of this process for such limits; nothing is started yet."""
    return _shared.pool(limits)
