"""What stands on a page beside its main content: the telephone number in the header, the hours in a column.

A page's reading leaves most of it out, and mostly rightly. Who looks for something in particular can look
here too.
"""

from collections.abc import Iterator
from itertools import groupby

from fetcher.web.reading.tree import BLOCKS, Article

LONGEST = 20_000
"""How many characters of it are kept: menus of whole sites can be longer than anything on the page."""

_UNSHOWN = ("head", "noscript", "datalist")
_LINES = BLOCKS | {"button"}


def text_outside(article: Article) -> str:
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
    """Which nodes nobody sees, wherever on the page they are, and the head; what is emptied has no text."""
    tree = article.tree
    hidden = bytearray(len(tree.tags))
    unshown = [index for tag in _UNSHOWN for index in tree.named(tag)]
    for index in (*article.closed, *unshown):
        hidden[index : tree.ends[index]] = b"\1" * (tree.ends[index] - index)
    return hidden
