"""Reads pages over plain HTTP: requests them hop by hop, and has the body read in a reader process."""

from dataclasses import replace
from functools import partial

from fetcher.clock import Clock
from fetcher.codes import Note
from fetcher.settings import WebFetchSettings
from fetcher.web.browser_reader import unfilled_below
from fetcher.web.fetch_job import FetchJob, FetchOptions, FetchResult
from fetcher.web.fetch_permission import FetchPermission
from fetcher.web.net.content_kinds import CSV, TSV, is_document, kind_of, refuse_header
from fetcher.web.net.deadline import Deadline
from fetcher.web.net.hops import RequestPlan, follow, require_success
from fetcher.web.net.media_types import ACCEPTED, Accept
from fetcher.web.net.transport import OpenResponse, Transport
from fetcher.web.sandbox.pool import ReaderPool
from fetcher.web.values import CanonicalUrl, FetchedPage, Headers, RawResponse, Reading, ReadingContext


class HttpReader:
    """Reads pages without a browser."""

    def __init__(
        self,
        settings: WebFetchSettings,
        *,
        readers: ReaderPool,
        document_readers: ReaderPool,
        permission: FetchPermission,
        transport: Transport,
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._readers = readers
        self._document_readers = document_readers
        self._permission = permission
        self._transport = transport
        self._clock = clock

    async def read(self, job: FetchJob) -> FetchResult:
        """Request the page and read it; raises a FetchError."""
        self._readers.start()  # while the page is downloaded
        response = require_success(await self._download(job), self._clock.now())
        context = ReadingContext(
            url=str(response.url),
            mode=job.options.mode,
            accept=job.options.accept,
            content_type=response.headers.first("content-type"),
            cut=response.cut,
            unfilled_below=unfilled_below(self._settings.rendering),
            scan_pages=job.options.scan_pages,
            scan_bytes=job.options.scan_bytes,
            max_chars=job.options.max_chars,
        )
        reading = await self._parse(response.body, context, response.url.path, job.deadline)
        if not Accept.WEB_FETCH.takes(reading.media_type):
            job.unstorable.add(response.url)  # the cache is for pages
        page = FetchedPage(
            requested_url=job.text,
            final_url=response.url,
            fetched_at=self._clock.now(),
            document=reading.document,
            notes=frozenset({Note.CHARSET_FALLBACK} if reading.fallback else ()),
            truncation=reading.truncation,
            cut=response.cut,
            scans=reading.scans,
        )
        complete = not (response.cut or reading.truncation)
        return FetchResult(page=page, complete=complete, unfilled=reading.unfilled)

    async def _download(self, job: FetchJob) -> RawResponse:
        """Request the page; a kind that is not read is refused by its header or its first bytes."""

        def judge(response: OpenResponse, url: CanonicalUrl, head: bytes) -> tuple[int, bool] | None:
            """Documents have limits of their own, and cannot be read from their beginning alone."""
            kind = kind_of(job.options.accept, response.headers.first("content-type"), head, url.path)
            if not is_document(kind):
                return None
            self._document_readers.start()
            if not job.options.longer_documents:
                return job.options.max_bytes, False
            job.deadline.extend(self._settings.documents.timeout_seconds)
            return self._settings.documents.max_bytes, False

        plan = RequestPlan(
            headers=Headers([("User-Agent", self._settings.user_agent), ("Accept", ACCEPTED)]),
            max_bytes=job.options.max_bytes,
            max_redirects=self._settings.max_redirects,
            cut=job.options.cut,
            require_permission=partial(self._permission.require, job),
            require_redirect=job.guard.permit,
            record_response=job.record_response,
            admit=lambda opened: refuse_header(job.options.accept, opened.headers.first("content-type")),
            judge=judge,
        )
        job.guard.permit(job.url)
        return await follow(job.url, plan, guard=job.guard, transport=self._transport, deadline=job.deadline)

    async def read_file(
        self, body: bytes, url: CanonicalUrl, name: str, content_type: str, options: FetchOptions
    ) -> FetchedPage:
        """Read a file that a person has sent, in the same processes as pages; nothing is requested."""
        kind = kind_of(options.accept, content_type, body, name)
        cut = not is_document(kind) and len(body) > self._settings.max_download_bytes
        body = body[: self._settings.max_download_bytes] if cut else body
        context = ReadingContext(
            url=str(url),
            mode=options.mode,
            accept=options.accept,
            content_type=kind if kind in (CSV, TSV) else content_type,
            cut=cut,
            scan_pages=options.scan_pages,
            scan_bytes=options.scan_bytes,
            max_chars=options.max_chars,
        )
        reading = await self._parse(body, context, name, Deadline(self._settings.documents.timeout_seconds))
        return FetchedPage(
            requested_url=str(url),
            final_url=url,
            fetched_at=self._clock.now(),
            document=replace(reading.document, title=name),
            notes=frozenset({Note.CHARSET_FALLBACK} if reading.fallback else ()),
            truncation=reading.truncation,
            cut=cut,
            scans=reading.scans,
        )

    async def _parse(self, body: bytes, context: ReadingContext, name: str, deadline: Deadline) -> Reading:
        kind = kind_of(context.accept, context.content_type, body, name)
        readers = self._document_readers if is_document(kind) else self._readers
        return await readers.read(body, context, deadline)
