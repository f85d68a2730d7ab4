"""Text to the part of a page that is to be read, in either reading mode."""

from fetcher.codes import ReadingMode
from fetcher.web.reading.extract import article, srd
from fetcher.web.reading.extract.metadata import base_of, language_of, title_of
from fetcher.web.reading.html_limits import limited_html
from fetcher.web.reading.tree import Article, parse

__all__ = ["ReadingMode", "extract"]

TOO_LITTLE = 40
"""The weight of a short line: an `article` reading that keeps less has not found the content."""


def extract(html: str | bytes, url: str, *, mode: ReadingMode) -> Article:
    """Reads a page's text, or its UTF-8; raises `ExtractionFailed` for what cannot be read in time."""
    utf8 = html.encode(errors="ignore") if isinstance(html, str) else html  # without lone surrogates
    tree = parse(limited_html(utf8))
    closed: list[int] = []
    head: list[int] = []
    if mode is ReadingMode.ARTICLE:
        page = article.read(utf8, url, tree)
        root, skipped, closed, head = page.root, page.skipped, page.closed, page.head
        is_found = page.features.text_in(root) >= TOO_LITTLE
    if mode is not ReadingMode.ARTICLE or not is_found:
        (root, skipped), head = srd.read(tree), []
        for index in closed:
            skipped[index : tree.ends[index]] = b"\1" * (tree.ends[index] - index)
    return Article(
        tree=tree,
        root=root,
        skipped=skipped,
        closed=closed,
        head=head,
        base=base_of(tree, url),
        title=title_of(tree),
        language=language_of(tree),
        mode=mode,
    )
