"""One fetch: the options of its caller, its state while it runs, and its result."""

from collections.abc import Callable
from dataclasses import dataclass, field

from fetcher.codes import Note, ReadingMode
from fetcher.web.cache.entry import may_be_stored
from fetcher.web.net.deadline import Deadline
from fetcher.web.net.hops import PinnedGuard
from fetcher.web.net.media_types import Accept
from fetcher.web.values import CanonicalUrl, FetchedPage, Headers


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchOptions:
    """How a caller wants a page to be fetched and read, and within which limits."""

    mode: ReadingMode
    timeout_seconds: float
    max_bytes: int
    accept: Accept = Accept.WEB_FETCH
    cut: bool = False
    """Read the beginning of a body that is too long instead of refusing it."""
    longer_documents: bool = True
    """PDF and Office files have the limits of the settings instead of these."""
    no_cache: bool = False
    force_browser: bool = False
    render_seconds: float | None = None
    """Seconds for a rendering beyond `timeout_seconds`; None: as many as SRD FR-WF-TIMEOUT-01 adds."""
    scan_pages: int = 0
    """How many pages without text the caller takes as they are, from a PDF; 0: none."""
    scan_bytes: int = 0
    """Of all of them together."""
    max_chars: int = 0
    """Characters of Markdown that the caller takes, a longer text is cut; 0: all."""
    permit: Callable[[CanonicalUrl], None] = lambda _: None
    """Called with every URL of the page before it is requested; raises to refuse it."""
    may_load: Callable[[CanonicalUrl], bool] = lambda _: True
    """Whether a page in a browser may load a URL: a script, data, a frame."""


@dataclass(slots=True, kw_only=True)
class FetchJob:
    """A fetch that is running: its deadline, the names it has resolved, and its notes."""

    text: str
    url: CanonicalUrl
    options: FetchOptions
    guard: PinnedGuard
    deadline: Deadline
    notes: set[Note] = field(default_factory=set)
    visited: list[CanonicalUrl] = field(default_factory=list)
    """The URLs that were requested on the way to the page, in order."""
    unstorable: set[CanonicalUrl] = field(default_factory=set)
    """The visited URLs whose responses must not be cached."""
    browser_broke_down: bool = False
    """Whether an installed browser failed, so that this read of the page over HTTP is only a substitute."""

    def record_response(self, url: CanonicalUrl, status: int, headers: Headers) -> None:
        """Note whether a response may be cached; an error response says nothing about the page."""
        if status < 400 and not may_be_stored(headers):
            self.unstorable.add(url)


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchResult:
    """A page that was read in this fetch."""

    page: FetchedPage
    complete: bool
    """Whether the whole page was read."""
    unfilled: bool = False
    """Whether the page looks as if a script had yet to fill it."""
