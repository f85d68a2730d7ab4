"""Pages read over plain HTTP: asked for hop by hop, decoded and read."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

from fetcher.clock import Clock
from fetcher.codes import Note
from fetcher.settings import WebFetchSettings
from fetcher.web.fetch_job import FetchJob, FetchResult
from fetcher.web.net import robots
from fetcher.web.net.deadline import Deadline
from fetcher.web.net.hops import PinnedGuard, RequestPlan, follow, require_success
from fetcher.web.net.media_types import ACCEPTED, Accept, media_type
from fetcher.web.net.robots_gate import RobotsGate
from fetcher.web.net.transport import OpenResponse, Transport
from fetcher.web.rendering import unfilled_below
from fetcher.web.sandbox.pool import ReaderPool
from fetcher.web.values import CanonicalUrl, FetchedPage, Headers, RawResponse, ReadingContext


class HttpReader:
    """Reads without a browser; `visit` asks about a URL, whoever is to request it."""

    def __init__(
        self, settings: WebFetchSettings, *, readers: ReaderPool, transport: Transport, clock: Clock
    ) -> None:
        self._settings = settings
        self._readers = readers
        self._transport = transport
        self._clock = clock
        self._headers = Headers([("User-Agent", settings.user_agent), ("Accept", ACCEPTED)])
        self._robots = RobotsGate(
            fetch=self._fetch_robots,
            token=settings.robots.user_agent_token or robots.user_agent_token(settings.user_agent),
            clock=clock,
            fail_open=settings.robots.fail_open,
            ttl=timedelta(hours=settings.robots_cache_ttl_hours),
            max_entries=settings.robots_cache_entries,
        )

    async def read(self, job: FetchJob) -> FetchResult:
        self._readers.start()  # while the page is on its way
        response = require_success(await self._get(job), self._clock.now())
        context = ReadingContext(
            url=str(response.url),
            mode=job.want.mode,
            accept=job.want.accept,
            content_type=response.headers.first("content-type"),
            cut=response.cut,
            unfilled_below=unfilled_below(self._settings.rendering),
        )
        reading = await self._readers.read(response.body, context, job.deadline)
        if not Accept.WEB_FETCH.takes(reading.media_type):
            job.unstorable.add(response.url)  # the cache is for pages
        page = FetchedPage(
            requested_url=job.text,
            final_url=response.url,
            fetched_at=self._clock.now(),
            document=reading.document,
            notes=frozenset({Note.CHARSET_FALLBACK} if reading.fallback else ()),
            cut=response.cut,
        )
        return FetchResult(
            page=page,
            complete=not response.cut,
            unfilled=reading.unfilled,
        )

    async def visit(self, job: FetchJob, url: CanonicalUrl) -> None:
        """Asks the caller and the site's robots.txt before a URL is requested; raises to stop there."""
        job.visited.append(url)
        job.want.permit(url)
        if note := await self._robots.check(url, job.guard, job.deadline):
            job.notes.add(note)

    async def check_known_rules(self, url: CanonicalUrl) -> None:
        """Raises where a robots.txt that is known already forbids a URL."""
        await self._robots.check_known(url)

    async def _get(self, job: FetchJob) -> RawResponse:
        errand = RequestPlan(
            headers=self._headers,
            max_bytes=job.want.max_bytes,
            max_redirects=self._settings.max_redirects,
            cut=job.want.cut,
            visit=partial(self.visit, job),
            answered=job.learn,
            admit=partial(_admit, job.want.accept),
        )
        return await follow(
            job.url, errand, guard=job.guard, transport=self._transport, deadline=job.deadline
        )

    async def _fetch_robots(
        self,
        url: CanonicalUrl,
        redirect: Callable[[CanonicalUrl], None],
        guard: PinnedGuard,
        deadline: Deadline,
    ) -> RawResponse:
        errand = RequestPlan(
            headers=self._headers,
            max_bytes=self._settings.robots.max_robots_bytes,
            max_redirects=self._settings.max_redirects,
            cut=True,
            redirect=redirect,
        )
        return await follow(url, errand, guard=guard, transport=self._transport, deadline=deadline)


def _admit(accept: Accept, response: OpenResponse) -> None:
    """Refuses a type that is not read before its body is downloaded."""
    accept.require(media_type(response.headers.first("content-type"), b""))
