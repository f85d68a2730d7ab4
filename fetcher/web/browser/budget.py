"""Limits on what a page loads besides its own document (SRD FR-WF-BROWSER-BUDGET-01)."""

import logging

from fetcher.codes import RenderingMethod
from fetcher.web.errors import ResponseTooLarge
from fetcher.web.fetch_log import here

log = logging.getLogger(__name__)

MOST_REQUESTS = 2000
"""Far more than any page needs; a script could make requests without end."""
MOST_FOREIGN = 100
"""Requests to hosts other than the page's: each may tell its host something."""


class ResourceBudget:
    """Counts bytes and requests; a resource that exceeds the bytes that are left uses up the budget."""

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
