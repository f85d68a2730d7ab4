"""One fetch on its way: what its caller wants, what it has used and noticed, and what came of it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from fetcher.codes import Note, ReadingMode
from fetcher.web.cache.cache_control import may_be_stored
from fetcher.web.net.deadline import Deadline
from fetcher.web.net.hops import PinnedGuard
from fetcher.web.net.media_types import Accept
from fetcher.web.values import CanonicalUrl, FetchedPage, Headers


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchOptions:
    """What a caller wants of a page, and what it may cost."""

    mode: ReadingMode
    timeout_seconds: float
    max_bytes: int
    accept: Accept = Accept.WEB_FETCH
    cut: bool = False
    """Read the beginning of a body that is too long instead of refusing it."""
    no_cache: bool = False
    force_browser: bool = False
    render_seconds: float | None = None
    """What a rendering may take beyond `timeout_seconds`; without it, what SRD FR-WF-TIMEOUT-01 adds."""
    permit: Callable[[CanonicalUrl], None] = lambda _: None
    """Called with every URL on the way to the page; raises to stop there."""


@dataclass(slots=True, kw_only=True)
class FetchJob:
    """A fetch under way: its budget, the names it has resolved, and what it has noticed."""

    text: str
    url: CanonicalUrl
    want: FetchOptions
    guard: PinnedGuard
    deadline: Deadline
    notes: set[Note] = field(default_factory=set)
    visited: list[CanonicalUrl] = field(default_factory=list)
    """The URLs on the way to the page, in order."""
    unstorable: set[CanonicalUrl] = field(default_factory=set)
    """Those of them, the page's own among them, whose answers are not to be kept."""
    browser_broke_down: bool = False
    """Whether a browser that is there has failed, so that the page as it came has to do for now."""

    def learn(self, url: CanonicalUrl, status: int, headers: Headers) -> None:
        """What an answer says of itself, known before its body comes; an error says nothing of the page."""
        if status < 400 and not may_be_stored(headers):
            self.unstorable.add(url)

    @property
    def superseded(self) -> list[CanonicalUrl]:
        """The URLs whose earlier copies are not to be shown: all, where the way ends in what is not kept."""
        ends_unstorable = bool(self.visited) and self.visited[-1] in self.unstorable
        return self.visited if ends_unstorable else list(self.unstorable)


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchResult:
    """A page that was read just now."""

    page: FetchedPage
    complete: bool
    """Whether all of it is there."""
    unfilled: bool = False
    """Whether it looks like one that a script has yet to fill."""
