"""Other packages that turn HTML into text, with their usual settings; the `bench` extra has them."""

from collections.abc import Callable

import html2text
import html_to_markdown
import markdownify
import readability
import trafilatura
from mcp_server_fetch.server import extract_content_from_html
from selectolax.lexbor import LexborHTMLParser

from fetcher.web.reading.readers import article_markdown, srd_markdown

Reader = Callable[[bytes, str], str]


def _text(html: bytes) -> str:
    return html.decode("utf-8", "replace")


def _parse(html: bytes, _: str) -> str:
    LexborHTMLParser(html)
    return ""


OURS = "this project, article"


def _read_by_readability(html: bytes, url: str) -> str:
    try:
        summary = readability.Document(_text(html), url=url).summary()
    except readability.readability.Unparseable:  # a control character in a text is enough
        return ""
    return LexborHTMLParser(summary).text(separator=" ")


READERS: dict[str, Reader] = {
    OURS: article_markdown,
    "this project, srd": srd_markdown,
    "trafilatura": lambda html, url: trafilatura.extract(html, url=url, output_format="markdown") or "",
    # The package gives HTML; a fast parser takes its text out.
    "readability-lxml": _read_by_readability,
    "html-to-markdown (Rust)": lambda html, _: str(html_to_markdown.convert(_text(html)).content),
    "markdownify": lambda html, _: str(markdownify.markdownify(_text(html))),
    "html2text": lambda html, _: str(html2text.html2text(_text(html))),
    # Readability.js in a process of Node for each page, if Node is installed, then markdownify.
    "mcp-server-fetch": lambda html, _: str(extract_content_from_html(_text(html))),
    "selectolax, parsing alone": _parse,
}
SELDOM = {"mcp-server-fetch": 14}
"""Readers that read only one page of so many, because each takes long."""
