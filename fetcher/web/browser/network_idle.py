"""Counts the requests of a page, and waits until there have been none for a while (SRD FR-WF-11e)."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

QUIET_SECONDS = 0.5


class NetworkActivity:
    """Counts requests in flight; a page is idle only if its document is loaded too."""

    def __init__(self) -> None:
        self._in_flight = 0
        self._loaded = False
        self._changed = asyncio.Event()
        self._quiet_since = 0.0

    @contextmanager
    def request(self) -> Iterator[None]:
        """Count a request while the block runs: from its interception to its response."""
        self._in_flight += 1
        self._note_change()
        try:
            yield
        finally:
            self._in_flight -= 1
            self._note_change()

    def document_requested(self) -> None:
        """Note that another document will replace this one."""
        self._loaded = False
        self._note_change()

    def document_loaded(self) -> None:
        """Note the event DOMContentLoaded."""
        self._loaded = True
        self._note_change()

    async def wait_until_idle(self) -> None:
        """Return once the page has been without requests for `QUIET_SECONDS`."""
        loop = asyncio.get_running_loop()
        while True:
            busy = self._in_flight or not self._loaded
            left = None if busy else self._quiet_since + QUIET_SECONDS - loop.time()
            if left is not None and left <= 0:
                return
            self._changed.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), left)

    def _note_change(self) -> None:
        self._quiet_since = asyncio.get_running_loop().time()
        self._changed.set()
