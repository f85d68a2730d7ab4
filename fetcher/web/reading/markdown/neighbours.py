"""What stands beside an element in its line, whichever elements it comes from."""

from fetcher.web.reading.markdown.elements import BLOCKS
from fetcher.web.reading.tree import Article

_EDGES = BLOCKS | {"br", "table"}
NARROW = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | {0xFFE5: 0xA5, 0x3000: 0x20}
"""Full-width characters, and the narrow ones that mean the same."""
_FAR = 16
"""Nodes that are looked at."""
_LONG = 24
"""Characters of them that tell enough."""


def text_in(article: Article, node: int, most: int) -> str:
    """The text of a short element; empty where there is none, or more nodes than `most`."""
    tree, end = article.tree, article.tree.ends[node]
    if end - node > most:
        return ""
    return "".join(tree.texts[at] for at in range(node + 1, end) if not article.skipped[at]).strip()


def text_before(article: Article, node: int) -> str:
    """The characters before an element, full-width ones as narrow ones; empty where a line begins."""
    tree, found = article.tree, ""
    for at in range(node - 1, max(node - 1 - _FAR, -1), -1):
        around = _ends_before(article, at, node)
        if tree.tags[at] in _EDGES or not _EDGES.isdisjoint(around):
            break
        is_other_mark = "sup" in around and any(map(str.isalnum, tree.texts[at]))  # set apart by itself
        if not article.skipped[at] and not is_other_mark:
            found = tree.texts[at] + found
        if len(found) >= _LONG:
            break
    return found[-_LONG:].translate(NARROW)


def text_after(article: Article, node: int) -> str:
    """The characters after an element in the same way."""
    tree, found = article.tree, ""
    at, looked, end = tree.ends[node], 0, _end_of_block(article, node)
    while at < end and looked < _FAR and len(found) < _LONG and tree.tags[at] not in _EDGES:
        looked += 1
        if article.skipped[at]:
            at = tree.ends[at]
            continue
        found += tree.texts[at]
        at += 1
    return found[:_LONG].translate(NARROW)


def _ends_before(article: Article, at: int, node: int) -> list[str]:
    """The elements around one node that end before another."""
    tree, found = article.tree, list[str]()
    at = tree.parents[at]
    while at >= 0 and tree.ends[at] <= node and len(found) < _FAR:
        found.append(tree.tags[at])
        at = tree.parents[at]
    return found


def _end_of_block(article: Article, node: int) -> int:
    tree = article.tree
    for _ in range(_FAR):
        node = tree.parents[node]
        if node < 0:
            return len(tree.tags)
        if tree.tags[node] in _EDGES:
            break
    return tree.ends[node]
