"""Articles made from snippets of HTML."""

from fetcher.codes import ReadingMode
from fetcher.web.reading.markdown.writer import render
from fetcher.web.reading.tree import Article, parse

BASE = "https://example.com/dir/page.html"


def article(html: str, *, skip: str = "", base: str = BASE, mode: ReadingMode = ReadingMode.SRD) -> Article:
    """The whole page as an article; elements with the name `skip` are left out."""
    tree = parse(html)
    skipped = bytearray(bool(skip) and tag == skip for tag in tree.tags)
    return Article(tree=tree, root=0, skipped=skipped, base=base, mode=mode)


def markdown(html: str, *, base: str = BASE, mode: ReadingMode = ReadingMode.SRD) -> str:
    """The Markdown of a page without its last newline."""
    text = render(article(html, base=base, mode=mode))
    assert text.endswith("\n")
    return text[:-1]
