"""From a URL to a page that was read: the one place that composes the engine's stages."""

import asyncio
import logging
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property, partial
from typing import Any, TypeVar

from fetcher.clock import Clock, SystemClock
from fetcher.codes import ErrorCode, Note, ReadingMode, RenderingMethod
from fetcher.settings import SecuritySettings, Settings
from fetcher.web import canonical, reading, rendering, robots
from fetcher.web.cache import CachedPage, open_cache
from fetcher.web.deadline import Deadline
from fetcher.web.decode import decode
from fetcher.web.errors import (
    BadArguments,
    BrowserUnavailable,
    ExtractionFailed,
    FetchError,
    UnsupportedContentType,
)
from fetcher.web.guard import AddressPolicy, Guard
from fetcher.web.hops import Errand, PinnedGuard, follow, require_success
from fetcher.web.media_types import HTML_TYPES, Accept, media_type
from fetcher.web.network import Dialer, Resolver, SystemDialer, SystemResolver
from fetcher.web.rendering import Renderer
from fetcher.web.robots_gate import RobotsGate
from fetcher.web.transport import OpenResponse, Transport
from fetcher.web.values import CanonicalUrl, DecodedText, Document, FetchedPage, Headers, RawResponse

log = logging.getLogger(__name__)

T = TypeVar("T")

ACCEPT_HEADERS = {
    Accept.WEB_FETCH: "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.1",
    Accept.ANY_TEXT: (
        "text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,"
        "application/json;q=0.8,text/*;q=0.8,application/xml;q=0.7,*/*;q=0.1"
    ),
}
"""SRD FR-WF-10b, and the quick read's wider taste (E2)."""

PAGE_LOAD_SECONDS = 5
"""`page_load_buffer_s` of SRD FR-WF-TIMEOUT-01."""
SNAPSHOT_SECONDS, RENDERED_READ_SECONDS = 2, 2
"""What of it is kept for taking a rendered document and for reading it."""
LEAST_RENDER_SECONDS = 1
"""With less, a page that was read is worth more than one that will not be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Want:
    """What a caller wants of a page, and what it may cost."""

    mode: ReadingMode
    timeout_seconds: float
    max_bytes: int
    accept: Accept = Accept.WEB_FETCH
    cut: bool = False
    """Read the beginning of a body that is too long instead of refusing it."""
    no_cache: bool = False
    force_browser: bool = False
    render_seconds: float | None = None
    """What a rendering may take beyond `timeout_seconds`; without it, what SRD FR-WF-TIMEOUT-01 adds."""
    permit: Callable[[CanonicalUrl], None] = lambda _: None
    """Called with every URL on the way to the page; raises to stop there."""


@dataclass(slots=True, kw_only=True)
class Job:
    """One fetch under way: its budget, the names it has resolved, and what it has noticed."""

    text: str
    url: CanonicalUrl
    want: Want
    guard: PinnedGuard
    deadline: Deadline
    notes: set[Note] = field(default_factory=set)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A page that was read just now, and whether all of it is there."""

    page: FetchedPage
    complete: bool
    html: str = ""
    """The page's source where it was HTML that came over plain HTTP."""


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
        settings = tools.webfetch
        self._switched_off_by = tools.switched_off_by
        self._settings = settings
        self._clock = clock or SystemClock()
        self._guard = guard_of(settings.security, resolver or SystemResolver())
        self._given_renderer = renderer
        self._transport = Transport(
            dialer=dialer or SystemDialer(),
            ssl_context=ssl_context,
            use_system_proxy=settings.http.use_system_proxy,
        )
        self._robots = RobotsGate(
            fetch=self._fetch_robots,
            token=settings.robots.user_agent_token or robots.user_agent_token(settings.user_agent),
            clock=self._clock,
            fail_open=settings.robots.fail_open,
            ttl=timedelta(hours=settings.robots_cache_ttl_hours),
            max_entries=settings.robots_cache_entries,
        )
        self._cache = open_cache(
            directory=settings.cache_dir,
            clock=self._clock,
            ttl_days=settings.cache_ttl_days,
            max_entries=settings.max_cache_entries,
            max_bytes=settings.max_cache_bytes,
        )

    @cached_property
    def _renderer(self) -> Renderer:
        """The browser, unless another was given; its code is loaded when a page first needs it."""
        if self._given_renderer:
            return self._given_renderer
        from fetcher.web.browser.renderer import ChromiumRenderer

        accept = ACCEPT_HEADERS[Accept.WEB_FETCH]
        return ChromiumRenderer(self._settings, transport=self._transport, accept=accept, now=self._clock.now)

    async def fetch(self, text: str, want: Want) -> FetchedPage:
        """The page at a URL; raises a FetchError."""
        if self._switched_off_by:
            raise BadArguments("web_fetch is switched off by configuration", field=self._switched_off_by)
        rendering.blocked_kinds(self._settings.browser)  # SRD FR-WF-BLOCKRES-01: whatever the page needs
        method = RenderingMethod.BROWSER if want.force_browser else RenderingMethod.HTTP
        url = None
        try:
            url = canonical.canonicalise(text)
            log.info("fetch_start", extra=_about(url, method))
            page = await self._page(text, url, want)
        except FetchError as error:
            event = "ssrf_blocked" if error.code is ErrorCode.SSRF_BLOCKED else "fetch_failed"
            log.info(event, extra=_about(url, method, error_code=error.code, **_blocked(error)))
            raise
        except asyncio.CancelledError:
            log.info("fetch_cancelled", extra=_about(url, method))
            raise
        hit = Note.CACHE_HIT in page.notes
        log.info("fetch_complete", extra=_about(url, page.rendering_method, cache_hit=hit))
        return page

    async def _page(self, text: str, url: CanonicalUrl, want: Want) -> FetchedPage:
        self._guard.check_url(url)
        # In place: reading a file takes a fraction of what waiting for a thread does.
        if not want.no_cache and (hit := self._recall(url, want)):
            return self._served(text, hit)
        deadline = Deadline(want.timeout_seconds)
        job = Job(text=text, url=url, want=want, guard=PinnedGuard(self._guard), deadline=deadline)
        result = await self._read(job)
        whole = result.complete and Note.BROWSER_UNAVAILABLE_USED_HTTP not in job.notes
        stored = await asyncio.to_thread(self._remember, job, result) if whole else True
        notes = job.notes | result.page.notes | (set() if stored else {Note.CACHE_WRITE_FAILED})
        return replace(result.page, notes=frozenset(notes))

    async def _read(self, job: Job) -> Result:
        """SRD §3.4.6: HTTP first, and a browser where it is asked for or needed."""
        if job.want.force_browser:
            return await self._by_browser(job)
        if rendering.is_js_heavy(job.url, self._settings.rendering):
            return await self._by_browser_if_possible(job) or await self._over_http(job)
        result = await self._over_http(job)
        if rendering.looks_unfilled(result.html, result.page.document.markdown, self._settings.rendering):
            return await self._by_browser_if_possible(job) or result
        return result

    async def _over_http(self, job: Job) -> Result:
        response = require_success(await self._get(job), self._clock.now())
        decoded, document = await self._in_thread(job, self._decoded_and_read, response, job.want)
        if decoded.fallback:
            job.notes.add(Note.CHARSET_FALLBACK)
        return Result(
            page=self._fetched(job, response.url, document),
            complete=not response.cut and Accept.WEB_FETCH.takes(decoded.media_type),
            html=decoded.text if decoded.media_type in HTML_TYPES else "",
        )

    @staticmethod
    def _decoded_and_read(response: RawResponse, want: Want) -> tuple[DecodedText, Document]:
        decoded = decode(response.body, response.headers.first("content-type"), accept=want.accept)
        return decoded, reading.read(decoded, str(response.url), want.mode)

    async def _by_browser(self, job: Job) -> Result:
        if not self._settings.browser.enabled:
            raise BrowserUnavailable(chromium_path="", error="browser mode is switched off by configuration")
        job = replace(job, deadline=Deadline(self._render_seconds(job)))
        rendered = await self._renderer.render(
            job.url,
            partial(self._visit, job),
            guard=job.guard,
            document=Deadline(min(job.want.timeout_seconds, job.deadline.remaining)),
            whole=job.deadline,
        )
        decoded = DecodedText(text=rendered.html, media_type="text/html", charset="utf-8")
        url = str(rendered.final_url)
        reader = replace(job, deadline=Deadline(job.deadline.remaining + RENDERED_READ_SECONDS))
        document = await self._in_thread(reader, reading.read, decoded, url, job.want.mode)
        page = self._fetched(job, rendered.final_url, document)
        page = replace(
            page,
            rendering_method=RenderingMethod.BROWSER,
            notes=rendered.notes,
            truncation=rendered.truncation,
        )
        return Result(page=page, complete=not rendered.truncation)

    def _render_seconds(self, job: Job) -> float:
        """What a rendering may take: SRD FR-WF-TIMEOUT-01's sum, less what is kept for reading it."""
        extra = job.want.render_seconds
        if extra is None:
            extra = self._settings.browser.network_idle_ms / 1000 + PAGE_LOAD_SECONDS
        return max(0.0, job.deadline.remaining + extra - SNAPSHOT_SECONDS - RENDERED_READ_SECONDS)

    async def _by_browser_if_possible(self, job: Job) -> Result | None:
        try:
            if self._render_seconds(job) < LEAST_RENDER_SECONDS:
                raise BrowserUnavailable(chromium_path="", error="there is no time left for it")
            return await self._by_browser(job)
        except BrowserUnavailable as error:
            fields = _about(job.url, RenderingMethod.HTTP, error_code=error.code, **error.details)
            log.warning("browser_unavailable", extra=fields)
            job.notes.add(Note.BROWSER_UNAVAILABLE_USED_HTTP)
            return None
        except UnsupportedContentType:
            if job.want.accept is Accept.WEB_FETCH:
                raise
            return None  # no page, but a text that the caller reads as it is

    async def _get(self, job: Job) -> RawResponse:
        errand = Errand(
            headers=self._headers(job.want.accept),
            max_bytes=job.want.max_bytes,
            max_redirects=self._settings.max_redirects,
            cut=job.want.cut,
            visit=partial(self._visit, job),
            admit=partial(_admit, job.want.accept),
        )
        return await follow(
            job.url, errand, guard=job.guard, transport=self._transport, deadline=job.deadline
        )

    def _headers(self, accept: Accept) -> Headers:
        return Headers([("User-Agent", self._settings.user_agent), ("Accept", ACCEPT_HEADERS[accept])])

    async def _visit(self, job: Job, url: CanonicalUrl) -> None:
        job.want.permit(url)
        if note := await self._robots.check(url, job.guard, job.deadline):
            job.notes.add(note)

    async def _fetch_robots(
        self,
        url: CanonicalUrl,
        redirect: Callable[[CanonicalUrl], None],
        guard: PinnedGuard,
        deadline: Deadline,
    ) -> RawResponse:
        errand = Errand(
            headers=self._headers(Accept.WEB_FETCH),
            max_bytes=self._settings.robots.max_robots_bytes,
            max_redirects=self._settings.max_redirects,
            cut=True,
            redirect=redirect,
        )
        return await follow(url, errand, guard=guard, transport=self._transport, deadline=deadline)

    async def _in_thread(self, job: Job, work: Callable[..., T], *arguments: Any) -> T:
        """Reads beside the loop, so that a large page holds nobody else up, for as long as there is time."""
        begun = False

        def begin() -> T:
            nonlocal begun
            begun = True
            return work(*arguments)

        try:
            return await asyncio.wait_for(asyncio.to_thread(begin), job.deadline.remaining)
        except TimeoutError:
            if not begun:  # too many others are reading: no fault of this page
                raise job.deadline.expired("reading") from None
            raise ExtractionFailed(error="the page could not be read in the time that was left") from None

    def _fetched(self, job: Job, final_url: CanonicalUrl, document: Document) -> FetchedPage:
        return FetchedPage(
            requested_url=job.text, final_url=final_url, fetched_at=self._clock.now(), document=document
        )

    def _recall(self, url: CanonicalUrl, want: Want) -> CachedPage | None:
        """A cached page: the http kind before the browser's, unless the browser is forced (E11)."""
        methods = [RenderingMethod.BROWSER] if want.force_browser else list(RenderingMethod)
        hits = (self._cache.lookup(url, method, want.mode) for method in methods) if self._cache else ()
        return next(filter(None, hits), None)

    def _served(self, text: str, hit: CachedPage) -> FetchedPage:
        """A cached page, if today's policy lets it be served; that it was used is noted meanwhile."""
        self._guard.check_url(hit.final_url)
        assert self._cache is not None
        asyncio.get_running_loop().run_in_executor(None, self._cache.touch, hit)
        return FetchedPage(
            requested_url=text,
            final_url=hit.final_url,
            fetched_at=hit.fetched_at,
            document=hit.document,
            rendering_method=hit.rendering_method,
            notes=frozenset({Note.CACHE_HIT}),
        )

    def _remember(self, job: Job, result: Result) -> bool:
        """Whether the page was stored, or there is no cache to store it in."""
        page = result.page
        return self._cache is None or self._cache.store(
            requested=job.url,
            final=page.final_url,
            method=page.rendering_method,
            mode=job.want.mode,
            fetched_at=page.fetched_at,
            document=page.document,
        )


def _admit(accept: Accept, response: OpenResponse) -> None:
    """Refuses a type that is not read before its body is downloaded."""
    declared = media_type(response.headers.first("content-type"), b"")
    if not accept.takes(declared):
        raise UnsupportedContentType(content_type=declared)


def guard_of(security: SecuritySettings, resolver: Resolver) -> Guard:
    """The guard that settings describe; says aloud what they switch off (SRD FR-WF-05b)."""
    if security.overrides:
        names = [override.partition("=")[0] for override in security.overrides]
        log.warning("SSRF protection disabled for: %s", ", ".join(names))
    policy = AddressPolicy(
        disabled_toggles=security.opened,
        additional_blocked=security.additional_blocked_cidrs,
        exempt=security.exempt_cidrs,
    )
    return Guard(
        policy=policy,
        allowed_ports=security.allowed_ports,
        max_dns_attempts=security.max_dns_attempts,
        resolver=resolver,
    )


def _about(
    url: CanonicalUrl | None, method: RenderingMethod, *, cache_hit: bool = False, **more: Any
) -> dict[str, Any]:
    """The fields of SRD FR-WF-19c, with the URL's query left out (19b)."""
    fields = {
        "requested_host": url.host if url else None,
        "url": url.redacted if url else None,
        "rendering_method": method,
        "cache_hit": cache_hit,
    }
    return {"fields": fields | more}


def _blocked(error: FetchError) -> dict[str, Any]:
    """What the log says of a blocked address, and no user ever hears (E18)."""
    return {name: error.details[name] for name in ("blocked_ip", "cidr") if name in error.details}
