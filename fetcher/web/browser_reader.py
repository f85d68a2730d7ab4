"""When a page needs a browser (SRD §3.4.6), and how it is read in one; `web/browser/` has Chromium."""

import asyncio
import re
from dataclasses import dataclass, replace
from functools import cached_property, partial
from html import unescape
from typing import Protocol

from fetcher.clock import Clock
from fetcher.codes import Note, ReadingMode, RenderingMethod, TruncationReason
from fetcher.settings import BrowserSettings, RenderingSettings, WebFetchSettings
from fetcher.web.errors import BadArguments, BrowserUnavailable, UrlRejected
from fetcher.web.fetch_job import FetchJob, FetchResult
from fetcher.web.fetch_permission import FetchPermission
from fetcher.web.net import canonical
from fetcher.web.net.deadline import Deadline
from fetcher.web.net.hops import PinnedGuard, RecordResponse, RequirePermission
from fetcher.web.net.media_types import ACCEPTED, PLAIN_TEXT
from fetcher.web.net.transport import Transport
from fetcher.web.sandbox.pool import ReaderPool
from fetcher.web.values import CanonicalUrl, DecodedText, FetchedPage, ReadingContext

PAGE_LOAD_SECONDS = 5
"""`page_load_buffer_s` of SRD FR-WF-TIMEOUT-01."""
SNAPSHOT_SECONDS, RENDERED_READ_SECONDS = 2, 2
"""The parts of it that are reserved for taking the rendered document, and for reading it."""
LEAST_RENDER_SECONDS = 1
"""With less time than this, a rendering is not begun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A page as a browser shows it."""

    final_url: CanonicalUrl
    html: str
    media_type: str = "text/html"
    """The media type of the top document, as its server declares it."""
    notes: frozenset[Note] = frozenset()
    truncation: frozenset[TruncationReason] = frozenset()
    unstorable: frozenset[CanonicalUrl] = frozenset()
    """The top document's URL, where data that it shows must not be cached."""

    @property
    def decoded(self) -> DecodedText:
        """The HTML, or the plain text that Chromium shows inside one `<pre>`."""
        shown = _TEXT_DOCUMENT.match(self.html) if self.media_type == PLAIN_TEXT else None
        if shown is None:
            return DecodedText(text=self.html, media_type="text/html", charset="utf-8")
        text = unescape(shown["text"].removesuffix("</pre></body></html>"))
        return DecodedText(text=text, media_type=PLAIN_TEXT, charset="utf-8")


_TEXT_DOCUMENT = re.compile(r"<html[^>]*>(?:<(?!pre)[^>]*>)*<pre[^>]*>(?P<text>.*)", re.DOTALL)
"""How Chromium shows plain text: only tags before it, and its own markup escaped."""


class Renderer(Protocol):
    """A browser that loads a page through our guard and transport only."""

    async def render(
        self,
        url: CanonicalUrl,
        require_permission: RequirePermission,
        *,
        guard: PinnedGuard,
        document: Deadline,
        whole: Deadline,
        mode: ReadingMode,
        record_response: RecordResponse,
    ) -> Rendered:
        """Call `require_permission` with each URL of the top document, `record_response` with its response.

        The top document must arrive by the deadline `document`; by `whole` the page is taken as it is.
        For the reading mode `article`, invisible text is marked (`visibility`). Raises BrowserUnavailable.
        """


RESOURCE_TYPES = frozenset(
    {
        "document",
        "stylesheet",
        "image",
        "media",
        "font",
        "script",
        "texttrack",
        "xhr",
        "fetch",
        "prefetch",
        "eventsource",
        "websocket",
        "manifest",
        "signedexchange",
        "ping",
        "cspviolationreport",
        "preflight",
        "other",
    }
)
"""The CDP resource types of SRD FR-WF-BLOCKRES-01, in lower case."""


def blocked_kinds(browser: BrowserSettings) -> frozenset[str]:
    """The resource types that settings block, in lower case; an unknown one is `bad_args`."""
    kinds = frozenset(kind.lower() for kind in browser.block_resources)
    if unknown := sorted(kinds - RESOURCE_TYPES):
        raise BadArguments(f"unknown resource types: {', '.join(unknown)}", field="browser.block_resources")
    # Chromium reports what `fetch()` loads as XHR.
    return kinds | {"xhr", "fetch"} if kinds & {"xhr", "fetch"} else kinds


def is_js_heavy(url: CanonicalUrl, rendering: RenderingSettings) -> bool:
    """Whether settings send this host straight to the browser (SRD FR-WF-RENDER-JS-01)."""
    for entry in rendering.js_heavy_domains:
        try:
            name = canonical.canonicalise(f"http://{entry.removeprefix('.')}/").host
        except UrlRejected:
            continue
        if url.host.endswith(f".{name}") if entry.startswith(".") else url.host == name:
            return True
    return False


def unfilled_below(rendering: RenderingSettings) -> int:
    """A page with fewer characters of Markdown may wait for a script (SRD FR-WF-12c); 0: no page does."""
    return rendering.min_extracted_chars if rendering.spa_fallback_enabled else 0


class BrowserReader:
    """Reads pages in Chromium, unless another renderer is given."""

    def __init__(
        self,
        settings: WebFetchSettings,
        *,
        renderer: Renderer | None,
        readers: ReaderPool,
        permission: FetchPermission,
        transport: Transport,
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._given_renderer = renderer
        self._readers = readers
        self._permission = permission
        self._transport = transport
        self._clock = clock

    @cached_property
    def _renderer(self) -> Renderer:
        """Imports the browser's modules when a page first needs them."""
        if self._given_renderer:
            return self._given_renderer
        from fetcher.web.browser.renderer import ChromiumRenderer

        return ChromiumRenderer(
            self._settings, transport=self._transport, accept=ACCEPTED, now=self._clock.now
        )

    async def read(self, job: FetchJob) -> FetchResult:
        """Render the page and read it; raises a FetchError."""
        if not self._settings.browser.enabled:
            raise BrowserUnavailable(chromium_path="", error="browser mode is switched off by configuration")
        self._readers.start()  # while the page loads
        job = replace(job, deadline=Deadline(self._render_seconds(job)))
        rendered = await self._renderer.render(
            job.url,
            partial(self._permission.require, job),
            guard=job.guard,
            document=Deadline(min(job.options.timeout_seconds, job.deadline.remaining)),
            whole=job.deadline,
            mode=job.options.mode,
            record_response=job.record_response,
        )
        job.unstorable |= rendered.unstorable
        decoded = await asyncio.to_thread(lambda: rendered.decoded)
        context = ReadingContext(
            url=str(rendered.final_url),
            mode=job.options.mode,
            content_type=f"{decoded.media_type}; charset=utf-8",
            cut=TruncationReason.BROWSER_DOM_TRUNCATED in rendered.truncation,
            max_chars=job.options.max_chars,
        )
        # A script can write lone surrogates into a page; they are left out.
        html = decoded.text.encode(errors="ignore")
        reading = await self._readers.read(
            html, context, Deadline(job.deadline.remaining + RENDERED_READ_SECONDS)
        )
        page = FetchedPage(
            requested_url=job.text,
            final_url=rendered.final_url,
            fetched_at=self._clock.now(),
            document=reading.document,
            rendering_method=RenderingMethod.BROWSER,
            notes=rendered.notes,
            truncation=rendered.truncation | reading.truncation,
        )
        return FetchResult(page=page, complete=not page.truncation)

    def require_time(self, job: FetchJob) -> None:
        """Raises BrowserUnavailable where too little time is left for a rendering."""
        if self._render_seconds(job) < LEAST_RENDER_SECONDS:
            raise BrowserUnavailable(chromium_path="", error="no time is left for it", for_now=True)

    def _render_seconds(self, job: FetchJob) -> float:
        """The time for a rendering: SRD FR-WF-TIMEOUT-01's sum, less the time for reading the page."""
        extra = job.options.render_seconds
        if extra is None:
            extra = self._settings.browser.network_idle_ms / 1000 + PAGE_LOAD_SECONDS
        return max(0.0, job.deadline.remaining + extra - SNAPSHOT_SECONDS - RENDERED_READ_SECONDS)
