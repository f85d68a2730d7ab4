"""The frozen values that the engine's stages pass on."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address
from itertools import pairwise
from typing import Any

from fetcher.codes import Note, ReadingMode, RenderingMethod, TruncationReason
from fetcher.web.net.media_types import Accept

IPAddress = IPv4Address | IPv6Address

DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, kw_only=True)
class CanonicalUrl:
    """An http(s) URL in the canonical form of SRD Appendix A; only `canonical.py` makes them."""

    scheme: str
    host: str
    """ASCII, lower case; an IPv6 address is in brackets."""
    port: int
    path: str
    query: str | None = None
    address: IPAddress | None = None
    """The IP address, if the host is one."""

    def __post_init__(self) -> None:
        if self.scheme not in DEFAULT_PORTS:
            raise ValueError(f"not an http(s) scheme: {self.scheme!r}")
        if not self.host or not self.path.startswith("/"):
            raise ValueError("a canonical URL has a host and an absolute path")

    @property
    def origin(self) -> str:
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}"

    @property
    def target(self) -> str:
        """Path and query, as the request line and robots.txt see them."""
        return self.path if self.query is None else f"{self.path}?{self.query}"

    @property
    def redacted(self) -> str:
        """The URL without its query, fit for logs (SRD FR-WF-19b)."""
        return self.origin + self.path

    def __str__(self) -> str:
        return self.origin + self.target


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovedTarget:
    """A URL with the addresses that the guard has approved; only these may be dialled."""

    url: CanonicalUrl
    addresses: tuple[IPAddress, ...]
    """In the order of attempts (SRD FR-WF-DNS-01), at most `max_dns_attempts`."""

    def __post_init__(self) -> None:
        if not self.addresses:
            raise ValueError("an approved target has at least one address")


class Headers(tuple[tuple[str, str], ...]):
    """Header fields as received, names in lower case."""

    __slots__ = ()

    def first(self, name: str) -> str | None:
        return next((value for key, value in self if key == name), None)

    def replaced(self, name: str, value: str) -> "Headers":
        """The same headers, with this value as the only one of a field."""
        return Headers((*(field for field in self if field[0] != name), (name, value)))

    def joined(self, name: str) -> str:
        """All values of a list field, which may be sent in several lines."""
        return ",".join(value for key, value in self if key == name)


@dataclass(frozen=True, slots=True, kw_only=True)
class RawResponse:
    """One HTTP response: status, headers as received, and the decoded body."""

    url: CanonicalUrl
    status: int
    reason: str
    headers: Headers
    body: bytes = b""
    cut: bool = False
    """True if the body was longer than the limit, so that this is only its beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedText:
    """A body as text, with its media type and charset."""

    text: str
    media_type: str
    charset: str
    fallback: bool = False
    """True if the charset was unknown or guessed: the `charset_fallback` note."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of the page as rows of clean text, spans resolved."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    cut: bool = False
    """True if rows, columns or later tables are missing, because the page was cut or is too large."""
    named_rows: bool = False
    """True if the first column names the rows, and no row names the columns."""
    page: int = 0
    """The number of the page in a document with pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A token-bounded piece of the Markdown (SRD FR-WF-03b)."""

    heading: str
    text: str
    token_count: int
    page: int = 0
    """The number of its page in a document with pages."""
    start: int = 0
    """Where it begins in the text."""

    def as_json(self) -> dict[str, Any]:
        return {"heading": self.heading, "text": self.text, "token_count": self.token_count}


class LinkPlace(StrEnum):
    """Where on a page a link stands."""

    NAVIGATION = "navigation"
    """Menus, headers and side columns."""
    FOOTER = "footer"
    CONTENT = "content"


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link of a page, with what it says there."""

    label: str
    url: str
    place: LinkPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A page that was read: its text as Markdown, its title, language and tables."""

    markdown: str
    title: str | None = None
    language: str | None = None
    head: str = ""
    """The title of a story and the lines with its day, as Markdown; they are not in `markdown`."""
    tables: tuple[Table, ...] = ()
    beside: str = ""
    """Lines of the page outside of its article, which `markdown` leaves out."""
    links: tuple[Link, ...] = ()
    """Of the whole page, each URL once."""
    pages: tuple[int, ...] = ()
    """Where in `markdown` each page of a PDF, or each sheet of a workbook, begins; else empty."""
    page_names: tuple[str, ...] = ()
    """The names of the sheets of a workbook; pages of a PDF have none."""

    @property
    def headed_markdown(self) -> str:
        """The Markdown below the head of a story."""
        return f"{self.head}\n\n{self.markdown}" if self.head else self.markdown

    @property
    def parts(self) -> Iterator[tuple[int, str]]:
        """The Markdown page by page, each with its number; a document without pages is page 0."""
        if not self.pages:
            yield 0, self.markdown
        for number, (start, end) in enumerate(pairwise((*self.pages, len(self.markdown))), start=1):
            yield number, self.markdown[start:end]

    def page_at(self, position: int) -> int:
        """The number of the page at a position in `markdown`; 0 in a document without pages."""
        return bisect_right(self.pages, position)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingContext:
    """What is known about a body before it is read."""

    url: str
    """The body's URL; links are relative to it."""
    mode: ReadingMode
    accept: Accept = Accept.WEB_FETCH
    content_type: str | None = None
    """The Content-Type header as received."""
    media_type: str = ""
    """The body's type; the reader finds it in the header or in the bytes."""
    cut: bool = False
    """True if this is only the beginning of the body."""
    unfilled_below: int = 0
    """A page with fewer characters of Markdown may be one that a script has yet to fill."""
    scan_pages: int = 0
    """How many pages without text the caller takes as they are; 0: none."""
    scan_bytes: int = 0
    """Of all of them together."""
    max_chars: int = 0
    """Characters of Markdown that the caller takes; 0: all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """A page of a PDF that has no text of its own."""

    page: int
    content: bytes
    """A PDF of this page alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The result of reading a body."""

    document: Document
    media_type: str
    fallback: bool = False
    """True if the charset was unknown or guessed: the `charset_fallback` note."""
    unfilled: bool = False
    """True if it looks like a page that a script has yet to fill."""
    shortened: bool = False
    """True if the Markdown was longer than the caller takes; the tables are whole."""

    @property
    def truncation(self) -> frozenset[TruncationReason]:
        return frozenset({TruncationReason.TOOL_OUTPUT_LIMIT} if self.shortened else ())

    def within(self, max_chars: int) -> "Reading":
        """The reading with no more Markdown than the caller takes; 0: all of it."""
        markdown = self.document.markdown
        if not max_chars or len(markdown) <= max_chars:
            return self
        end = markdown.rfind("\n", 0, max_chars) + 1 or max_chars - 1
        pages = tuple(min(start, end) for start in self.document.pages)
        document = replace(self.document, markdown=markdown[:end].rstrip("\n") + "\n", pages=pages)
        return replace(self, document=document, shortened=True)

    scans: tuple[Scan, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedPage:
    """A page that was fetched and read, before it is split into chunks."""

    requested_url: str
    final_url: CanonicalUrl
    fetched_at: datetime
    document: Document
    rendering_method: RenderingMethod = RenderingMethod.HTTP
    notes: frozenset[Note] = field(default_factory=frozenset)
    truncation: frozenset[TruncationReason] = field(default_factory=frozenset)
    cut: bool = False
    """True if the body was longer than the caller's limit, so that only its beginning was read."""
    scans: tuple[Scan, ...] = ()
