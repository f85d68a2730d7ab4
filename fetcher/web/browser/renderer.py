"""The `Renderer` for Chromium: from a URL to the document that the browser shows there."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import datetime
from enum import Enum, auto

from fetcher.codes import Note, ReadingMode, TruncationReason
from fetcher.settings import WebFetchSettings
from fetcher.web.browser import command_line
from fetcher.web.browser.devtools_pipe import DevToolsPipe
from fetcher.web.browser.interception import Interception, RenderingRules
from fetcher.web.browser.launch import FirstError, launch_chromium
from fetcher.web.browser.loader import Loader, TopDocument
from fetcher.web.browser.page_activity import NetworkActivity, ResourceBudget
from fetcher.web.browser.tab import Tab
from fetcher.web.browser_reader import Rendered, blocked_kinds
from fetcher.web.net.deadline import Deadline
from fetcher.web.net.hops import PinnedGuard, RecordResponse, RequirePermission
from fetcher.web.net.transport import Transport
from fetcher.web.values import CanonicalUrl

MOST_BROWSERS = 2
"""Browsers at a time; each is a group of processes with their memory."""
MOST_STREAMS = 1
"""Event streams at a time, of all pages together: a host has two slots for requests (`politeness`), and two
streams would block all other requests to it."""
MEASURE_EVERY = 1.0
"""Seconds between two measurements of a page that is still loading."""


class Ending(Enum):
    """Why the waiting ended (SRD FR-WF-11e, 11f, DOMSIZE-01)."""

    IDLE = auto()
    TIME_UP = auto()
    TOO_LARGE = auto()


class ChromiumRenderer:
    """Renders each page in a new browser, through the engine's transport."""

    def __init__(
        self, settings: WebFetchSettings, *, transport: Transport, accept: str, now: Callable[[], datetime]
    ) -> None:
        self._settings = settings
        self._accept = accept
        self._transport = transport
        self._now = now
        self._browser_slots = asyncio.Semaphore(MOST_BROWSERS)
        self._stream_slots = asyncio.Semaphore(MOST_STREAMS)

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
        """Render a page until its network is idle, or until the time is up."""
        settings = self._settings
        chromium = await asyncio.to_thread(command_line.find, settings.browser.chromium_path)
        rules = RenderingRules(
            require_permission=require_permission,
            record_response=record_response,
            now=self._now,
            document=document,
            whole=whole,
            max_redirects=settings.max_redirects,
            max_bytes=settings.max_download_bytes,
            blocked_kinds=blocked_kinds(settings.browser),
            stream_slots=self._stream_slots,
        )
        loader = Loader(
            guard=guard, transport=self._transport, user_agent=settings.user_agent, accept=self._accept
        )
        async with document.phase("browser"):
            await self._browser_slots.acquire()
        try:
            first_error = FirstError()
            browser = launch_chromium(
                chromium,
                sandbox=settings.browser.sandbox,
                largest_document=settings.browser.max_rendered_dom_bytes,
                first_error=first_error,
            )
            async with AsyncExitStack() as stack:
                async with document.phase("browser"):
                    pipe = await stack.enter_async_context(browser)
                return await first_error.run(self._show(pipe, url, rules, loader, first_error, mode))
        finally:
            self._browser_slots.release()

    async def _show(
        self,
        pipe: DevToolsPipe,
        url: CanonicalUrl,
        rules: RenderingRules,
        loader: Loader,
        first_error: FirstError,
        mode: ReadingMode,
    ) -> Rendered:
        """Open the page in a tab, wait for it, and read it; every request goes through `loader`."""
        settings, activity = self._settings.browser, NetworkActivity()
        budget = ResourceBudget(
            each=self._settings.max_download_bytes, total=settings.max_total_subresource_bytes
        )
        interception = Interception(
            pipe=pipe, loader=loader, activity=activity, budget=budget, rules=rules, first_error=first_error
        )
        tab = Tab(pipe, activity, first_error, on_shown=interception.record_shown)
        try:
            async with rules.document.phase("browser"):
                await asyncio.gather(interception.begin(), tab.open())
                interception.top_frame = tab.frame
                await tab.navigate(url)
            ending = await self._wait(tab, activity, rules.whole)
            snapshot = await tab.read(
                settings.max_rendered_dom_bytes,
                rules.whole,
                interception.end,
                marks=mode is ReadingMode.ARTICLE,
            )
        finally:
            await interception.end()
        document = interception.document or TopDocument(url=url, media_type="text/html")
        truncation = set()
        if snapshot.cut:
            truncation.add(TruncationReason.BROWSER_DOM_TRUNCATED)
        if ending is Ending.TIME_UP or (ending is Ending.TOO_LARGE and not snapshot.cut):
            truncation.add(TruncationReason.BROWSER_TIMEOUT_DOM_PARTIAL)
        return Rendered(
            final_url=document.url,
            html=snapshot.html,
            media_type=document.media_type,
            notes=frozenset(interception.notes | {Note(reason) for reason in truncation}),
            truncation=frozenset(truncation),
            unstorable=frozenset({document.url} if interception.shows_unstorable_data else ()),
        )

    async def _wait(self, tab: Tab, activity: NetworkActivity, whole: Deadline) -> Ending:
        """Wait until the network is idle, the time is up, or the page is too large."""
        end = Deadline(min(self._settings.browser.network_idle_ms / 1000, whole.remaining))
        idle = asyncio.create_task(activity.wait_until_idle())
        answers = True
        try:
            while end.remaining > 0:
                await asyncio.wait({idle}, timeout=min(MEASURE_EVERY, end.remaining))
                if idle.done():
                    return Ending.IDLE
                size = await tab.measure(end.remaining) if answers else 0
                if size is not None and size > self._settings.browser.max_rendered_dom_bytes:
                    return Ending.TOO_LARGE
                answers = size is not None  # a page that did not answer is not asked the next time
            return Ending.TIME_UP
        finally:
            idle.cancel()
