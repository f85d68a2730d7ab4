"""What a page has on its way, and when it has had nothing for a while (SRD FR-WF-11e)."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

QUIET_SECONDS = 0.5


class NetworkActivity:
    """Counts requests in flight; idle also needs a document whose content is loaded."""

    def __init__(self) -> None:
        self._in_flight = 0
        self._loaded = False
        self._changed = asyncio.Event()
        self._quiet_since = 0.0

    @contextmanager
    def request(self) -> Iterator[None]:
        """A request, from its interception to its answer."""
        self._in_flight += 1
        self._note()
        try:
            yield
        finally:
            self._in_flight -= 1
            self._note()

    def document_requested(self) -> None:
        """Another document is to take the place of this one."""
        self._loaded = False
        self._note()

    def document_loaded(self) -> None:
        """DOMContentLoaded."""
        self._loaded = True
        self._note()

    async def idle(self) -> None:
        """Returns once nothing has been on its way for the length of `QUIET_SECONDS`."""
        loop = asyncio.get_running_loop()
        while (left := self._left(loop.time())) is None or left > 0:
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), left)
            except TimeoutError:
                continue

    def _left(self, now: float) -> float | None:
        """Seconds of quiet that are still missing; None where there is no quiet at all."""
        if self._in_flight or not self._loaded:
            return None
        return self._quiet_since + QUIET_SECONDS - now

    def _note(self) -> None:
        self._quiet_since = asyncio.get_running_loop().time()
        self._changed.set()
