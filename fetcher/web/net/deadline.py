"""One limit of time for a whole fetch.

Client timeouts restart with every byte, so a server that sends one byte after the other never meets them; a
deadline does not move. Work under a deadline runs in a named phase, so that a timeout can name it.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from fetcher.web.errors import Timeout


@dataclass(slots=True)
class Phase:
    """The work that is done under a deadline; its name may change while it runs."""

    name: str

    def rename(self, name: str) -> None:
        self.name = name


class Deadline:
    """A moment on the running loop's clock at which all work ends (SRD FR-WF-TIMEOUT-02)."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._at = asyncio.get_running_loop().time() + seconds
        self._scopes: list[asyncio.Timeout] = []

    @property
    def remaining(self) -> float:
        return max(0.0, self._at - asyncio.get_running_loop().time())

    def extend(self, seconds: float) -> None:
        """Give the whole work so many seconds from its beginning, if it has fewer: a document came."""
        more = max(0.0, seconds - self.seconds)
        self.seconds += more
        self._at += more
        for scope in self._scopes:
            scope.reschedule(self._at)

    def half(self) -> "Deadline":
        """A deadline for work before the main request: half of the time that is left."""
        return Deadline(self.remaining / 2)

    def expired(self, phase: str) -> Timeout:
        return Timeout(timeout_ms=round(self.seconds * 1000), phase=phase)

    @asynccontextmanager
    async def phase(self, name: str) -> AsyncIterator[Phase]:
        """Run a block; at the deadline it is cancelled, and `timeout` is raised."""
        scope, phase = asyncio.timeout_at(self._at), Phase(name)
        self._scopes.append(scope)
        try:
            async with scope:
                yield phase
        except TimeoutError:
            if not scope.expired():
                raise
            raise self.expired(phase.name) from None
        finally:
            self._scopes.remove(scope)
