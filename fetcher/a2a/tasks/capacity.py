"""How many questions are answered at a time, and what `/ping` says of it."""

import asyncio
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from fetcher.clock import Clock


class NoCapacity(Exception):
    """As many questions as allowed are being answered, or the server is about to stop."""


class Capacity:
    """A bounded number of questions; a question above it is refused at once and does not wait."""

    def __init__(self, most: int, clock: Clock) -> None:
        self._most = most
        self._clock = clock
        self._changed_at = clock.now()
        self._running = 0
        self._closed = False
        self._free = asyncio.Event()
        self._free.set()

    def take(self) -> AbstractContextManager[None]:
        """Count a question for as long as the block runs; raises NoCapacity before the block begins."""
        if self._closed or self._running >= self._most:
            raise NoCapacity
        self._count(+1)

        @contextmanager
        def give_back() -> Iterator[None]:
            try:
                yield
            finally:
                self._count(-1)

        return give_back()

    def close(self) -> None:
        """Admit no more questions."""
        self._closed = True

    async def wait_until_free(self, seconds: float) -> bool:
        """Whether no question runs any more, after waiting at most so long."""
        try:
            await asyncio.wait_for(self._free.wait(), seconds)
        except TimeoutError:
            return False
        return True

    @property
    def health(self) -> dict[str, Any]:
        """The body of `/ping`, as AgentCore wants it."""
        status = "HealthyBusy" if self._running else "Healthy"
        return {"status": status, "time_of_last_update": int(self._changed_at.timestamp())}

    def _count(self, change: int) -> None:
        self._running += change
        if self._running in (0, 1):
            self._changed_at = self._clock.now()
        if self._running:
            self._free.clear()
        else:
            self._free.set()
