"""Calls a function repeatedly in its own thread, when needed but not too often."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context


class ThrottledThread:
    """Calls `work` soon after a nudge, at most every `interval` seconds and at least every `idle`."""

    def __init__(self, work: Callable[[], None], *, interval: float, idle: float) -> None:
        self._work = work
        self._interval = interval
        self._idle = idle
        self._needed = threading.Event()
        self._over = threading.Event()
        self._pool: ThreadPoolExecutor | None = None
        self._running: Future[None] | None = None

    def start(self) -> None:
        if self._running is None:
            self._pool = ThreadPoolExecutor(1, thread_name_prefix="pacer")
            self._running = self._pool.submit(copy_context().run, self._run)  # it speaks the same language

    def nudge(self) -> None:
        """Ask for a call; returns at once, from any thread."""
        self._needed.set()

    def stop(self) -> None:
        """Wait for a call that is running and start no other; raise once what `work` raised."""
        self.abandon()
        running, self._running = self._running, None
        if running is not None:
            running.result()

    def abandon(self) -> None:
        """Stop, and ignore what `work` raised."""
        self._over.set()
        self._needed.set()
        if self._pool is not None:
            self._pool.shutdown(wait=True)

    def _run(self) -> None:
        while not self._over.wait(self._interval):
            self._needed.wait(self._idle)
            self._needed.clear()
            if self._over.is_set():
                return
            self._work()
