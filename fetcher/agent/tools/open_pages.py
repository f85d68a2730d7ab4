"""The pages that are open while one question is answered."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from fetcher.agent.errors import ToolRefused
from fetcher.agent.safety.fencing import plain_label
from fetcher.agent.safety.links import find_links
from fetcher.agent.safety.provenance import Provenance, canonical_forms
from fetcher.agent.values import Progress, Step
from fetcher.codes import AgentCode, Note
from fetcher.web.errors import FetchError
from fetcher.web.fetch_job import FetchOptions
from fetcher.web.fetch_url import is_slack_permalink
from fetcher.web.net.canonical import canonicalise
from fetcher.web.output.chunks import chunk
from fetcher.web.pipeline import Pipeline
from fetcher.web.values import CanonicalUrl, Chunk, FetchedPage, Table

PASSAGE_TOKENS = 160
"""Small, because the API cites whole passages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPage:
    """A page that was read, cut into passages."""

    url: CanonicalUrl
    title: str
    passages: tuple[Chunk, ...]
    side_passages: tuple[Chunk, ...]
    """Of headers, side columns and footers."""
    tables: tuple[Table, ...]
    notes: frozenset[Note]
    cut: bool = False
    """True when only the beginning of the page was downloaded."""


class OpenPages:
    """Fetches pages that may be fetched, and keeps them for the question."""

    def __init__(
        self, pipeline: Pipeline, provenance: Provenance, on_progress: Callable[[Progress], None]
    ) -> None:
        self._pipeline = pipeline
        self.provenance = provenance
        self._on_progress = on_progress
        self._fetched: dict[tuple[str, int], FetchedPage] = {}
        self._pages: dict[str, OpenPage] = {}

    @property
    def titles(self) -> Mapping[str, str]:
        """Every URL under which a page was read, and its title."""
        return {url: page.title for url, page in self._pages.items()}

    @property
    def incomplete(self) -> list[tuple[FetchedPage, int]]:
        """Pages of which something is missing, with the largest number of bytes they were read up to."""
        largest: dict[str, tuple[FetchedPage, int]] = {}
        for (_, max_bytes), page in self._fetched.items():
            known = largest.get(str(page.final_url))
            if known is None or known[1] <= max_bytes:
                largest[str(page.final_url)] = page, max_bytes
        return [(page, size) for page, size in largest.values() if page.cut or page.truncation]

    async def fetch(self, url: str, options: FetchOptions) -> FetchedPage:
        """Fetch a page, or return it if it was fetched already; raises FetchError or ToolRefused.

        A page that is read again with another limit is the same page: it takes no second fetch.
        """
        key = str(canonicalise(url)), options.max_bytes
        anew = options.no_cache or options.force_browser
        if key in self._fetched and not anew:
            return self._fetched[key]
        known = key[0] in {address for address, _ in self._fetched}
        target = canonicalise(url) if known and not anew else self.provenance.admit(url)
        if is_slack_permalink(target):
            raise ToolRefused(AgentCode.SLACK_PERMALINK, "Slack messages cannot be fetched")
        if not self._pipeline.is_switched_off:  # nothing is opened
            self._on_progress(Progress(step=Step.FETCHING, url=str(target)))
        page = await self._pipeline.fetch(str(target), replace(options, permit=self.provenance.permit))
        self.provenance.permit(page.final_url)  # a cached page's redirects are not followed again
        links = await asyncio.to_thread(
            lambda: frozenset(canonical_forms(find_links(page.document.markdown)))
        )
        self.provenance.learn(target, page.final_url, links)
        self._fetched[key] = self._fetched[str(page.final_url), options.max_bytes] = page
        self._on_progress(Progress(step=Step.READING, url=str(page.final_url), title=_title(page)))
        return page

    async def open(self, url: str, options: FetchOptions) -> OpenPage:
        """Fetch a page and cut it into passages."""
        page = await self.fetch(url, options)
        passages = await asyncio.to_thread(_passages, page)
        side_passages = await asyncio.to_thread(chunk, page.document.beside, PASSAGE_TOKENS)
        opened = OpenPage(
            url=page.final_url,
            title=_title(page),
            passages=passages,
            side_passages=side_passages,
            tables=page.document.tables,
            notes=page.notes,
            cut=page.cut,
        )
        self._pages[str(canonicalise(url))] = self._pages[str(page.final_url)] = opened
        return opened

    def page(self, url: str) -> OpenPage:
        """A page that is open already; raises ToolRefused."""
        try:
            return self._pages[str(canonicalise(url))]
        except (KeyError, FetchError):
            raise ToolRefused(
                AgentCode.PAGE_NOT_READ, "This page has not been read yet: fetch it first"
            ) from None


def _passages(page: FetchedPage) -> tuple[Chunk, ...]:
    """The passages of a page, or of each page of a document, so that none stands on two of them."""
    return tuple(
        replace(passage, page=number)
        for number, part in page.document.parts
        for passage in chunk(part, PASSAGE_TOKENS)
    )


def _title(page: FetchedPage) -> str:
    return plain_label(page.document.title or str(page.final_url))
