"""From bytes or text to Markdown in one call, for everyone who needs only that."""

from fetcher.codes import ReadingMode
from fetcher.web.decode import html_as_utf8
from fetcher.web.extract import extract
from fetcher.web.extract.beside import beside
from fetcher.web.markdown import normalise, render
from fetcher.web.media_types import HTML_TYPES, XHTML
from fetcher.web.tables import tables
from fetcher.web.values import DecodedText, Document
from fetcher.web.xhtml import as_html


def article_markdown(html: bytes, url: str) -> str:
    """The main content of a page, as the agent reads it."""
    return render(extract(html_as_utf8(html), url, mode=ReadingMode.ARTICLE))


def srd_markdown(html: bytes, url: str) -> str:
    """A page read by the fixed rules of SRD §3.5.1."""
    return render(extract(html_as_utf8(html), url, mode=ReadingMode.SRD))


def read(decoded: DecodedText, url: str, mode: ReadingMode) -> Document:
    """A page's or a text's content; raises `extraction_failed`."""
    if decoded.media_type not in HTML_TYPES:
        return Document(markdown=normalise(decoded.text))
    html = as_html(decoded.text) if decoded.media_type == XHTML else decoded.text
    article = extract(html, url, mode=mode)
    return Document(
        markdown=render(article),
        title=article.title,
        language=article.language,
        tables=tables(article),
        beside=beside(article) if mode is ReadingMode.ARTICLE else "",
    )
