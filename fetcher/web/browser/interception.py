"""Answers every request of the page: the top document by the rules of a fetch, the rest by a budget.

The top document's chain, client-side navigation included, is what the page's address is made of:
each URL of it is asked about (`visit`), counted as a redirect, and must give a page; otherwise the
rendering ends with the error that the same answer has over plain HTTP. All other requests only
fail for themselves, with `BlockedByClient`, and the page goes on (SRD §3.4.3).
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fetcher.codes import Note, RenderingMethod
from fetcher.web.browser import top_document
from fetcher.web.browser.budget import ResourceBudget
from fetcher.web.browser.devtools_pipe import DevToolsPipe, Refused
from fetcher.web.browser.first_error import FirstError
from fetcher.web.browser.loader import Loader, Paused, fulfilment
from fetcher.web.browser.network_idle import NetworkActivity
from fetcher.web.browser.top_document import TopDocument
from fetcher.web.cache.cache_control import may_be_stored
from fetcher.web.errors import (
    FetchError,
    RedirectLimit,
    ResponseTooLarge,
    TargetBlocked,
    TransferFailed,
    UnsupportedContentType,
)
from fetcher.web.fetch_log import about
from fetcher.web.net import canonical
from fetcher.web.net.deadline import Deadline
from fetcher.web.net.hops import (
    REDIRECTS,
    RecordResponse,
    RequirePermission,
    redirect_target,
    require_success,
)
from fetcher.web.net.transport import OpenResponse
from fetcher.web.values import CanonicalUrl, RawResponse

log = logging.getLogger(__name__)

READ_ONLY = frozenset({"GET", "HEAD"})
"""SRD FR-WF-BROWSER-METHOD-01."""
STREAMS = frozenset({"eventsource"})
"""Requests that stay open by design: like a WebSocket, they do not keep a page from being idle."""
MOST_AT_ONCE = 8
"""Bodies in memory at a time."""

READ_FROM = frozenset({"document", "xhr", "fetch", "eventsource"})
"""Kinds of answers whose text a page may show; one that may not be stored keeps the page out of the cache."""

BLOCKED, FAILED, ABORTED = "BlockedByClient", "Failed", "Aborted"
"""Why a request fails, in CDP's words; an aborted navigation leaves the page where it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderingRules:
    """What is asked of the top document, and what the page may load."""

    require_permission: RequirePermission
    """Called with each URL of the top document; raises to end the rendering."""
    record_response: RecordResponse
    """Called with each answer of the top document."""
    now: Callable[[], datetime]
    document: Deadline
    whole: Deadline
    max_redirects: int
    max_bytes: int
    blocked_kinds: frozenset[str]
    streams: asyncio.Semaphore
    """Places for requests that stay open, apart from the others because they are not given back."""


class Interception:
    """The requests of one page."""

    def __init__(
        self,
        *,
        pipe: DevToolsPipe,
        loader: Loader,
        traffic: NetworkActivity,
        budget: ResourceBudget,
        terms: RenderingRules,
        trouble: FirstError,
    ) -> None:
        self._pipe = pipe
        self._loader = loader
        self._traffic = traffic
        self._budget = budget
        self._terms = terms
        self._trouble = trouble
        self._top_frame = ""
        self._top_requests = 0
        self._places = asyncio.Semaphore(MOST_AT_ONCE)
        self._tasks: dict[asyncio.Task[None], Paused] = {}
        self._top_task: asyncio.Task[None] | None = None
        self._ended = False
        self._loaded: dict[str, TopDocument] = {}
        self.document: TopDocument | None = None
        """The last top document that was loaded here and shown."""
        self._shows_unstorable_data = False
        self._notes: set[Note] = set()

    @property
    def notes(self) -> frozenset[Note]:
        return frozenset(self._notes)

    def unstorable(self, final_url: CanonicalUrl) -> frozenset[CanonicalUrl]:
        """The document, where data that it shows may not be kept."""
        return frozenset({final_url} if self._shows_unstorable_data else ())

    async def begin(self) -> None:
        """Holds back every request of the whole browser from now on."""
        self._pipe.on("Fetch.requestPaused", self._paused)
        # On the root session: a page's own misses other sites' frames, shared and service workers.
        await self._pipe.call("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})

    def watch(self, frame: str) -> None:
        """Says which frame is the page's own."""
        self._top_frame = frame

    def shown(self, address: str) -> None:
        """The page shows a document; one that was only asked for, or came from elsewhere, is not its own."""
        self.document = self._loaded.get(address, self.document)

    async def end(self) -> None:
        """Ends what is under way, and all that is asked for from now on."""
        self._ended = True
        left = dict(self._tasks)
        for task, paused in left.items():
            task.cancel()
            self._refuse(paused, FAILED)
        await asyncio.gather(*left, return_exceptions=True)

    def _paused(self, params: dict[str, Any]) -> None:
        paused = Paused.of(params)
        if self._ended:
            self._refuse(paused, FAILED)
            return
        top = paused.kind == "document" and paused.frame == self._top_frame
        if not top and not self._budget.admits():
            return  # left to wait: answering a flood is what the flood is for
        task = asyncio.create_task(self._answer_top(paused) if top else self._answer(paused))
        self._tasks[task] = paused
        task.add_done_callback(self._done)
        if top:
            if self._top_task:
                self._top_task.cancel()  # a page goes to one place at a time
            self._top_task = task

    def _done(self, task: "asyncio.Task[None]") -> None:
        del self._tasks[task]
        if not task.cancelled() and (error := task.exception()):
            self._trouble.report(error)

    async def _answer_top(self, paused: Paused) -> None:
        if paused.method not in READ_ONLY:
            self._notes.add(Note.BROWSER_BLOCKED_NON_GET)
            self._refuse(paused, ABORTED)
            return
        with self._traffic.request():
            self._traffic.document_requested()
            try:
                response = await self._top_document(paused)
            except UnsupportedContentType:
                if not self._loaded:
                    raise
                self._traffic.document_loaded()
                self._refuse(paused, ABORTED)  # a download; the page stays
                return
            if response.status not in REDIRECTS:
                self._loaded[paused.url] = TopDocument.of(response)
                self._forget_the_last_page()
            await self._fulfil(paused, response, drop=frozenset({"content-disposition"}))

    def _forget_the_last_page(self) -> None:
        """What it had still on its way, nobody waits for any more; Chromium does not say so."""
        for task in self._tasks:
            if task is not self._top_task:
                task.cancel()

    async def _top_document(self, paused: Paused) -> RawResponse:
        self._count_hop()
        deadline = self._terms.whole if self._loaded else self._terms.document
        url = canonical.canonicalise(paused.url)
        await self._loader.approve(url, deadline)
        await self._terms.require_permission(url)

        def admit(opened: OpenResponse) -> None:
            self._terms.record_response(url, opened.status, opened.headers)
            top_document.admit(opened)

        response = await self._loader.load(
            url, paused, deadline, max_bytes=self._terms.max_bytes, admit=admit
        )
        if response.status in REDIRECTS:
            redirect_target(url, response.headers)  # raises where it leads to no page
            return response
        return top_document.typed(require_success(response, self._terms.now()))

    def _count_hop(self) -> None:
        self._top_requests += 1
        most = self._terms.max_redirects
        if self._top_requests > most + 1:
            raise RedirectLimit(count=most + 1, max=most)

    async def _answer(self, paused: Paused) -> None:
        if self._is_barred(paused):
            self._refuse(paused, BLOCKED)
        elif paused.kind in STREAMS:
            await self._load(paused, self._terms.streams)
        else:
            with self._traffic.request():
                await self._load(paused, self._places)

    def _is_barred(self, paused: Paused) -> bool:
        """Whether a request is refused as it stands, before anything is done for it (FR-WF-11h)."""
        if paused.method not in READ_ONLY:
            self._notes.add(Note.BROWSER_BLOCKED_NON_GET)
            return True
        return paused.kind in self._terms.blocked_kinds or self._budget.exhausted

    async def _load(self, paused: Paused, places: asyncio.Semaphore) -> None:
        try:
            url = canonical.canonicalise(paused.url)
            async with places:
                response = await self._loader.load(
                    url, paused, self._terms.whole, max_bytes=self._budget.allowance
                )
                self._budget.spend(len(response.body))
                if paused.kind in READ_FROM and not may_be_stored(response.headers):
                    self._shows_unstorable_data = True
                await self._fulfil(paused, response)
        except ResponseTooLarge as error:
            self._budget.too_large(error)
            self._refuse(paused, BLOCKED)
        except FetchError as error:
            _log_blocked(error, paused)
            self._refuse(paused, FAILED if isinstance(error, TransferFailed) else BLOCKED)

    async def _fulfil(
        self, paused: Paused, response: RawResponse, *, drop: frozenset[str] = frozenset()
    ) -> None:
        try:
            await self._pipe.call("Fetch.fulfillRequest", fulfilment(paused, response, drop=drop))
        except Refused:  # the page has given the request up, or the answer is none that Chromium takes
            self._refuse(paused, FAILED)

    def _refuse(self, paused: Paused, reason: str) -> None:
        self._pipe.tell("Fetch.failRequest", {"requestId": paused.id, "errorReason": reason})


def _log_blocked(error: FetchError, paused: Paused) -> None:
    if isinstance(error, TargetBlocked):
        url, more = canonical.canonicalise(paused.url), {"resource_type": paused.kind, **error.details}
        log.info(error.code, extra=about(url, RenderingMethod.BROWSER, error_code=error.code, **more))
