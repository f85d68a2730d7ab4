"""Text to the part of a page that is to be read, in either reading mode."""

from fetcher.codes import ReadingMode
from fetcher.web.reading.extract import article, srd
from fetcher.web.reading.extract.metadata import base_of, language_of, title_of
from fetcher.web.reading.html_limits import limited_html
from fetcher.web.reading.tree import Article, Tree, parse

__all__ = ["ReadingMode", "extract"]

TOO_LITTLE = 40
"""The weight of a short line: an `article` reading that keeps less has not found the content."""


def extract(html: str | bytes, url: str, *, mode: ReadingMode) -> Article:
    """Reads a page's text, or its UTF-8; raises `ExtractionFailed` for what cannot be read in time."""
    utf8 = html.encode(errors="ignore") if isinstance(html, str) else html  # without lone surrogates
    tree = parse(limited_html(utf8))
    root, skipped, closed = _selection(utf8, url, tree, mode)
    return Article(
        tree=tree,
        root=root,
        skipped=skipped,
        closed=closed,
        base=base_of(tree, url),
        title=title_of(tree),
        language=language_of(tree),
        mode=mode,
    )


def _selection(html: bytes, url: str, tree: Tree, mode: ReadingMode) -> tuple[int, bytearray, list[int]]:
    """The root of what is to be read, what is skipped in it, and what is closed anywhere on the page."""
    if mode is not ReadingMode.ARTICLE:
        return *srd.read(tree), []
    page = article.read(html, url, tree)
    if page.features.text_in(page.root) >= TOO_LITTLE:
        return page.root, page.skipped, page.closed
    root, skipped = srd.read(tree)
    for index in page.closed:
        end = tree.ends[index]
        skipped[index:end] = b"\1" * (end - index)
    return root, skipped, page.closed
