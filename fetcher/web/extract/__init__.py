"""Text to the part of a page that is to be read, in either reading mode."""

from fetcher.codes import ReadingMode
from fetcher.web.extract import article, srd
from fetcher.web.extract.metadata import base_of, language_of, title_of
from fetcher.web.tame import tame
from fetcher.web.tree import Article, Tree, parse

__all__ = ["ReadingMode", "extract"]

TOO_LITTLE = 40
"""The weight of a short line: an `article` reading that keeps less has not found the content."""


def extract(html: str, url: str, *, mode: ReadingMode) -> Article:
    """Reads a page; raises `ExtractionFailed` for what cannot be read in time."""
    tree = parse(tame(html))
    root, skipped = _selection(html, url, tree, mode)
    return Article(
        tree=tree,
        root=root,
        skipped=skipped,
        base=base_of(tree, url),
        title=title_of(tree),
        language=language_of(tree),
    )


def _selection(html: str, url: str, tree: Tree, mode: ReadingMode) -> tuple[int, bytearray]:
    if mode is ReadingMode.ARTICLE:
        page = article.read(html, url, tree)
        if page.features.text_in(page.root) >= TOO_LITTLE:
            return page.root, page.skipped
    return srd.read(tree)
