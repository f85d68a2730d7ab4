"""From a URL to a page that was read: the one place that composes the engine's stages."""

import asyncio
import logging
import ssl
from collections.abc import Iterable
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from typing import Any

from fetcher.clock import Clock, SystemClock
from fetcher.codes import ErrorCode, Note, RenderingMethod
from fetcher.settings import SecuritySettings, Settings, WebFetchSettings
from fetcher.web import rendering
from fetcher.web.browser_reader import BrowserReader
from fetcher.web.cache import CachedPage, open_cache
from fetcher.web.errors import (
    BrowserFailed,
    BrowserUnavailable,
    FetchError,
    HttpClientError,
    RobotsDisallowed,
    SwitchedOff,
    Timeout,
    UnsupportedContentType,
)
from fetcher.web.fetch_job import FetchJob, FetchOptions, FetchResult
from fetcher.web.fetch_log import about, here, under
from fetcher.web.http_reader import HttpReader
from fetcher.web.net import canonical
from fetcher.web.net.deadline import Deadline
from fetcher.web.net.guard import AddressPolicy, FetchGuard
from fetcher.web.net.hops import PinnedGuard
from fetcher.web.net.media_types import Accept
from fetcher.web.net.network import Dialer, Resolver, SystemDialer, SystemResolver
from fetcher.web.net.transport import Transport
from fetcher.web.rendering import Renderer
from fetcher.web.sandbox.limits import ReaderLimits
from fetcher.web.sandbox.pool import shared_pool
from fetcher.web.values import CanonicalUrl, FetchedPage

log = logging.getLogger(__name__)


class Pipeline:
    """Fetches and reads pages under one set of settings; belongs to one event loop."""

    def __init__(
        self,
        tools: Settings,
        *,
        resolver: Resolver | None = None,
        dialer: Dialer | None = None,
        renderer: Renderer | None = None,
        clock: Clock | None = None,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        settings, clock = tools.webfetch, clock or SystemClock()
        self._switched_off_by = tools.switched_off_by
        self._settings = settings
        self._guard = guard_of(settings.security, resolver or SystemResolver())
        transport = Transport(
            dialer=dialer or SystemDialer(),
            ssl_context=ssl_context,
            use_system_proxy=settings.http.use_system_proxy,
        )
        readers = shared_pool(
            ReaderLimits(processes=settings.reader.processes, memory_mb=settings.reader.memory_mb)
        )
        self._http = HttpReader(settings, readers=readers, transport=transport, clock=clock)
        self._browser = BrowserReader(
            settings,
            renderer=renderer,
            readers=readers,
            visit=self._http.visit,
            transport=transport,
            clock=clock,
        )
        self._cache = open_cache(
            directory=settings.cache_dir,
            clock=clock,
            ttl_days=settings.cache_ttl_days,
            query_ttl_hours=settings.cache_query_ttl_hours,
            max_entries=settings.max_cache_entries,
            max_bytes=settings.max_cache_bytes,
        )

    @property
    def settings(self) -> WebFetchSettings:
        return self._settings

    @property
    def is_switched_off(self) -> bool:
        """Whether settings refuse every fetch."""
        return self._switched_off_by is not None

    async def fetch(self, text: str, want: FetchOptions) -> FetchedPage:
        """The page at a URL; raises a FetchError."""
        method = RenderingMethod.BROWSER if want.force_browser else RenderingMethod.HTTP
        url = None
        try:
            if self._switched_off_by:
                raise SwitchedOff(setting=self._switched_off_by)
            rendering.blocked_kinds(self._settings.browser)  # SRD FR-WF-BLOCKRES-01: whatever the page needs
            url = canonical.canonicalise(text)
            with under(url, method):
                log.info("fetch_start", extra=here())
                page = await self._page(text, url, want)
        except FetchError as error:
            event = "ssrf_blocked" if error.code is ErrorCode.SSRF_BLOCKED else "fetch_failed"
            found = url or canonical.attempted(text)
            log.info(event, extra=about(found, method, error_code=error.code, **_blocked(error)))
            raise
        except asyncio.CancelledError:
            log.info("fetch_cancelled", extra=about(url, method))
            raise
        hit = Note.CACHE_HIT in page.notes
        log.info("fetch_complete", extra=about(url, page.rendering_method, cache_hit=hit))
        return page

    async def _page(self, text: str, url: CanonicalUrl, want: FetchOptions) -> FetchedPage:
        self._guard.check_url(url)
        # In place: reading a file takes a fraction of what waiting for a thread does.
        if not want.no_cache and (hit := self._recall(url, want)):
            return await self._served(text, url, hit)
        deadline = Deadline(want.timeout_seconds)
        job = FetchJob(text=text, url=url, want=want, guard=PinnedGuard(self._guard), deadline=deadline)
        try:
            result = await self._read(job)
        except FetchError as error:
            gone = job.visited if _is_withdrawn(error) else job.superseded
            await asyncio.to_thread(self._forget, gone)
            raise
        except asyncio.CancelledError:
            forget = partial(copy_context().run, self._forget, job.superseded)
            asyncio.get_running_loop().run_in_executor(None, forget)
            raise
        stored = await asyncio.to_thread(self._remember, job, result)
        notes = job.notes | result.page.notes | (set() if stored else {Note.CACHE_WRITE_FAILED})
        return replace(result.page, notes=frozenset(notes))

    async def _read(self, job: FetchJob) -> FetchResult:
        """SRD §3.4.6: HTTP first, and a browser where it is asked for or needed."""
        if job.want.force_browser:
            return await self._browser.read(job)
        if rendering.is_js_heavy(job.url, self._settings.rendering):
            return await self._rendered(job, unless=BrowserUnavailable) or await self._http.read(job)
        result = await self._http.read(job)
        if not result.unfilled:
            return result
        # Nobody asked for a browser, and a page is at hand: one that breaks down is as good as none.
        return await self._rendered(job, unless=(BrowserFailed, Timeout)) or result

    async def _rendered(
        self, job: FetchJob, *, unless: type[FetchError] | tuple[type[FetchError], ...]
    ) -> FetchResult | None:
        """The page in the browser, or None where plain HTTP has to do (SRD FR-WF-12d)."""
        try:
            self._browser.require_time(job)
            return await self._browser.read(job)
        except unless as error:
            fields = about(job.url, RenderingMethod.HTTP, error_code=error.code, **error.details)
            log.warning("browser_unavailable", extra=fields)
            job.notes.add(Note.BROWSER_UNAVAILABLE_USED_HTTP)
            job.browser_broke_down = not isinstance(error, BrowserUnavailable) or error.for_now
            return None
        except UnsupportedContentType:
            if job.want.accept is Accept.WEB_FETCH:
                raise
            return None  # no page, but a text that the caller reads as it is

    def _recall(self, url: CanonicalUrl, want: FetchOptions) -> CachedPage | None:
        """A cached page: the http kind before the browser's, unless the browser is forced (E11)."""
        methods = [RenderingMethod.BROWSER] if want.force_browser else list(RenderingMethod)
        hits = (self._cache.lookup(url, method, want.mode) for method in methods) if self._cache else ()
        return next(filter(None, hits), None)

    async def _served(self, text: str, url: CanonicalUrl, hit: CachedPage) -> FetchedPage:
        """A cached page, if today's policy lets it be served; that it was used is noted meanwhile."""
        self._guard.check_url(hit.final_url)
        assert self._cache is not None
        try:
            for asked in dict.fromkeys((url, hit.final_url)):
                await self._http.check_known_rules(asked)
        except RobotsDisallowed:
            await asyncio.to_thread(self._forget, [url, hit.final_url])
            raise
        touch = partial(copy_context().run, self._cache.touch, hit)  # its log names this fetch
        asyncio.get_running_loop().run_in_executor(None, touch)
        return FetchedPage(
            requested_url=text,
            final_url=hit.final_url,
            fetched_at=hit.fetched_at,
            document=hit.document,
            rendering_method=hit.rendering_method,
            notes=frozenset({Note.CACHE_HIT}),
        )

    def _forget(self, urls: Iterable[CanonicalUrl]) -> None:
        """Removes what was kept of pages that their sites have withdrawn, or no longer let be kept (E30)."""
        if self._cache is not None:
            self._cache.forget(urls)

    def _remember(self, job: FetchJob, result: FetchResult) -> bool:
        """False if the page could not be stored; one that is not to be kept, or has no cache, could."""
        page = result.page
        self._forget(job.superseded)
        if not result.complete or job.browser_broke_down or page.final_url in job.unstorable:
            return True
        return self._cache is None or self._cache.store(
            # What may not be kept includes where a URL leads to; the page there stands for itself.
            requested=page.final_url if job.unstorable else job.url,
            final=page.final_url,
            method=page.rendering_method,
            mode=job.want.mode,
            fetched_at=page.fetched_at,
            document=page.document,
        )


def guard_of(security: SecuritySettings, resolver: Resolver) -> FetchGuard:
    """The guard that settings describe; says aloud what they switch off (SRD FR-WF-05b)."""
    if security.overrides:
        names = [override.partition("=")[0] for override in security.overrides]
        fields = here(event="ssrf_protection_disabled")
        log.warning("SSRF protection disabled for: %s", ", ".join(names), extra=fields)
    policy = AddressPolicy(
        disabled_toggles=security.opened,
        additional_blocked=security.additional_blocked_cidrs,
        exempt=security.exempt_cidrs,
    )
    return FetchGuard(
        policy=policy,
        allowed_ports=security.allowed_ports,
        max_dns_attempts=security.max_dns_attempts,
        resolver=resolver,
    )


WITHDRAWN = frozenset({401, 403, 404, 410, 451})
"""Statuses with which a site takes a page back."""


def _is_withdrawn(error: FetchError) -> bool:
    """Whether a site no longer shows a page to us, so that a copy is not to be shown either."""
    if isinstance(error, HttpClientError):
        return error.status in WITHDRAWN
    return isinstance(error, RobotsDisallowed | UnsupportedContentType)


def _blocked(error: FetchError) -> dict[str, Any]:
    """What the log says of a blocked address, and no user ever hears (E18)."""
    return {name: error.details[name] for name in ("blocked_ip", "cidr") if name in error.details}
