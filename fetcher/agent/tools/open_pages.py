"""The pages that are open while one question is answered."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Protocol, TypeVar

from fetcher import wording
from fetcher.agent.errors import ToolRefused
from fetcher.agent.safety.fencing import plain_label
from fetcher.agent.safety.links import find_links
from fetcher.agent.safety.provenance import Provenance, canonical_forms
from fetcher.agent.tools.attached_files import AttachedFiles
from fetcher.agent.tools.incomplete import leads_to_login
from fetcher.agent.tools.open_page import PASSAGE_TOKENS, IsPicture, NeedsBrowser, OpenPage, title_of
from fetcher.agent.tools.pictures import is_picture, picture_blocks
from fetcher.agent.values import AttachedFile, Progress, Step
from fetcher.codes import AgentCode, DocumentCode, Note, ReadingMode
from fetcher.turns import in_turn
from fetcher.web import tool as web_fetch
from fetcher.web.errors import BrowserFailed, DocumentUnreadable, FetchError, Timeout, contained
from fetcher.web.fetch_job import FetchOptions
from fetcher.web.fetch_url import is_slack_permalink
from fetcher.web.net.canonical import canonicalise
from fetcher.web.net.media_types import Accept
from fetcher.web.pipeline import Pipeline
from fetcher.web.search.tasks import CutPage, Digest, DigestPage, FindInPage, Finds
from fetcher.web.values import CanonicalUrl, Document, FetchedPage, Scan

T = TypeVar("T")

MOST_PICTURES = 5
"""That the model is shown for a question: each takes up to 5 MB of a call."""
PASSAGES_FOUND, LINKS_FOUND = 6, 5
MOST_READINGS = 2
"""Of an ambiguous link, before a tool asks for it: each is a fetch."""


class ReadsScans(Protocol):
    """Reads pages that have no text."""

    pages_left: int
    bytes_left: int

    async def read(self, scans: Sequence[Scan]) -> dict[int, str]:
        """The Markdown of each page, by its number; a page that could not be read is left out."""


class OpenPages:
    """Fetches pages that may be fetched, and keeps them for the question."""

    def __init__(
        self,
        pipeline: Pipeline,
        provenance: Provenance,
        on_progress: Callable[[Progress], None],
        *,
        files: Sequence[AttachedFile] = (),
        most_files: int = 0,
        scans: ReadsScans | None = None,
        opening: FetchOptions | None = None,
    ) -> None:
        """`opening` is how a page is opened that a tool needs, for callers whose calls stand alone."""
        self._pipeline = pipeline
        self.files = AttachedFiles(files, most_files)
        self._scans = scans
        self.unread_scans: dict[str, int] = {}
        """Titles of documents, and how many of their pages could not be read."""
        self.pictures: dict[str, str] = {}
        """The URLs and names of the pictures that the model was shown."""
        self.provenance = provenance
        self._on_progress = on_progress
        self._opening = opening
        self._fetched: dict[tuple[str, int], FetchedPage] = {}
        self._pages: dict[str, OpenPage] = {}
        self._ahead: dict[str, asyncio.Task[OpenPage]] = {}
        """Pages that are being read before a tool asks for them, by each of their addresses."""
        self._unrendered: dict[str, FetchedPage] = {}
        """Pages that were read ahead and need a browser: left to the tools, and counted already."""

    @property
    def titles(self) -> Mapping[str, str]:
        """Every URL under which a page was read, and its title."""
        titles = {url: page.title for url, page in self._pages.items()}
        for url, page in self._pages.items():
            for number, name in enumerate(page.document.page_names, start=1):
                titles[f"{url}#page={number}"] = wording.on_sheet(page.title, plain_label(name))
        return titles

    @property
    def documents(self) -> Mapping[str, Document]:
        """Every page that was read, by its URL."""
        return {str(page.final_url): page.document for page in self._fetched.values()}

    @property
    def incomplete(self) -> list[tuple[FetchedPage, int]]:
        """Pages of which something is missing, with the largest number of bytes they were read up to."""
        largest: dict[str, tuple[FetchedPage, int]] = {}
        for (_, max_bytes), page in self._fetched.items():
            known = largest.get(str(page.final_url))
            if known is None or known[1] <= max_bytes:
                largest[str(page.final_url)] = page, max_bytes
        return [
            (page, size)
            for page, size in largest.values()
            if page.cut or page.truncation or leads_to_login(page)
        ]

    @property
    def file_texts(self) -> list[str]:
        """The titles and texts of people's files that were read."""
        read = [page.document for (url, _), page in self._fetched.items() if self.files.find(url)]
        return [text for document in read for text in (document.title or "", document.headed_markdown)]

    def read_ahead(self, readings: Sequence[str], options: FetchOptions) -> asyncio.Task[OpenPage]:
        """Begin to read a page; a tool that asks for it while it is being read waits for this reading.

        An ambiguous link has several readings: the first that leads to a page, among the likeliest two.
        """
        readings = readings[:MOST_READINGS]

        async def read_one(reading: str) -> OpenPage:
            with web_fetch.named({"url": reading}), contained(ToolRefused, NeedsBrowser, IsPicture):
                return await self.open(reading, options, ahead=True)

        task = asyncio.create_task(read_first(readings, read_one))
        self._ahead |= dict.fromkeys(canonical_forms(readings), task)
        return task

    async def aclose(self) -> None:
        """End what is still being read."""
        tasks = set(self._ahead.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def fetch(self, url: str, options: FetchOptions, *, ahead: bool = False) -> FetchedPage:
        """Fetch a page, or return it if it was fetched already; raises FetchError or ToolRefused.

        A page that is read again with another limit is the same page: it takes no second fetch.
        """
        address = str(canonicalise(url))
        anew = options.no_cache or options.force_browser
        if not (anew or ahead) and (under_way := self._ahead.get(address)) and not under_way.done():
            # The task keeps its outcome for the prompt; here only the page counts.
            await asyncio.wait([under_way])
            if not under_way.cancelled() and isinstance(failure := under_way.exception(), FetchError):
                raise failure
        known = {size: page for (other, size), page in self._fetched.items() if other == address}
        for size, page in known.items():
            if not anew and (size >= options.max_bytes or not page.cut):
                return page
        if file := self.files.find(address):
            return next(iter(known.values()), None) or await self._read_file(file, options, ahead=ahead)
        paid = (known or address in self._unrendered) and not anew
        target = canonicalise(url) if paid else self.provenance.admit(url)
        if is_slack_permalink(target):
            raise ToolRefused(AgentCode.SLACK_PERMALINK, "Slack messages cannot be fetched")
        if not self._pipeline.is_switched_off:  # nothing is opened
            self._on_progress(Progress(step=Step.FETCHING, url=str(target)))
        options = replace(
            self._taking_scans(options),
            permit=self.provenance.permission(target),
            may_load=self.provenance.may_load,
        )
        page = await self._request(target, options)
        if (
            ahead
            and Note.BROWSER_UNAVAILABLE_USED_HTTP in page.notes
            and self._pipeline.settings.browser.enabled
        ):
            self._unrendered[address] = page
            raise NeedsBrowser
        self.provenance.permit(page.final_url)  # a cached page's redirects are not followed again
        labels, links = await in_turn(_links_in, page.document)
        self.provenance.learn(target, page.final_url, links.union(labels), labels)
        page = await self._with_scans(page)
        for name in (address, str(page.final_url)):
            self._fetched[name, options.max_bytes] = page
        self._on_progress(Progress(step=Step.READING, url=str(page.final_url), title=title_of(page)))
        return page

    async def _read_file(self, file: AttachedFile, options: FetchOptions, *, ahead: bool) -> FetchedPage:
        """Download a file and read it; a picture is only for the model to see, before its first call."""
        url, name = canonicalise(file.url), plain_label(file.name)
        self._on_progress(Progress(step=Step.READING, url=str(url), title=name))
        content = await self.files.download(file, self._pipeline.settings.documents)
        if is_picture(content):
            if not ahead or len(self.pictures) >= MOST_PICTURES:
                raise ToolRefused(AgentCode.PICTURE_NOT_SEEN, "Pictures cannot be read by tools")
            with self.files.failures_noted(file):
                blocks = picture_blocks(name, content)
            self.pictures[str(url)] = name
            self.provenance.learn_file(url)
            raise IsPicture(blocks)
        options = replace(self._taking_scans(options), accept=Accept.ALL_KINDS, mode=ReadingMode.ARTICLE)
        page = await self._pipeline.read_file(content, url, file.name, file.media_type, options)
        self.provenance.learn_file(url)
        page = await self._with_scans(page)
        self._fetched[str(url), options.max_bytes] = page
        return page

    def _taking_scans(self, options: FetchOptions) -> FetchOptions:
        left = (self._scans.pages_left, self._scans.bytes_left) if self._scans else (0, 0)
        return replace(options, scan_pages=left[0], scan_bytes=left[1])

    async def _with_scans(self, page: FetchedPage) -> FetchedPage:
        """The page with the text of its scans; raises DocumentUnreadable if none of its pages has text."""
        if not page.scans or not self._scans:
            return page
        texts = await self._scans.read(page.scans)
        if len(texts) < len(page.scans):
            self.unread_scans[title_of(page)] = len(page.scans) - len(texts)
        parts, starts, length = list[str](), list[int](), 0
        for number, part in page.document.parts:
            starts.append(length)
            parts.append(f"{texts[number]}\n\n" if number in texts else part)
            length += len(parts[-1])
        markdown = "".join(parts)
        if not markdown.strip():
            raise DocumentUnreadable(DocumentCode.DOCUMENT_HAS_NO_TEXT, error="its scans could not be read")
        document = replace(page.document, markdown=markdown, pages=tuple(starts))
        return replace(page, document=document, scans=())

    async def _request(self, target: CanonicalUrl, options: FetchOptions) -> FetchedPage:
        """Fetch a page; one that is known to need a browser is not requested over HTTP once more."""
        unrendered = self._unrendered.get(str(target))
        if unrendered is None or options.no_cache or options.force_browser:
            return await self._pipeline.fetch(str(target), options)
        try:
            return await self._pipeline.fetch(str(target), replace(options, force_browser=True))
        except (BrowserFailed, Timeout):
            return unrendered  # its notes say that the browser is missing

    async def open(self, url: str, options: FetchOptions, *, ahead: bool = False) -> OpenPage:
        """Fetch a page and cut it into passages."""
        page = await self.fetch(url, options, ahead=ahead)
        passages = await self._pipeline.make(CutPage(max_tokens=PASSAGE_TOKENS), page.document)
        opened = OpenPage.of(page, passages)
        self._pages[str(canonicalise(url))] = self._pages[str(page.final_url)] = opened
        return opened

    async def find(self, page: OpenPage, query: str) -> Finds:
        """The passages and links of a page that bear on a query."""
        task = FindInPage(query=query, passages=PASSAGES_FOUND, links=LINKS_FOUND)
        return await self._pipeline.make(task, page.document)

    async def digest(self, page: FetchedPage, question: str, max_tokens: int) -> Digest:
        """What an answer without a model says of a page."""
        return await self._pipeline.make(DigestPage(question=question, max_tokens=max_tokens), page.document)

    async def page(self, url: str) -> OpenPage:
        """The page that a tool works on: one that is open, unless tools open pages; raises ToolRefused."""
        if self._opening:
            return await self.open(url, self._opening)
        try:
            return self._pages[str(canonicalise(url))]
        except (KeyError, FetchError):
            raise ToolRefused(
                AgentCode.PAGE_NOT_READ, "This page has not been read yet: fetch it first"
            ) from None


async def read_first(readings: Sequence[str], read: Callable[[str], Awaitable[T]]) -> T:
    """Read the first of an ambiguous link's readings that leads to a page; raises what the last one does."""
    *first, last = readings
    for reading in first:
        with suppress(FetchError):
            return await read(reading)
    return await read(last)


def _links_in(document: Document) -> tuple[dict[str, str], frozenset[str]]:
    """The canonical URLs of a page's links with what the page calls them, and those in its text."""
    labels = {url: link.label for link in document.links for url in canonical_forms([link.url])}
    return labels, frozenset(canonical_forms(find_links(document.markdown)))
