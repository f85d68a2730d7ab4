"""Text of a page outside its main content: the telephone number in the header, the hours in a column.

The article leaves most of it out, and mostly rightly. A reader that looks for something in particular can
look here too.
"""

from collections.abc import Iterator
from itertools import groupby

from fetcher.web.reading.tree import BLOCKS, Article

LONGEST = 20_000
"""How many characters of it are kept: menus of whole sites can be longer than anything on the page."""

_UNSHOWN = ("head", "noscript", "datalist")
_LINES = BLOCKS | {"button"}


def text_outside(article: Article) -> str:
    """The visible lines that are not a part of an article, each once."""
    texts, lines, size = article.tree.texts, dict[str, None](), 0
    for _, nodes in groupby(_unread(article), key=lambda found: found[0]):
        line = " ".join("".join(texts[node] for _, node in nodes).split())
        if line and line not in lines:
            size += len(line) + 1
            if size > LONGEST:
                break
            lines[line] = None
    return "\n".join(lines)


def _unread(article: Article) -> Iterator[tuple[int, int]]:
    """The texts that the article leaves out and that are not hidden, each with the block around it."""
    tree, root, skipped = article.tree, article.root, article.skipped
    hidden = bytearray(len(tree.tags))  # emptied elements have no text
    unshown = [index for tag in _UNSHOWN for index in tree.named(tag)]
    for index in (*article.closed, *unshown):
        hidden[index : tree.ends[index]] = b"\1" * (tree.ends[index] - index)
    end = tree.ends[root] if tree.ends else 0
    blocks: list[int] = []
    for index, (tag, parent) in enumerate(zip(tree.tags, tree.parents, strict=True)):
        is_block = tag in _LINES or parent < 0
        blocks.append(index if is_block else blocks[parent])
        if not tag and not hidden[index] and (skipped[index] or not root <= index < end):
            yield blocks[index], index
