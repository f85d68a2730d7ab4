"""What stands on a page beside its main content: the telephone number in the header, the hours in a column.

A page's reading leaves most of it out, and mostly rightly. Who looks for something in particular can look
here too.
"""

from collections.abc import Iterator
from itertools import groupby

from fetcher.web.extract import unseen
from fetcher.web.extract.features import measure
from fetcher.web.extract.kinds import PageKind
from fetcher.web.extract.page import Page
from fetcher.web.tree import BLOCKS, Article

LONGEST = 20_000
"""How many characters of it are kept: menus of whole sites can be longer than anything on the page."""

_LINES = BLOCKS | {"button"}


def beside(article: Article) -> str:
    """The lines in sight that are no part of an article, each once."""
    lines: dict[str, None] = {}
    size = 0
    for line in _lines(article):
        if line not in lines:
            size += len(line) + 1
            if size > LONGEST:
                break
            lines[line] = None
    return "\n".join(lines)


def _lines(article: Article) -> Iterator[str]:
    texts = article.tree.texts
    for _, nodes in groupby(_unread(article), key=lambda found: found[0]):
        if line := " ".join("".join(texts[node] for _, node in nodes).split()):
            yield line


def _unread(article: Article) -> Iterator[tuple[int, int]]:
    """The texts that the article leaves out and that are not hidden, each with the block around it."""
    tree, root, skipped = article.tree, article.root, article.skipped
    hidden = _hidden(article)
    end = tree.ends[root] if tree.ends else 0
    blocks: list[int] = []
    for index, (tag, parent) in enumerate(zip(tree.tags, tree.parents, strict=True)):
        if tag in _LINES:
            blocks.append(index)
        else:
            blocks.append(blocks[parent] if parent >= 0 else index)
        if not tag and not hidden[index] and (skipped[index] or not root <= index < end):
            yield blocks[index], index


def _hidden(article: Article) -> bytearray:
    """Which nodes nobody sees, wherever on the page they are, and the head."""
    tree = article.tree
    hidden = bytearray(len(tree.tags))
    for head in tree.named("head"):
        hidden[head : tree.ends[head]] = b"\1" * (tree.ends[head] - head)
    body = next(iter(tree.named("body")), 0)
    page = Page(html=b"", tree=tree, kind=PageKind.OTHER, features=measure(tree), skipped=hidden, root=body)
    unseen.drop_all_unseen(page)
    return hidden
