"""Many pages, several loops, readers killed at any moment: each page has its outcome, nothing is left."""

import asyncio
import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from fetcher.turns import for_question
from fetcher.web.errors import ExtractionFailed, FetchError, Timeout
from fetcher.web.sandbox import pool as pools
from fetcher.web.sandbox.limits import ReaderLimits
from fetcher.web.sandbox.pool import ReaderPool, shared_pool
from fetcher.web.sandbox.queue import SHORT, Job, JobQueue
from tests.fetcher.web.sandbox.readers import TAKEN_OVER, all_ready, ask, pool_of, running, told

FOREVER = "while True: pass"


@pytest.fixture
def pool():
    with pool_of(program=TAKEN_OVER) as pool:
        yield pool


def test_a_page_is_blamed_only_for_its_own_reading(pool):
    """E21: being read when the time is up is a fault of the page, waiting for a reader is none."""

    async def story():
        await all_ready(pool)
        hostile = [asyncio.ensure_future(ask(pool, FOREVER, seconds=1.5)) for _ in range(2)]
        await asyncio.sleep(0.5)
        with pytest.raises(Timeout) as late:
            await ask(pool, "told = 'x'", seconds=0.2)
        assert late.value.details == {"timeout_ms": 200, "phase": "reading"}
        for each in await asyncio.gather(*hostile, return_exceptions=True):
            assert isinstance(each, ExtractionFailed)
            assert each.details == {"error": "the page could not be read in the time that was left"}
        assert (await ask(pool, "told = 'x'")).document.markdown == "x\n"

    asyncio.run(story())


SLOW = "import time; time.sleep(1.8); told = 'slow'"


@pytest.mark.parametrize("hostile", [2, 4])
def test_hostile_pages_at_once_hold_nobody_up(pool, hostile):
    """A page that takes long gives way after a moment, and the next one does: long before they are over."""

    async def story():
        await all_ready(pool)
        endless = [asyncio.ensure_future(ask(pool, FOREVER, seconds=60)) for _ in range(hostile)]
        await asyncio.sleep(0.1)
        assert (await ask(pool, "told = 'x'", seconds=30)).document.markdown == "x\n"
        assert not any(each.done() for each in endless)
        for each in endless:
            each.cancel()
        await asyncio.gather(*endless, return_exceptions=True)

    asyncio.run(story())
    assert len(pool.pids) <= 2


def test_a_page_that_had_to_give_way_is_read_afterwards(pool):
    """And one that nobody waits behind is not disturbed."""

    async def story():
        await all_ready(pool)
        slow = [asyncio.ensure_future(ask(pool, SLOW, seconds=20)) for _ in range(3)]
        await asyncio.sleep(0.1)
        quick = await ask(pool, "told = 'x'", seconds=15)
        return quick, [each.done() for each in slow], await asyncio.gather(*slow)

    quick, over, slow = asyncio.run(story())
    assert quick.document.markdown == "x\n"
    assert not all(over)
    assert [each.document.markdown for each in slow] == ["slow\n"] * 3


def test_a_short_page_comes_before_the_long_ones_of_another_question():
    """However many of them wait; one reader takes short pages only."""
    queue = JobQueue()

    def put(*sizes):
        with for_question():
            for size in sizes:
                queue.put(Job((b"", b"x" * size, b""), len, time.monotonic() + 60))

    put(SHORT + 1, SHORT + 1, SHORT + 1)
    put(SHORT + 2)
    put(10, SHORT)
    taken = [queue.take(steady=False, short=short) for short in (True, True, False, False, False, False)]
    assert [job.size for job in taken if job] == [10, SHORT, SHORT + 1, SHORT + 2, SHORT + 1, SHORT + 1]
    queue.close()
    assert queue.take(steady=False, short=True) is None


def test_waiting_again_is_no_fault_of_a_page(pool):
    async def story():
        await all_ready(pool)
        pages = [asyncio.ensure_future(ask(pool, FOREVER, seconds=3)) for _ in range(2)]
        await asyncio.sleep(0.1)
        await ask(pool, "told = 'x'", seconds=15)
        return await asyncio.gather(*pages, return_exceptions=True)

    assert sorted(type(error).__name__ for error in asyncio.run(story())) == ["ExtractionFailed", "Timeout"]


def test_a_page_waits_for_a_reader_that_is_being_replaced(pool):
    """Both are killed while they are idle: nobody's page is lost."""
    for pid in running(pool):
        os.kill(pid, signal.SIGKILL)
        _gone(pid)
    assert [told(pool, f"told = {number}") for number in range(4)] == ["0", "1", "2", "3"]


def _gone(pid):
    """Waits until a process is dead, collected or not."""
    until = time.monotonic() + 60
    while time.monotonic() < until and _state(pid) not in "ZX":
        os.sched_yield()


def _state(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]
    except OSError:
        return "X"


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV, signal.SIGTERM])
def test_a_reader_may_be_hit_at_any_moment(blow):
    """Every page is read or has failed by its deadline, and the pages after that are read."""
    chance, struck = random.Random(7), []

    async def story(pool):
        await ask(pool, "x")
        over = asyncio.Event()

        async def strike():
            while not over.is_set():
                await asyncio.sleep(chance.uniform(0, 0.3))
                with contextlib.suppress(ProcessLookupError, IndexError):
                    struck.append(chance.choice(pool.pids))
                    os.kill(struck[-1], blow)

        striking = asyncio.ensure_future(strike())
        outcomes = await asyncio.gather(
            *(
                ask(pool, f"<p>{number}</p>" * 3000, seconds=3, content_type="text/html")
                for number in range(60)
            ),
            return_exceptions=True,
        )
        over.set()
        await striking
        assert all(not isinstance(each, BaseException) or isinstance(each, FetchError) for each in outcomes)

    with pool_of() as pool:
        asyncio.run(story(pool))
        if blow is signal.SIGSTOP:
            for pid in pool.pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
        else:
            _gone(struck[-1])  # or it would be given the next page while it dies
        assert told(pool, "after") == "after"


def test_a_cancelled_page_leaves_its_reader_to_others(pool):
    """Whoever gives up does not hold a reader until the deadline."""

    async def story():
        await all_ready(pool)
        hostile = [asyncio.ensure_future(ask(pool, FOREVER, seconds=60)) for _ in range(2)]
        await asyncio.sleep(0.3)
        for each in hostile:
            each.cancel()
        await asyncio.gather(*hostile, return_exceptions=True)
        return await ask(pool, "told = 'x'", seconds=10)

    assert asyncio.run(story()).document.markdown == "x\n"


def test_loops_in_several_threads_share_the_readers(pool):
    """Slack's bridge, a command line and tests have a loop each."""
    said = []
    threads = [
        threading.Thread(target=lambda number=number: said.append(told(pool, f"told = {number}")))
        for number in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said) == [str(number) for number in range(8)]
    assert len(running(pool)) == 2


def test_one_pool_serves_all_pipelines():
    """And others only where the settings differ."""
    assert shared_pool(ReaderLimits()) is shared_pool(ReaderLimits())
    assert shared_pool(ReaderLimits()) is not shared_pool(ReaderLimits(memory_mb=800))


def test_nothing_runs_before_it_is_needed():
    pool = ReaderPool(ReaderLimits())
    assert pool.pids == []
    pool.close()


def test_a_reader_is_replaced_after_a_number_of_jobs(monkeypatch):
    monkeypatch.setattr(pools, "MOST_JOBS", 3)
    with pool_of(ReaderLimits(processes=1, short=0), program=TAKEN_OVER) as pool:
        pids = [told(pool, "told = os.getpid()") for _ in range(9)]
    assert [len(set(pids[at : at + 3])) for at in (0, 3, 6)] == [1, 1, 1]
    assert len(set(pids)) == 3


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="descriptors are counted in /proc")
def test_a_thousand_pages_leave_nothing_behind(monkeypatch):
    """Neither descriptors nor processes nor threads, though readers are replaced and end by themselves."""
    monkeypatch.setattr(pools, "MOST_JOBS", 100)

    async def story(pool):
        await all_ready(pool)
        before = _held()
        for number in range(1000):
            body = "os._exit(1)" if number % 100 == 50 else f"told = {number}"
            with contextlib.suppress(ExtractionFailed):
                await ask(pool, body)
        await all_ready(pool)
        return before, _held()

    with pool_of(ReaderLimits(short=0), program=TAKEN_OVER) as pool:
        before, after = asyncio.run(story(pool))
        pids = pool.pids
    assert after[0] <= before[0] + 1  # one may just be being replaced
    assert after[1] <= before[1]
    assert {_state(pid) for pid in pids} == {"X"}


def test_a_reader_that_stops_in_the_middle_of_its_answer_holds_its_place_for_seconds_only(monkeypatch):
    """One byte is no answer: the page behind it is read long before the deadline of the two."""
    monkeypatch.setattr("fetcher.web.sandbox.pool.ANSWER_SECONDS", 0.3)
    stuck = "os.write(pipe, b'x'); time.sleep(60)"

    async def story(pool):
        await all_ready(pool)
        hostile = [asyncio.ensure_future(ask(pool, stuck, seconds=30)) for _ in range(2)]
        await asyncio.sleep(0)
        honest = await ask(pool, "told = 'read'", seconds=20)
        ends = await asyncio.gather(*hostile, return_exceptions=True)
        return honest.document.markdown, [type(end).__name__ for end in ends]

    with pool_of(ReaderLimits(short=0), program=TAKEN_OVER) as pool:
        assert asyncio.run(story(pool)) == ("read\n", ["ExtractionFailed", "ExtractionFailed"])


def _held():
    """Descriptors and threads of this process."""
    return len(list(Path("/proc/self/fd").iterdir())), threading.active_count()


def test_a_closed_pool_leaves_no_process():
    with pool_of() as pool:
        pids = running(pool)
    assert {_state(pid) for pid in pids} == {"X"}


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_has_readers_of_its_own():
    """It has neither our threads nor our children, and reading works."""
    ours = shared_pool(ReaderLimits())
    assert told(ours, "x") == "x"
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            own = shared_pool(ReaderLimits())
            os.write(write, told(own, "forked").encode())
            os.write(write, b" own" if own is not ours else b" ours")
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        assert pipe.read() == b"forked own"
    os.waitpid(child, 0)
    assert told(ours, "x") == "x"


ENDING = """
import asyncio, contextlib, os, signal, sys, threading, time
from fetcher.codes import ReadingMode
from fetcher.web.net.deadline import Deadline
from fetcher.web.errors import FetchError
from fetcher.web.sandbox import pool as pools
from fetcher.web.sandbox.limits import ReaderLimits
from fetcher.web.sandbox.pool import shared_pool
from fetcher.web.values import ReadingContext

async def read():
    with contextlib.suppress(FetchError):
        await reading()

async def reading():
    context = ReadingContext(url="https://page.example/", mode=ReadingMode.SRD, content_type="text/plain")
    await pool.read(b"x", context, Deadline(30))

pool = shared_pool(ReaderLimits())
asyncio.run(read())
print(*pool.pids, flush=True)
%s
"""
ENDS = {
    "at its end": "",
    "by sys.exit": "sys.exit(0)",
    "while a page is read": "[os.kill(pid, signal.SIGSTOP) for pid in pool.pids]\n"
    "threading.Thread(target=lambda: asyncio.run(read()), daemon=True).start()\ntime.sleep(0.3)",
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_the_readers_end_with_the_process(end):
    """Quietly, whether they have something to do or not."""
    done = subprocess.run([sys.executable, "-c", ENDING % end], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    for pid in map(int, done.stdout.split()):
        _gone(pid)
        assert _state(pid) in "ZX"
