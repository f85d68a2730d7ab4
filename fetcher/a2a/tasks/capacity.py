"""How many questions are answered at a time, and what `/ping` says of it."""

import asyncio
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from fetcher.clock import Clock


class NoCapacity(Exception):
    """As many questions as may be are being answered, or the server is about to stop."""


class Capacity:
    """A bounded number of places; whoever finds none is told at once and does not wait."""

    def __init__(self, most: int, clock: Clock) -> None:
        self._most = most
        self._clock = clock
        self._changed_at = clock.now()
        self._taken = 0
        self._closed = False
        self._empty = asyncio.Event()
        self._empty.set()

    def taken(self) -> AbstractContextManager[None]:
        """A place for as long as the block runs; raises NoPlace, before the block does."""
        if self._closed or self._taken >= self._most:
            raise NoCapacity
        self._count(+1)
        return self._held()

    @contextmanager
    def _held(self) -> Iterator[None]:
        try:
            yield
        finally:
            self._count(-1)

    def close(self) -> None:
        """Gives no more places."""
        self._closed = True

    async def left(self, within: float) -> bool:
        """Whether all places are free within some seconds."""
        try:
            await asyncio.wait_for(self._empty.wait(), within)
        except TimeoutError:
            return False
        return True

    @property
    def health(self) -> dict[str, Any]:
        """The body of `/ping`, as AgentCore wants it."""
        status = "HealthyBusy" if self._taken else "Healthy"
        return {"status": status, "time_of_last_update": int(self._changed_at.timestamp())}

    def _count(self, change: int) -> None:
        self._taken += change
        if self._taken in (0, 1):
            self._changed_at = self._clock.now()
        if self._taken:
            self._empty.clear()
        else:
            self._empty.set()
