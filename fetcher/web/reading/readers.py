"""From bytes to a document, by the media type; a reader process runs this (`sandbox/`).

A new kind of content needs a row in `READERS`, and a name in `media_types.py`.
"""

import re
from collections.abc import Callable
from dataclasses import replace

from fetcher.codes import ReadingMode
from fetcher.web.errors import ExtractionFailed, UnsupportedContentType
from fetcher.web.net.content_kinds import CSV, TSV, kind_of
from fetcher.web.net.media_types import TEXT_TYPE, XHTML, charset_parameter
from fetcher.web.reading.decode import decode_text, html_as_utf8, page_as_utf8
from fetcher.web.reading.documents.delimited import read_delimited
from fetcher.web.reading.documents.feeds import read_feed
from fetcher.web.reading.documents.json_outline import read_json
from fetcher.web.reading.extract import extract
from fetcher.web.reading.extract.outside_article import head_of, outside, text_outside
from fetcher.web.reading.markdown.white_space import normalise
from fetcher.web.reading.markdown.writer import render
from fetcher.web.reading.page_links import frames_as_links, page_links
from fetcher.web.reading.tables.rows import tables
from fetcher.web.values import Document, Reading, ReadingContext

MOST_GROWTH = 50
"""How many times as long as its source a page's Markdown may be."""
ALWAYS_ALLOWED = 100_000
"""Characters of Markdown that any page may have, however short its source."""

SPA_INDICATORS = (
    b'<script type="module">',
    b'id="__next"',
    b'id="app"',
    b'id="root"',
    b"window.__nuxt__",
    b"window.__initial_state__",
)
"""Marks of a page that a script fills (SRD FR-WF-12c), searched in the page's source in lower case."""

_VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()  # noqa: SIM905 - a table
)
_SELF_CLOSED = re.compile(r"""<([A-Za-z][\w:.-]*+)((?>[^<>"'/]++|"[^"]*"|'[^']*'|/(?!>))*+)/>""")

Reader = Callable[[bytes, ReadingContext], Reading]
"""Raises a ReadingFailed."""
Readers = tuple[tuple[re.Pattern[str], Reader], ...]


def article_markdown(html: bytes, url: str) -> str:
    """The main content of a page, as the agent reads it."""
    article = extract(html_as_utf8(html, doubted=True), url, mode=ReadingMode.ARTICLE)
    markdown = render(article)
    return markdown if markdown.strip() else frames_as_links(article) or markdown


def srd_markdown(html: bytes, url: str) -> str:
    """A page read by the fixed rules of SRD §3.5.1."""
    return render(extract(html_as_utf8(html), url, mode=ReadingMode.SRD))


def read(body: bytes, context: ReadingContext, kinds: Readers | None = None) -> Reading:
    """The content of a body; raises a ReadingFailed."""
    kind = kind_of(context.accept, context.content_type, body, context.url)
    for pattern, reader in kinds or READERS:
        if pattern.fullmatch(kind):
            return reader(body, replace(context, media_type=kind))
    raise UnsupportedContentType(content_type=kind)


def read_page(body: bytes, context: ReadingContext) -> Reading:
    is_part = context.mode is ReadingMode.ARTICLE
    html, guessed = page_as_utf8(body, charset_parameter(context.content_type), doubted=is_part)
    if context.media_type == XHTML:
        html = as_html(html.decode(errors="replace")).encode()
    article = extract(html, context.url, mode=context.mode)
    markdown = render(article)
    if is_part and not markdown.strip():
        markdown = frames_as_links(article) or markdown
    if len(markdown) > MOST_GROWTH * len(body) + ALWAYS_ALLOWED:
        raise ExtractionFailed(error=f"its Markdown is more than {MOST_GROWTH} times as long as its source")
    document = Document(
        markdown=markdown,
        title=article.title,
        language=article.language,
        head=head_of(article),
        tables=tables(article, *([outside(article)] if is_part else ()), cut=context.cut),
        beside=text_outside(article) if is_part else "",
        links=page_links(article) if is_part else (),
    )
    return Reading(
        document=document,
        media_type=context.media_type,
        fallback=guessed,
        unfilled=looks_unfilled(html, markdown, context.unfilled_below),
    )


def looks_unfilled(html: bytes, markdown: str, below: int) -> bool:
    """Whether a page has fewer characters than `below` and the marks of a page that a script fills."""
    if len(markdown) >= below:
        return False
    page = html.lower()
    return any(mark in page for mark in SPA_INDICATORS)


def as_html(xhtml: str) -> str:
    """An XML page for a parser of HTML, which would take `<script src="x"/>` for a beginning alone.

    Every element that closes itself gets an end tag, if it may have content in HTML.
    """

    def closed(tag: re.Match[str]) -> str:
        name, attributes = tag.groups()
        return tag[0] if name.lower() in _VOID else f"<{name}{attributes}></{name}>"

    return _SELF_CLOSED.sub(closed, xhtml)


def read_text(body: bytes, context: ReadingContext) -> Reading:
    decoded = decode_text(body, context)
    return Reading(
        document=Document(markdown=normalise(decoded.text)),
        media_type=decoded.media_type,
        fallback=decoded.fallback,
    )


READERS: Readers = (
    (re.compile(r"text/html|application/xhtml\+xml"), read_page),
    (re.compile(rf"{CSV}|{TSV}"), read_delimited),
    (re.compile(r"application/(?:atom|rss|rdf)\+xml"), read_feed),
    (re.compile(r"application/json|\A(?>[^+]++\+)++json"), read_json),
    (TEXT_TYPE, read_text),
)
"""The reader of a media type is the first whose pattern matches it."""
