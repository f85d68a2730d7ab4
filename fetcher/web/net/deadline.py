"""One budget of time for a whole fetch.

Client timeouts restart with every byte, so a slow drip never meets them; a deadline does not
move. Whoever works under it says what it is doing, so that a timeout can name the phase.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fetcher.web.errors import Timeout


class Phase:
    """What is being done under a deadline; work may pass from one phase to the next."""

    def __init__(self, name: str) -> None:
        self.name = name

    def rename(self, name: str) -> None:
        self.name = name


class Deadline:
    """A moment on the running loop's clock after which nothing goes on (SRD FR-WF-TIMEOUT-02)."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._at = asyncio.get_running_loop().time() + seconds

    @property
    def remaining(self) -> float:
        return max(0.0, self._at - asyncio.get_running_loop().time())

    def half(self) -> "Deadline":
        """A deadline for a preliminary: it may spend half of what is left."""
        return Deadline(self.remaining / 2)

    def expired(self, phase: str) -> Timeout:
        return Timeout(timeout_ms=round(self.seconds * 1000), phase=phase)

    @asynccontextmanager
    async def phase(self, name: str) -> AsyncIterator[Phase]:
        """Runs a block that is cancelled at the deadline and then raises `timeout`."""
        scope, phase = asyncio.timeout_at(self._at), Phase(name)
        try:
            async with scope:
                yield phase
        except TimeoutError:
            if not scope.expired():
                raise
            raise self.expired(phase.name) from None
