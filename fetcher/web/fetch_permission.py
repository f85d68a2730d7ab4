"""Whether a site's robots.txt lets a fetch request a URL; `PinnedGuard.permit` has the caller's own rules."""

from fetcher.clock import Clock
from fetcher.settings import WebFetchSettings
from fetcher.web.fetch_job import FetchJob
from fetcher.web.net.robots_gate import RobotsGate
from fetcher.web.net.transport import Transport
from fetcher.web.values import CanonicalUrl


class FetchPermission:
    """Asked before each request for a page: for each hop over HTTP, and each top document in the browser."""

    def __init__(self, settings: WebFetchSettings, *, transport: Transport, clock: Clock) -> None:
        self._robots = RobotsGate(settings, transport=transport, clock=clock)

    async def require(self, job: FetchJob, url: CanonicalUrl) -> None:
        """Ask robots.txt; raises if it refuses. The caller's own rules were asked before."""
        job.visited.append(url)
        if note := await self._robots.check(url, job.guard, job.deadline):
            job.notes.add(note)

    async def require_for_copy(self, *urls: CanonicalUrl) -> None:
        """Raises if a robots.txt that is remembered forbids a URL of a cached page."""
        for url in dict.fromkeys(urls):
            await self._robots.check_known(url)
