"""From a URL to a page that was read: the one module that composes the engine's stages."""

import asyncio
import logging
import ssl
from collections.abc import Iterable
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from typing import TypeVar

from fetcher.clock import Clock, SystemClock
from fetcher.codes import ErrorCode, Note, RenderingMethod
from fetcher.settings import SecuritySettings, Settings, WebFetchSettings
from fetcher.web.browser_reader import BrowserReader, Renderer, blocked_kinds, is_js_heavy
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
from fetcher.web.fetch_permission import FetchPermission
from fetcher.web.http_reader import HttpReader
from fetcher.web.net import canonical
from fetcher.web.net.deadline import Deadline
from fetcher.web.net.guard import AddressPolicy, FetchGuard
from fetcher.web.net.hops import PinnedGuard
from fetcher.web.net.media_types import Accept
from fetcher.web.net.network import Dialer, Resolver, SystemDialer, SystemResolver
from fetcher.web.net.transport import Transport
from fetcher.web.sandbox.limits import ReaderLimits
from fetcher.web.sandbox.pool import shared_pool
from fetcher.web.search.tasks import Task
from fetcher.web.values import CanonicalUrl, Document, FetchedPage, Reading

log = logging.getLogger(__name__)

WITHDRAWN = frozenset({401, 403, 404, 410, 451})
"""Statuses with which a site withdraws a page."""
TASK_SECONDS = 10
"""For what is made of a page's text; it takes a hundredth of it for most pages."""

T = TypeVar("T")


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
        self.settings: WebFetchSettings = settings
        self._guard = build_guard(settings.security, resolver or SystemResolver())
        transport = Transport(
            dialer=dialer or SystemDialer(),
            ssl_context=ssl_context,
            use_system_proxy=settings.http.use_system_proxy,
        )
        limits = ReaderLimits(processes=settings.reader.processes, memory_mb=settings.reader.memory_mb)
        self._readers = readers = shared_pool(limits)
        self._permission = FetchPermission(settings, transport=transport, clock=clock)
        self._http = HttpReader(
            settings,
            readers=readers,
            document_readers=shared_pool(replace(limits, documents=True, short=0)),
            permission=self._permission,
            transport=transport,
            clock=clock,
        )
        self._browser = BrowserReader(
            settings,
            renderer=renderer,
            readers=readers,
            permission=self._permission,
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
    def is_switched_off(self) -> bool:
        """Whether settings refuse every fetch."""
        return self._switched_off_by is not None

    async def fetch(self, text: str, options: FetchOptions) -> FetchedPage:
        """Fetch and read the page at a URL, and log how it went; raises a FetchError."""
        method = RenderingMethod.BROWSER if options.force_browser else RenderingMethod.HTTP
        url = None
        try:
            if self._switched_off_by:
                raise SwitchedOff(setting=self._switched_off_by)
            # SRD FR-WF-BLOCKRES-01: unknown kinds are refused even where no browser is needed.
            blocked_kinds(self.settings.browser)
            url = canonical.canonicalise(text)
            with under(url, method):
                log.info("fetch_start", extra=here())
                page = await self._recall_or_read(text, url, options)
        except FetchError as error:
            event = "ssrf_blocked" if error.code is ErrorCode.SSRF_BLOCKED else "fetch_failed"
            # E18: the log names the blocked address; messages to users do not.
            blocked = {name: error.details[name] for name in ("blocked_ip", "cidr") if name in error.details}
            found = url or canonical.attempted(text)
            log.info(event, extra=about(found, method, error_code=error.code, **blocked))
            raise
        except asyncio.CancelledError:
            log.info("fetch_cancelled", extra=about(url, method))
            raise
        hit = Note.CACHE_HIT in page.notes
        log.info("fetch_complete", extra=about(url, page.rendering_method, cache_hit=hit))
        return page

    async def read_file(
        self, body: bytes, url: CanonicalUrl, name: str, content_type: str, options: FetchOptions
    ) -> FetchedPage:
        """Read a file that a person has sent; its URL is where people find it. Raises a FetchError.

        Nothing of it is cached, and nothing is requested.
        """
        if self._switched_off_by:
            raise SwitchedOff(setting=self._switched_off_by)
        return await self._http.read_file(body, url, name, content_type, options)

    async def make(self, task: Task[T], document: Document) -> T:
        """Have something made of a page's text in a reader process, under its limits; raises a FetchError."""
        return await self._readers.make(task, document, Deadline(TASK_SECONDS))

    async def _recall_or_read(self, text: str, url: CanonicalUrl, options: FetchOptions) -> FetchedPage:
        self._guard.check_url(url)
        if self._cache and not options.no_cache:
            # E11: the copy from HTTP comes before the browser's, unless the browser is forced.
            methods = [RenderingMethod.BROWSER] if options.force_browser else list(RenderingMethod)
            # Not in a thread: reading a file takes less time than waiting for a thread.
            hits = (self._cache.lookup(url, method, options.mode) for method in methods)
            if hit := next(filter(None, hits), None):
                return await self._serve_copy(text, url, hit, options.max_chars)
        deadline = Deadline(options.timeout_seconds)
        guard = PinnedGuard(self._guard, options.permit, options.may_load)
        job = FetchJob(text=text, url=url, options=options, guard=guard, deadline=deadline)
        try:
            # Over HTTP first, and in a browser where it is asked for or needed (SRD §3.4.6).
            if options.force_browser:
                result = await self._browser.read(job)
            elif is_js_heavy(url, self.settings.rendering):
                rendered = await self._try_browser(job, unless=BrowserUnavailable)
                result = rendered or await self._http.read(job)
            else:
                result = await self._http.read(job)
                if result.unfilled:
                    # The caller did not ask for a browser, and a page was read: its failure does not count.
                    result = await self._try_browser(job, unless=(BrowserFailed, Timeout)) or result
        except FetchError as error:
            withdrawn = isinstance(error, HttpClientError) and error.status in WITHDRAWN
            if withdrawn or isinstance(error, RobotsDisallowed):
                await asyncio.to_thread(self._forget_withdrawn, job.visited)
            raise
        stored = await asyncio.to_thread(self._remember, job, result)
        notes = job.notes | result.page.notes | (set() if stored else {Note.CACHE_WRITE_FAILED})
        return replace(result.page, notes=frozenset(notes))

    async def _try_browser(
        self, job: FetchJob, *, unless: type[FetchError] | tuple[type[FetchError], ...]
    ) -> FetchResult | None:
        """Read in the browser; None where the page is to be read over plain HTTP (SRD FR-WF-12d)."""
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
            if job.options.accept is Accept.WEB_FETCH:
                raise
            return None  # not a page, but a text that this caller reads

    async def _serve_copy(self, text: str, url: CanonicalUrl, hit: CachedPage, max_chars: int) -> FetchedPage:
        """Return a cached page, if the policy of today still allows it."""
        self._guard.check_url(hit.final_url)
        assert self._cache is not None
        try:
            await self._permission.require_for_copy(url, hit.final_url)
        except RobotsDisallowed:
            await asyncio.to_thread(self._forget_withdrawn, [url, hit.final_url])
            raise
        touch = partial(
            copy_context().run, self._cache.touch, hit
        )  # in this context, so that logs name this fetch
        asyncio.get_running_loop().run_in_executor(None, touch)
        copy = Reading(document=hit.document, media_type="").within(max_chars)
        return FetchedPage(
            requested_url=text,
            final_url=hit.final_url,
            fetched_at=hit.fetched_at,
            document=copy.document,
            rendering_method=hit.rendering_method,
            notes=hit.notes | {Note.CACHE_HIT},
            truncation=copy.truncation,
        )

    def _forget_withdrawn(self, urls: Iterable[CanonicalUrl]) -> None:
        """Remove copies of pages that their sites have withdrawn, where settings say so (E30)."""
        if self._cache is not None and self.settings.cache_forget_withdrawn:
            self._cache.forget(urls)

    def _remember(self, job: FetchJob, result: FetchResult) -> bool:
        """Cache the page where that is allowed; False if writing it failed."""
        page = result.page
        if not result.complete or job.browser_broke_down or page.final_url in job.unstorable:
            return True
        return self._cache is None or self._cache.store(
            # A redirect that must not be cached is not stored; the page at its end is.
            requested=page.final_url if job.unstorable else job.url,
            final=page.final_url,
            method=page.rendering_method,
            mode=job.options.mode,
            fetched_at=page.fetched_at,
            document=page.document,
            notes=page.notes | job.notes,
        )


def build_guard(security: SecuritySettings, resolver: Resolver) -> FetchGuard:
    """Make the guard that settings describe, and log which protections they switch off (SRD FR-WF-05b)."""
    security.log_overrides()
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
