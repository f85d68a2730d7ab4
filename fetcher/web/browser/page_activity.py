"""What a page has under way and has used up: requests in flight, bytes, and requests in all."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from fetcher.codes import RenderingMethod
from fetcher.web.errors import ResponseTooLarge
from fetcher.web.fetch_log import here

log = logging.getLogger(__name__)

QUIET_SECONDS = 0.5
MOST_REQUESTS = 2000
"""Far more than any page needs; a script could make requests without end."""
MOST_FOREIGN = 100
"""Requests to hosts other than the page's: each may tell its host something."""


class NetworkActivity:
    """Counts requests in flight; a page is idle if its document is loaded too (SRD FR-WF-11e)."""

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


class ResourceBudget:
    """Limits what a page loads besides its own document (SRD FR-WF-BROWSER-BUDGET-01).

    A resource that exceeds the bytes that are left uses up the budget.
    """

    def __init__(self, *, each: int, total: int) -> None:
        self._each = each
        self._total = self._left = total
        self._requests = self._foreign = 0

    @property
    def exhausted(self) -> bool:
        return self._left <= 0

    @property
    def allowance(self) -> int:
        """The most bytes that the next resource may have."""
        return min(self._each, self._left)

    def admit_request(self) -> bool:
        """Count a request; False if there are too many. The first that is too many is logged."""
        self._requests += 1
        if self._requests == MOST_REQUESTS + 1:
            _warn("browser_request_limit", MOST_REQUESTS)
        return self._requests <= MOST_REQUESTS

    def admit_foreign(self) -> bool:
        """Count a request to another host than the page's, in the same way."""
        self._foreign += 1
        if self._foreign == MOST_FOREIGN + 1:
            _warn("browser_foreign_request_limit", MOST_FOREIGN)
        return self._foreign <= MOST_FOREIGN

    def spend(self, size: int) -> None:
        """Count bytes that have arrived; raises if other resources have used up the budget meanwhile."""
        if size > self._left:
            raise ResponseTooLarge(size=size, max_bytes=self._left)
        self._left -= size

    def record_too_large(self, error: ResponseTooLarge) -> None:
        """Note that a resource was refused: for its own size, or because fewer bytes are left."""
        if error.details["max_bytes"] >= self._each:
            _warn("browser_resource_too_large", self._each)
        elif not self.exhausted:
            self._left = 0
            _warn("browser_page_budget_exhausted", self._total)


def _warn(event: str, number: int) -> None:
    fields = here(event=event, rendering_method=RenderingMethod.BROWSER)
    log.warning("%s: %d", event, number, extra=fields)
