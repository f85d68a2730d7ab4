"""At most a few requests at a time to one host."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

REQUESTS_PER_HOST = 2


class HostSlots:
    """Limits the requests to each host; waiting requests get a slot in the order of their arrival."""

    def __init__(self, limit: int = REQUESTS_PER_HOST) -> None:
        self._limit = limit
        self._slots: dict[str, asyncio.Semaphore] = {}
        self._users: dict[str, int] = {}

    @asynccontextmanager
    async def hold(self, host: str) -> AsyncIterator[None]:
        """Wait for a slot, and hold it while the block runs."""
        slots = self._slots.setdefault(host, asyncio.Semaphore(self._limit))
        self._users[host] = self._users.get(host, 0) + 1
        try:
            async with slots:
                yield
        finally:
            self._users[host] -= 1
            if not self._users[host]:
                del self._users[host], self._slots[host]
