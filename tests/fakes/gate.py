"""A gate that holds answers of `FakeWeb` back until a test opens it.

It stands where a sleep would otherwise: a test waits until so many requests are held, looks at
the state of things, and lets them go on.
"""

import asyncio
import contextlib
import threading
from collections.abc import AsyncGenerator

from tests.fakes.answers import Request, Script


class Gate:
    """Closed when new; once opened it stays open."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._open = False
        self._held: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()

    def before(self, script: Script) -> Script:
        """The same script, begun when the gate is open."""

        async def held(request: Request) -> AsyncGenerator[bytes, None]:
            await self._pass()
            async with contextlib.aclosing(script(request)) as pieces:
                async for piece in pieces:
                    yield piece

        return held

    @property
    def held(self) -> int:
        """How many requests stand before the gate."""
        return len(self._held)

    def wait_until_held(self, number: int, within: float = 60) -> bool:
        """Whether so many requests come to stand before the gate within some seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: self.held >= number, within)

    def wait_until_left(self, within: float = 60) -> bool:
        """Whether every request that stands before the gate is given up within some seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self.held, within)

    def open(self) -> None:
        with self._changed:
            self._open = True
            for loop, event in self._held:
                loop.call_soon_threadsafe(event.set)

    async def _pass(self) -> None:
        place = asyncio.get_running_loop(), asyncio.Event()
        with self._changed:
            if self._open:
                return
            self._held.add(place)
            self._changed.notify_all()
        try:
            await place[1].wait()
        finally:
            with self._changed:
                self._held.discard(place)
                self._changed.notify_all()
