"""A document that was turned into HTML by us, written by the rules of pages: escapes, links, tables."""

from fetcher.web.reading.markdown.writer import render
from fetcher.web.reading.tables.rows import tables
from fetcher.web.reading.tree import Article, parse
from fetcher.web.values import Table


def written(html: str, url: str) -> tuple[str, tuple[Table, ...]]:
    """The Markdown and the tables of HTML of which every word counts; links are relative to `url`."""
    tree = parse(html)
    root = next(iter(tree.named("body")), 0)
    article = Article(tree=tree, root=root, skipped=bytearray(len(tree.tags)), base=url)
    return render(article), tables(article)
