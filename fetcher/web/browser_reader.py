"""Reads pages in a browser: limits its time, and has the document that it shows read."""

import asyncio
from dataclasses import replace
from functools import cached_property, partial

from fetcher.clock import Clock
from fetcher.codes import RenderingMethod, TruncationReason
from fetcher.settings import WebFetchSettings
from fetcher.web.errors import BrowserUnavailable
from fetcher.web.fetch_job import FetchJob, FetchResult
from fetcher.web.fetch_permission import FetchPermission
from fetcher.web.net.deadline import Deadline
from fetcher.web.net.media_types import ACCEPTED
from fetcher.web.net.transport import Transport
from fetcher.web.rendering import Renderer
from fetcher.web.sandbox.pool import ReaderPool
from fetcher.web.values import FetchedPage, ReadingContext

PAGE_LOAD_SECONDS = 5
"""`page_load_buffer_s` of SRD FR-WF-TIMEOUT-01."""
SNAPSHOT_SECONDS, RENDERED_READ_SECONDS = 2, 2
"""The parts of it that are reserved for taking the rendered document, and for reading it."""
LEAST_RENDER_SECONDS = 1
"""With less time than this, a rendering is not begun."""


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
            truncation=rendered.truncation,
        )
        return FetchResult(page=page, complete=not rendered.truncation)

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
