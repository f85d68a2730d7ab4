"""The reader processes of this process, shared by all its pipelines.

They read bodies, and make passages and finds of the text of pages (`search/tasks.py`).

Each reader has a thread, which takes jobs from the queue (`queue.py`), sends them to the child, waits for its
answer and checks it, and kills and replaces the child. So the pool serves any number of event loops, and no
loop waits for a child. A thread takes a job only when its reader is ready. Threads and readers start with the
first download and end with the process.
"""

import asyncio
import atexit
import logging
import os
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import InvalidStateError
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from fetcher.codes import DocumentCode, ErrorCode
from fetcher.web.errors import (
    DocumentUnreadable,
    ExtractionFailed,
    FetchError,
    InternalError,
    ReadingFailed,
)
from fetcher.web.fetch_log import here
from fetcher.web.net.deadline import Deadline
from fetcher.web.sandbox import messages
from fetcher.web.sandbox.answers import BadAnswer, checked, made
from fetcher.web.sandbox.channel import ReaderEnded
from fetcher.web.sandbox.frames import Frame
from fetcher.web.sandbox.limits import ReaderLimits
from fetcher.web.sandbox.process import ReaderProcess
from fetcher.web.sandbox.queue import Job, JobQueue
from fetcher.web.search.tasks import Task
from fetcher.web.values import Document, Reading, ReadingContext

T = TypeVar("T")

log = logging.getLogger(__name__)

MOST_JOBS = 500
"""After so many jobs a reader is replaced, which limits what a parser leaks."""
START_SECONDS = 10
"""For a reader to start; it takes a fifth of a second on an idle machine."""
UNINTERRUPTED = 1.0
"""Seconds after which a job is interrupted if another one waits; most pages take a twentieth of it."""
LOOK_EVERY = 0.1
ANSWER_SECONDS = 3.0
"""For an answer to come through the pipe, from its first byte on; 50 MB take a tenth of a second."""
TOO_SLOW = "the page could not be read in the time that was left"
MOST_STARTS = 3
"""How often a thread tries to start its reader before its job fails."""


class _Interrupted(Exception):
    """A page takes long, and another one waits."""


class ReaderPool:
    """Reads bodies in reader processes."""

    def __init__(self, limits: ReaderLimits) -> None:
        self._limits = limits
        self._jobs = JobQueue()
        self._steady = max(1, limits.processes // 2)
        """How many of the readers always finish a job."""
        self._lock = threading.Lock()
        self._readers: dict[int, ReaderProcess] = {}
        """The running readers, by the number of their thread."""
        self._threads = 0
        self._closed = False

    def start(self) -> None:
        """Start the readers that do not run yet, without waiting; raises `internal` if none can start."""
        with self._lock:
            while self._threads < self._limits.processes + self._limits.short and not self._closed:
                name, number = f"reader {self._threads}", self._threads
                try:
                    threading.Thread(target=self._serve, args=(number,), name=name, daemon=True).start()
                except RuntimeError:  # no more threads are allowed: use those that run
                    if not self._threads:
                        raise _no_reader() from None
                    break
                self._threads += 1

    async def read(self, body: bytes, context: ReadingContext, deadline: Deadline) -> Reading:
        """Read a body in a reader process; raises a ReadingFailed, `timeout` or `internal`."""
        reading: Reading = await self._do(
            messages.job(body, context), partial(checked, context=context), deadline
        )
        return reading

    async def make(self, task: Task[T], document: Document, deadline: Deadline) -> T:
        """Have a reader process make something of a document; raises like `read`."""
        job = messages.task_job(task, document)
        result: T = await self._do(job, partial(made, task=task, document=document), deadline)
        return result

    async def _do(self, frame: Frame, check: Callable[[Frame], Any], deadline: Deadline) -> Any:
        self.start()
        job = Job(frame, check, time.monotonic() + deadline.remaining)
        self._jobs.put(job)
        try:
            async with asyncio.timeout(deadline.remaining):
                return await asyncio.wrap_future(job.outcome)
        except TimeoutError:
            if not job.begun:  # other pages are being read: not the fault of this page
                raise deadline.expired("reading") from None
            raise self._failure(TOO_SLOW) from None
        finally:
            job.abandon()

    def _failure(self, error: str) -> ReadingFailed:
        """The error of a body that ended its reader, or that takes too long."""
        if self._limits.documents:
            return DocumentUnreadable(DocumentCode.DOCUMENT_TOO_LARGE, error=error)
        return ExtractionFailed(error=error)

    @property
    def pids(self) -> list[int]:
        with self._lock:
            return [reader.pid for reader in self._readers.values()]

    def close(self) -> None:
        """End every reader and its thread, at the end of the process."""
        with self._lock:
            self._closed = True
            readers = list(self._readers.values())
        for reader in readers:
            reader.end()
        self._jobs.close()

    def disown(self) -> None:
        """After a fork, in the new process, which has neither the threads nor the readers of the old one."""
        for reader in self._readers.values():
            reader.disown()

    def _serve(self, number: int) -> None:
        """Run a thread: do jobs until the queue is closed."""
        steady, short = number < self._steady, number >= self._limits.processes
        self._ready_reader(number)  # before a job is taken
        while (job := self._jobs.take(steady=steady, short=short)) is not None:
            reader = self._ready_reader(number)  # it may have ended while it waited
            if reader is None:
                _deliver(job, _no_reader())
            elif job.begin(reader):
                self._work(job, reader, steady=steady, short=short)
            del job  # its body need not stay in memory while the thread waits
            self._ready_reader(number)
        if last := self._readers.get(number):
            self._remove(number, last)

    def _work(self, job: Job, reader: ReaderProcess, *, steady: bool, short: bool) -> None:
        """Do a job and deliver its outcome; a failure ends the reader, never the thread."""
        try:
            outcome = job.check(self._exchange(job, reader, steady=steady, short=short))
        except _Interrupted:
            job.interrupt()
            reader.kill()
            self._jobs.put_back(job)
            return
        except FetchError as error:
            outcome = error
            if error.code is ErrorCode.INTERNAL:
                log.error("reader_fault", extra=here(**error.details))
        except TimeoutError:
            outcome = self._failure(TOO_SLOW)
            reader.kill()
        except (ReaderEnded, BadAnswer) as error:
            if not (job.abandoned or self._closed):
                log.warning("reader_failed", extra=here(error=str(error) or type(error).__name__))
            outcome = self._failure("the process that read the page failed")
            reader.kill()
        except Exception as error:
            log.exception("reader_failed", extra=here())
            outcome = InternalError("Something unexpected went wrong", error=type(error).__name__)
            reader.kill()
        job.end()
        _deliver(job, outcome)

    def _exchange(self, job: Job, reader: ReaderProcess, *, steady: bool, short: bool) -> Frame:
        """Send a job and receive its answer; raises _Interrupted, TimeoutError, ReaderEnded and BadAnswer."""
        reader.send_job(job.frame, job.until)
        moment = job.until if steady else min(job.until, time.monotonic() + UNINTERRUPTED)
        while not reader.wait_for_answer(moment):
            if time.monotonic() >= job.until:
                raise TimeoutError
            if self._jobs.has_new(short=short):
                raise _Interrupted
            moment = min(job.until, time.monotonic() + LOOK_EVERY)
        # An honest reader writes its answer at once: one that stops in the middle must not hold its place.
        return reader.receive_answer(min(job.until, time.monotonic() + ANSWER_SECONDS))

    def _ready_reader(self, number: int) -> ReaderProcess | None:
        """A thread's reader, replaced if it has ended or done enough jobs; None if none can be started."""
        reader = self._readers.get(number)
        if reader is not None and reader.usable and reader.jobs < MOST_JOBS:
            return reader
        if reader is not None:
            self._remove(number, reader)
        for _ in range(MOST_STARTS):
            try:
                return self._start_reader(number)
            except (OSError, subprocess.SubprocessError, ReaderEnded, BadAnswer) as error:
                if self._closed:
                    break
                reason = str(error) or type(error).__name__
                log.warning("reader_not_started", extra=here(error=reason))
        return None

    def _start_reader(self, number: int) -> ReaderProcess:
        reader = ReaderProcess(self._limits.memory_mb, documents=self._limits.documents)
        with self._lock:
            self._readers[number] = reader
        try:
            if self._closed:
                raise ReaderEnded("the pool was closed")
            reader.wait_until_ready(START_SECONDS)
        except BaseException:
            self._remove(number, reader)
            raise
        if not reader.is_filtered:
            log.warning("reader_unfiltered", extra=here())
        return reader

    def _remove(self, number: int, reader: ReaderProcess) -> None:
        with self._lock:
            self._readers.pop(number, None)
        reader.close()


def _deliver(job: Job, outcome: Any) -> None:
    with suppress(InvalidStateError):  # it was cancelled
        if isinstance(outcome, FetchError):
            job.outcome.set_exception(outcome)
        else:
            job.outcome.set_result(outcome)


def _no_reader() -> InternalError:
    return InternalError("Something unexpected went wrong", error="no reader process can be started")


class _Shared:
    """The pools of this process: one for each set of limits."""

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
        """In a forked process, which has no threads: drop the pools; the old process keeps its readers."""
        for pool in self._pools.values():
            pool.disown()
        self._pools, self._lock = {}, threading.Lock()


_shared = _Shared()
atexit.register(_shared.close)
os.register_at_fork(after_in_child=_shared.forget)


def shared_pool(limits: ReaderLimits) -> ReaderPool:
    """The pool of this process for these limits; it starts readers when they are needed."""
    return _shared.pool(limits)
