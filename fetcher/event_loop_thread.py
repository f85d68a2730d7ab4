"""An event loop in a thread of its own, for callers in other threads or on other loops."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class EventLoopThread:
    """Runs coroutines on one loop; the loop and its thread start with the first coroutine."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._closed = False
        self._submitted: set[asyncio.Task[Any]] = set()

    def submit(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Start a coroutine; cancelling the future cancels it. After the end, the future is cancelled."""
        with self._lock:
            if not self._closed:
                if self._loop is None:
                    self._loop = asyncio.new_event_loop()
                    self._loop.set_task_factory(self._create_task)
                    self._thread = threading.Thread(
                        target=_run, args=(self._loop,), name=self._name, daemon=True
                    )
                    self._thread.start()
                return asyncio.run_coroutine_threadsafe(work, self._loop)
        work.close()
        future: Future[T] = Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future

    def _create_task(
        self,
        loop: asyncio.AbstractEventLoop,
        work: Coroutine[Any, Any, Any] | Generator[Any, None, Any],
        /,
        **options: Any,
    ) -> "asyncio.Task[Any]":
        task = asyncio.Task(work, loop=loop, **options)
        if asyncio.current_task(loop) is None:  # submitted from outside, not a part of another task
            self._submitted.add(task)
            task.add_done_callback(self._submitted.discard)
        return task

    def stop(self) -> threading.Thread | None:
        """Take no more work and end the thread, which first cancels what runs. Does not wait for it."""
        with self._lock:
            self._closed = True
            thread, self._thread = self._thread, None
        if thread is not None and self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
        return thread

    def close(self, finish: Callable[[], Coroutine[Any, Any, None]], seconds: float | None = None) -> None:
        """Cancel what runs, run `finish` on the loop and end the thread; without a thread, do nothing.

        Only submitted coroutines are cancelled here, and they cancel their own tasks: anyio loses the
        coroutine of a task that is cancelled from outside before its first step.
        Waits at most `seconds` for `finish`, and as long again for the thread. Raises TimeoutError, or what
        `finish` raises.
        """

        async def cancel_then_finish() -> None:
            others = self._submitted - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            await finish()

        with self._lock:
            already_closed, self._closed = self._closed, True
            loop = None if already_closed else self._loop
        if loop is None:
            return
        try:
            asyncio.run_coroutine_threadsafe(cancel_then_finish(), loop).result(seconds)
        finally:
            if thread := self.stop():
                thread.join(seconds)


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop until it is stopped; the runner then cancels what is left and ends the loop's threads."""
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.get_loop().run_forever()
