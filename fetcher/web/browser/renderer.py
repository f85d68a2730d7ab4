"""`Renderer` with Chromium: from a URL to the document that a browser shows there."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import datetime
from enum import Enum, auto

from fetcher.codes import Note, ReadingMode, TruncationReason
from fetcher.settings import WebFetchSettings
from fetcher.web.browser import binary
from fetcher.web.browser.budget import ResourceBudget
from fetcher.web.browser.devtools_pipe import DevToolsPipe
from fetcher.web.browser.first_error import FirstError
from fetcher.web.browser.interception import Interception, RenderingRules
from fetcher.web.browser.launch import launched
from fetcher.web.browser.loader import Loader
from fetcher.web.browser.network_idle import NetworkActivity
from fetcher.web.browser.snapshot import Snapshot
from fetcher.web.browser.tab import PATIENCE, Tab
from fetcher.web.browser.top_document import TopDocument
from fetcher.web.net.deadline import Deadline
from fetcher.web.net.hops import PinnedGuard, RecordResponse, RequirePermission
from fetcher.web.net.transport import Transport
from fetcher.web.rendering import Rendered, blocked_kinds
from fetcher.web.values import CanonicalUrl

MOST_BROWSERS = 2
"""Browsers at a time; each takes a process group and its memory."""
MOST_STREAMS = 1
"""Event streams at a time, of all pages together: a host has two places for requests (`politeness`), and two
streams would keep both from everything else that is to be loaded from it."""
MEASURE_EVERY = 1.0
"""Seconds between two looks at the size of a page that is still loading."""


class Ending(Enum):
    """Why the waiting ended (SRD FR-WF-11e, 11f, DOMSIZE-01)."""

    IDLE = auto()
    TIME_UP = auto()
    TOO_LARGE = auto()


class ChromiumRenderer:
    """Renders each page in a browser of its own, through the engine's transport."""

    def __init__(
        self, settings: WebFetchSettings, *, transport: Transport, accept: str, now: Callable[[], datetime]
    ) -> None:
        self._settings = settings
        self._accept = accept
        self._transport = transport
        self._now = now
        self._places = asyncio.Semaphore(MOST_BROWSERS)
        self._streams = asyncio.Semaphore(MOST_STREAMS)

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
        """The page as it stands when its network is idle, or when the time is up."""
        settings = self._settings
        chromium = await asyncio.to_thread(binary.find, settings.browser.chromium_path)
        terms = RenderingRules(
            require_permission=require_permission,
            record_response=record_response,
            now=self._now,
            document=document,
            whole=whole,
            max_redirects=settings.max_redirects,
            max_bytes=settings.max_download_bytes,
            blocked_kinds=blocked_kinds(settings.browser),
            streams=self._streams,
        )
        loader = Loader(
            guard=guard, transport=self._transport, user_agent=settings.user_agent, accept=self._accept
        )
        async with document.phase("browser"):
            await self._places.acquire()
        try:
            trouble = FirstError()
            browser = launched(
                chromium,
                sandbox=settings.browser.sandbox,
                largest_document=settings.browser.max_rendered_dom_bytes,
                trouble=trouble,
            )
            async with AsyncExitStack() as stack:
                async with document.phase("browser"):
                    pipe = await stack.enter_async_context(browser)
                return await trouble.unless(self._shown(pipe, url, terms, loader, trouble, mode))
        finally:
            self._places.release()

    async def _shown(
        self,
        pipe: DevToolsPipe,
        url: CanonicalUrl,
        terms: RenderingRules,
        loader: Loader,
        trouble: FirstError,
        mode: ReadingMode,
    ) -> Rendered:
        settings, traffic = self._settings.browser, NetworkActivity()
        budget = ResourceBudget(
            each=self._settings.max_download_bytes, total=settings.max_total_subresource_bytes
        )
        interception = Interception(
            pipe=pipe, loader=loader, traffic=traffic, budget=budget, terms=terms, trouble=trouble
        )
        tab = Tab(pipe, traffic, trouble, shown=interception.shown)
        try:
            async with terms.document.phase("browser"):
                await asyncio.gather(interception.begin(), tab.open())
                interception.watch(tab.frame)
                await tab.go(url)
            ending = await self._waited(tab, traffic, terms.whole)
            snapshot = await tab.read(
                settings.max_rendered_dom_bytes,
                terms.whole,
                interception.end,
                marks=mode is ReadingMode.ARTICLE,
            )
        finally:
            await interception.end()
        return _outcome(url, snapshot, ending, interception)

    async def _waited(self, tab: Tab, traffic: NetworkActivity, whole: Deadline) -> Ending:
        """Waits for the network to be idle, for the time to be up, or for a page that grows too large."""
        end = Deadline(min(self._settings.browser.network_idle_ms / 1000, whole.remaining))
        idle = asyncio.create_task(traffic.idle())
        answers = True
        try:
            while end.remaining > 0:
                await asyncio.wait({idle}, timeout=min(MEASURE_EVERY, end.remaining))
                if idle.done():
                    return Ending.IDLE
                size = await _size(tab, end.remaining) if answers else 0
                if size is not None and size > self._settings.browser.max_rendered_dom_bytes:
                    return Ending.TOO_LARGE
                answers = size is not None  # one question at a time for a page that is busy
            return Ending.TIME_UP
        finally:
            idle.cancel()


async def _size(tab: Tab, within: float) -> int | None:
    try:
        async with asyncio.timeout(min(PATIENCE, within)):
            return await tab.size()
    except TimeoutError:
        return None


def _outcome(url: CanonicalUrl, snapshot: Snapshot, ending: Ending, interception: Interception) -> Rendered:
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
        notes=interception.notes | {Note(reason) for reason in truncation},
        truncation=frozenset(truncation),
        unstorable=interception.unstorable(document.url),
    )
