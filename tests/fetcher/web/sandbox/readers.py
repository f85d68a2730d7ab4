"""Readers that misbehave: stopped in the middle, or taken over by what they read."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.net.deadline import Deadline
from fetcher.web.net.media_types import Accept
from fetcher.web.sandbox import process, system_calls
from fetcher.web.sandbox.limits import ReaderLimits
from fetcher.web.sandbox.pool import ReaderPool, shared_pool
from fetcher.web.values import Reading, ReadingContext

TAKEN_OVER = """
import sys
memory_mb, _kind, *sys.path = sys.argv[1:]
import ctypes, os, pickle, resource, signal, socket, time
from fetcher.web.reading import readers
from fetcher.web.sandbox import child, frames, limits, messages
from fetcher.web.values import Document, Reading

def read(body, context, kinds):
    page = dict(globals(), told="", pipe=pipes[0])
    exec(body.decode(), page)
    return Reading(document=Document(markdown=f"{page['told']}\\n"), media_type="text/plain")

def take_pipe():
    pipes.append(usual())
    return pipes[0]

pipes, usual = [], child._take_pipe
readers.read, child._take_pipe = read, take_pipe
child.main(int(memory_mb), documents=False)
"""
"""A reader whose parser does what a page says: the page is Python, and `told` is what it answers.

Whatever a page could want to import is there: nothing can be imported later."""

FILTERED = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine not in system_calls.MACHINES,
    reason="only Linux has filters",
)


def unfiltered(program: str) -> str:
    """A program whose last line starts a reader; prctl fails there, as on a kernel without filters."""
    *before, start = program.strip().splitlines()
    fault = ["from fetcher.web.sandbox import system_calls", "system_calls._FILTER = 99"]
    return "\n".join([*before, *fault, start])


def context(**changes: Any) -> ReadingContext:
    """What is known of a text, unless said otherwise."""
    usual: dict[str, Any] = {
        "url": "https://page.example/",
        "mode": ReadingMode.ARTICLE,
        "accept": Accept.ALL_KINDS,
        "content_type": "text/plain",
    }
    return ReadingContext(**(usual | changes))


async def ask(pool: ReaderPool, body: str | bytes, *, seconds: float = 60, **changes: Any) -> Reading:
    """What a reader of the pool makes of a body."""
    data = body if isinstance(body, bytes) else body.encode()
    return await pool.read(data, context(**changes), Deadline(seconds))


async def all_ready(pool: ReaderPool, processes: int = 2) -> None:
    """Waits until every reader of a pool that was taken over has answered."""
    pids: set[str] = set()
    while len(pids) < processes:
        asked = [ask(pool, "time.sleep(0.05); told = os.getpid()", seconds=60) for _ in range(processes)]
        pids |= {reading.document.markdown for reading in await asyncio.gather(*asked)}


def told(pool: ReaderPool, body: str | bytes, **options: Any) -> str:
    """The same, in a loop of its own, and only what it says."""
    return asyncio.run(ask(pool, body, **options)).document.markdown.removesuffix("\n")


def running(pool: ReaderPool, processes: int = 2) -> list[int]:
    """Waits until so many readers of a pool run; returns their processes."""
    told(pool, "")
    while len(pids := pool.pids) < processes:
        time.sleep(0.01)
    return pids


@contextmanager
def pool_of(limits: ReaderLimits | None = None, *, program: str = process.PROGRAM) -> Iterator[ReaderPool]:
    """A pool of its own; its readers run another program where one is given."""
    usual, process.PROGRAM = process.PROGRAM, program
    pool = ReaderPool(limits or ReaderLimits(short=0))
    try:
        yield pool
    finally:
        process.PROGRAM = usual
        pool.close()


@contextmanager
def stopped_readers() -> Iterator[list[int]]:
    """The readers that all pipelines share stand still: each page that they are given takes for ever."""
    pids = running(shared_pool(ReaderLimits()), 3)
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield pids
    finally:
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
