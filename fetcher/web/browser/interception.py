"""Answers every request of the page: the top document by the rules of a fetch, the rest by a budget.

The top document has a chain of URLs: redirects and client-side navigation. Each URL of it needs permission,
counts as a redirect, and must give a page; otherwise the rendering ends with the error that the same response
has over plain HTTP. All other requests fail alone, with `BlockedByClient`, and the page goes on (SRD §3.4.3).
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fetcher.codes import Note, RenderingMethod
from fetcher.web.browser.devtools_pipe import CommandFailed, DevToolsPipe
from fetcher.web.browser.launch import FirstError
from fetcher.web.browser.loader import Loader, PausedRequest, TopDocument, fulfilment, typed
from fetcher.web.browser.page_activity import NetworkActivity, ResourceBudget
from fetcher.web.cache.entry import may_be_stored
from fetcher.web.errors import (
    FetchError,
    RedirectLimit,
    ResponseTooLarge,
    SsrfBlocked,
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
from fetcher.web.net.media_types import Accept, media_type
from fetcher.web.net.transport import OpenResponse
from fetcher.web.values import CanonicalUrl, RawResponse

log = logging.getLogger(__name__)

READ_ONLY = frozenset({"GET", "HEAD"})
"""SRD FR-WF-BROWSER-METHOD-01."""
STREAMS = frozenset({"eventsource"})
"""Requests that stay open by design: like a WebSocket, they do not count for idleness."""
MOST_AT_ONCE = 8
"""Responses that are loaded at a time, which bounds the memory for bodies."""

READ_FROM = frozenset({"document", "xhr", "fetch", "eventsource"})
"""Kinds whose text a page may show: if such a response must not be cached, neither is the page."""

BLOCKED, FAILED, ABORTED = "BlockedByClient", "Failed", "Aborted"
"""CDP's reasons why a request fails; an aborted navigation leaves the page as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderingRules:
    """Permission, limits and deadlines for the top document and for what the page loads."""

    require_permission: RequirePermission
    """Called with each URL of the top document; raises to end the rendering."""
    record_response: RecordResponse
    """Called with each response for the top document."""
    now: Callable[[], datetime]
    document: Deadline
    whole: Deadline
    max_redirects: int
    max_bytes: int
    blocked_kinds: frozenset[str]
    stream_slots: asyncio.Semaphore
    """Slots for requests that stay open; apart from the others, because they stay taken."""


class Interception:
    """The requests of one page."""

    def __init__(
        self,
        *,
        pipe: DevToolsPipe,
        loader: Loader,
        activity: NetworkActivity,
        budget: ResourceBudget,
        rules: RenderingRules,
        first_error: FirstError,
    ) -> None:
        self._pipe = pipe
        self._loader = loader
        self._activity = activity
        self._budget = budget
        self._rules = rules
        self._first_error = first_error
        self._top_requests = 0
        self._slots = asyncio.Semaphore(MOST_AT_ONCE)
        self._tasks: dict[asyncio.Task[None], PausedRequest] = {}
        self._top_task: asyncio.Task[None] | None = None
        self._ended = False
        self._loaded: dict[str, TopDocument] = {}
        self.top_frame = ""
        """The id of the page's own frame, once it is known."""
        self.document: TopDocument | None = None
        """The last top document that was loaded here and is shown."""
        self.shows_unstorable_data = False
        """Whether the page may show data that must not be cached."""
        self.notes: set[Note] = set()

    async def begin(self) -> None:
        """Pause every request of the whole browser from now on."""
        self._pipe.on("Fetch.requestPaused", self._on_paused)
        # On the root session: a page's own misses other sites' frames, shared and service workers.
        await self._pipe.call("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})

    def record_shown(self, address: str) -> None:
        """Note that the page shows a document; one that was not loaded here does not count."""
        self.document = self._loaded.get(address, self.document)

    async def end(self) -> None:
        """Fail all requests that are running, and all later ones."""
        self._ended = True
        running = dict(self._tasks)
        for task, paused in running.items():
            task.cancel()
            self._fail(paused, FAILED)
        await asyncio.gather(*running, return_exceptions=True)

    def _on_paused(self, params: dict[str, Any]) -> None:
        paused = PausedRequest.of(params)
        if self._ended:
            self._fail(paused, FAILED)
            return
        top = paused.kind == "document" and paused.frame == self.top_frame
        if not top and not self._budget.admit_request():
            return  # not answered at all: an answer lets a script that floods us go on
        task = asyncio.create_task(self._answer_top(paused) if top else self._answer(paused))
        self._tasks[task] = paused
        task.add_done_callback(self._on_done)
        if top:
            if self._top_task:
                self._top_task.cancel()  # a new navigation replaces the one before
            self._top_task = task

    def _on_done(self, task: "asyncio.Task[None]") -> None:
        del self._tasks[task]
        if not task.cancelled() and (error := task.exception()):
            self._first_error.report(error)

    async def _answer_top(self, paused: PausedRequest) -> None:
        if paused.method not in READ_ONLY:
            self.notes.add(Note.BROWSER_BLOCKED_NON_GET)
            self._fail(paused, ABORTED)
            return
        with self._activity.request():
            self._activity.document_requested()
            try:
                response = await self._load_top(paused)
            except UnsupportedContentType:
                if not self._loaded:
                    raise
                self._activity.document_loaded()
                self._fail(paused, ABORTED)  # a download; the page stays
                return
            if response.status not in REDIRECTS:
                self._loaded[paused.url] = TopDocument.of(response)
                for task in self._tasks:  # the last page's requests; Chromium does not say that they end
                    if task is not self._top_task:
                        task.cancel()
            await self._fulfil(paused, response, drop=frozenset({"content-disposition"}))

    async def _load_top(self, paused: PausedRequest) -> RawResponse:
        self._top_requests += 1
        most = self._rules.max_redirects
        if self._top_requests > most + 1:
            raise RedirectLimit(count=most + 1, max=most)
        deadline = self._rules.whole if self._loaded else self._rules.document
        url = canonical.canonicalise(paused.url)
        self._loader.guard.permit(url)
        try:
            await self._loader.approve(url, deadline)
        except SsrfBlocked as refusal:
            refusal.after_redirect = self._top_requests > 1
            raise
        await self._rules.require_permission(url)

        def admit(opened: OpenResponse) -> None:
            self._rules.record_response(url, opened.status, opened.headers)
            if opened.status == 200:  # refuse other types before their body is downloaded, as over plain HTTP
                Accept.WEB_FETCH.require(media_type(opened.headers.first("content-type"), b""))

        response = await self._loader.load(
            url, paused, deadline, max_bytes=self._rules.max_bytes, admit=admit
        )
        if response.status in REDIRECTS:
            redirect_target(url, response.headers)  # raises if it is not a usable URL
            return response
        return typed(require_success(response, self._rules.now()))

    async def _answer(self, paused: PausedRequest) -> None:
        """Answer a request of the page for anything but its own document (SRD FR-WF-11h)."""
        if paused.method not in READ_ONLY:
            self.notes.add(Note.BROWSER_BLOCKED_NON_GET)
            self._fail(paused, BLOCKED)
        elif paused.kind in self._rules.blocked_kinds or self._budget.exhausted:
            self._fail(paused, BLOCKED)
        elif paused.kind in STREAMS:
            await self._load(paused, self._rules.stream_slots)
        else:
            with self._activity.request():
                await self._load(paused, self._slots)

    async def _load(self, paused: PausedRequest, slots: asyncio.Semaphore) -> None:
        url = None
        try:
            url = canonical.canonicalise(paused.url)
            if not self._loader.guard.may_load(url) or not (
                self._is_own(url) or self._budget.admit_foreign()
            ):
                self._fail(paused, BLOCKED)
                return
            async with slots:
                response = await self._loader.load(
                    url, paused, self._rules.whole, max_bytes=self._budget.allowance
                )
                self._budget.spend(len(response.body))
                if paused.kind in READ_FROM and not may_be_stored(response.headers):
                    self.shows_unstorable_data = True
                await self._fulfil(paused, response)
        except ResponseTooLarge as error:
            self._budget.record_too_large(error)
            self._fail(paused, BLOCKED)
        except FetchError as error:
            if isinstance(error, TargetBlocked):
                more = {"resource_type": paused.kind, **error.details}
                fields = about(url, RenderingMethod.BROWSER, error_code=error.code, **more)
                log.info(error.code, extra=fields)
            self._fail(paused, FAILED if isinstance(error, TransferFailed) else BLOCKED)

    def _is_own(self, url: CanonicalUrl) -> bool:
        """Whether a URL is on the host of the page; those that the page has left count too."""
        return any(url.host == document.url.host for document in self._loaded.values())

    async def _fulfil(
        self, paused: PausedRequest, response: RawResponse, *, drop: frozenset[str] = frozenset()
    ) -> None:
        try:
            await self._pipe.call("Fetch.fulfillRequest", fulfilment(paused, response, drop=drop))
        except CommandFailed:  # the page has given up the request, or Chromium does not accept the response
            self._fail(paused, FAILED)

    def _fail(self, paused: PausedRequest, reason: str) -> None:
        self._pipe.send("Fetch.failRequest", {"requestId": paused.id, "errorReason": reason})
