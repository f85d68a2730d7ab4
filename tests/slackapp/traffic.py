"""Knows when everything that was begun has come to its end."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any


class Traffic:
    """Counts what is under way in the pools that it makes: none means that nothing more will happen."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._count = 0

    def pool(self, threads: int) -> ThreadPoolExecutor:
        return _CountedPool(threads, self)

    def add(self, number: int) -> None:
        with self._changed:
            self._count += number
            self._changed.notify_all()

    def ended(self, within: float) -> bool:
        """Whether everything is over within some seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._count, within)


class _CountedPool(ThreadPoolExecutor):
    def __init__(self, threads: int, traffic: Traffic) -> None:
        super().__init__(threads)
        self._traffic = traffic

    def submit(self, *args: Any, **kwargs: Any) -> Future[Any]:
        self._traffic.add(1)
        try:
            future = super().submit(*args, **kwargs)
        except RuntimeError:  # it was shut down
            self._traffic.add(-1)
            raise
        future.add_done_callback(lambda _: self._traffic.add(-1))
        return future
