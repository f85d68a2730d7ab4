"""Other packages that turn HTML into text, with their usual settings; the `bench` extra has them."""

from collections.abc import Callable

import html2text as html2text_package
import html_to_markdown
import markdownify as markdownify_package
import readability
import trafilatura as trafilatura_package
from mcp_server_fetch.server import extract_content_from_html
from selectolax.lexbor import LexborHTMLParser

from fetcher.web.reading.readers import article_markdown, srd_markdown

Reader = Callable[[bytes, str], str]


def trafilatura(html: bytes, url: str) -> str:
    return trafilatura_package.extract(html, url=url, output_format="markdown") or ""


def html_to_markdown_rust(html: bytes, _: str) -> str:
    return str(html_to_markdown.convert(_text(html)).content)


def markdownify(html: bytes, _: str) -> str:
    return str(markdownify_package.markdownify(_text(html)))


def html2text(html: bytes, _: str) -> str:
    return str(html2text_package.html2text(_text(html)))


def readability_lxml(html: bytes, url: str) -> str:
    """The package gives HTML; a fast parser takes its text out."""
    return LexborHTMLParser(readability.Document(_text(html), url=url).summary()).text(separator=" ")


def mcp_server_fetch(html: bytes, _: str) -> str:
    """Readability.js in a process of Node for each page, if Node is installed, then markdownify."""
    return str(extract_content_from_html(_text(html)))


def parsing_alone(html: bytes, _: str) -> str:
    LexborHTMLParser(html)
    return ""


def _text(html: bytes) -> str:
    return html.decode("utf-8", "replace")


OURS = "this project, article"
READERS: dict[str, Reader] = {
    OURS: article_markdown,
    "this project, srd": srd_markdown,
    "trafilatura": trafilatura,
    "readability-lxml": readability_lxml,
    "html-to-markdown (Rust)": html_to_markdown_rust,
    "markdownify": markdownify,
    "html2text": html2text,
    "mcp-server-fetch": mcp_server_fetch,
    "selectolax, parsing alone": parsing_alone,
}
SELDOM = {"mcp-server-fetch": 14}
"""Readers that read only one page of so many, because each takes long."""
