"""A loop in a thread of its own starts late and ends for certain."""

import asyncio
import threading
import time
from concurrent.futures import CancelledError

import pytest

from fetcher.event_loop_thread import EventLoopThread

NAME = "a loop under test"


async def _nothing():
    pass


def _threads():
    return [thread for thread in threading.enumerate() if thread.name == NAME]


def test_the_thread_starts_with_the_first_work_and_ends_with_close():
    loop = EventLoopThread(NAME)
    assert _threads() == []
    assert loop.submit(asyncio.sleep(0, "done")).result(60) == "done"
    assert len(_threads()) == 1
    loop.close(_nothing)
    assert _threads() == []


def test_what_runs_is_cancelled_before_the_last_work():
    loop, order = EventLoopThread(NAME), []

    async def wait():
        try:
            await asyncio.Event().wait()
        finally:
            order.append("cancelled")

    async def finish():
        order.append("finished")

    waiting = loop.submit(wait())
    loop.submit(_nothing()).result(60)
    loop.close(finish, 5)
    assert order == ["cancelled", "finished"]
    assert waiting.cancelled()


@pytest.mark.parametrize("end", ["stop", "close"])
def test_work_after_the_end_is_not_begun(end):
    loop = EventLoopThread(NAME)
    loop.stop() if end == "stop" else loop.close(_nothing)
    with pytest.raises(CancelledError):
        loop.submit(_nothing()).result(60)
    assert _threads() == []


def test_stopping_does_not_wait_for_the_loops_own_threads():
    loop, held = EventLoopThread(NAME), threading.Event()

    async def leave_a_thread():
        asyncio.get_running_loop().run_in_executor(None, held.wait)

    loop.submit(leave_a_thread()).result(60)
    thread = loop.stop()
    assert thread is not None
    held.set()
    thread.join(60)
    assert not thread.is_alive()


def test_last_work_that_hangs_or_fails_is_told_and_the_thread_ends():
    hanging = EventLoopThread(NAME)
    hanging.submit(_nothing()).result(60)
    with pytest.raises(TimeoutError):
        hanging.close(lambda: asyncio.sleep(60), 0.2)

    async def fail():
        raise RuntimeError("no")

    failing = EventLoopThread(NAME)
    failing.submit(_nothing()).result(60)
    with pytest.raises(RuntimeError, match="no"):
        failing.close(fail, 5)
    deadline = time.monotonic() + 60
    while _threads() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert _threads() == []


def test_closing_cancels_what_was_submitted_and_that_cancels_its_own_tasks():
    """A task of a task group that is cancelled before its first step would lose its coroutine."""
    loop, begun, events = EventLoopThread("test"), threading.Event(), []

    async def child():
        try:
            await asyncio.sleep(60)
        finally:
            events.append("child ended")

    async def parent():
        inner = asyncio.ensure_future(child())
        await asyncio.sleep(0)
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.01)
            events.append("parent cancels its own task")
            inner.cancel()

    async def finish():
        events.append("finished")

    loop.submit(parent())
    assert begun.wait(60)
    loop.close(finish, 10)
    assert events == ["parent cancels its own task", "child ended", "finished"]
