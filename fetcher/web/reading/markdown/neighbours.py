"""The text before and after an element in its line, across the elements around it."""

from fetcher.web.reading.markdown.elements import BLOCKS
from fetcher.web.reading.tree import Article

_EDGES = BLOCKS | {"br", "table"}
NARROW = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | {0xFFE5: 0xA5, 0x3000: 0x20}
"""Full-width characters, and the narrow ones that mean the same."""
_FAR = 16
"""Nodes that are looked at, at most."""
_LONG = 24
"""Characters that are returned, at most."""


def text_in(article: Article, node: int, most: int) -> str:
    """The text of a short element; empty for one without text, or with more than `most` nodes."""
    tree, end = article.tree, article.tree.ends[node]
    if end - node > most:
        return ""
    return "".join(tree.texts[at] for at in range(node + 1, end) if not article.skipped[at]).strip()


def text_before(article: Article, node: int) -> str:
    """The characters before an element, full-width ones as narrow ones; empty where a line begins."""
    tree, found = article.tree, ""
    for at in range(node - 1, max(node - 1 - _FAR, -1), -1):
        outer = tree.parents[at]
        around: list[str] = []  # the elements around it that end before this one
        while outer >= 0 and tree.ends[outer] <= node and len(around) < _FAR:
            around.append(tree.tags[outer])
            outer = tree.parents[outer]
        if tree.tags[at] in _EDGES or not _EDGES.isdisjoint(around):
            break
        # The text of another superscript is set apart from this one.
        is_other_mark = "sup" in around and any(map(str.isalnum, tree.texts[at]))
        if not article.skipped[at] and not is_other_mark:
            found = tree.texts[at] + found
        if len(found) >= _LONG:
            break
    return found[-_LONG:].translate(NARROW)


def text_after(article: Article, node: int) -> str:
    """The characters after an element, full-width ones as narrow ones; empty where a line ends."""
    tree, found, block = article.tree, "", node
    for _ in range(_FAR):
        block = tree.parents[block]
        if block < 0 or tree.tags[block] in _EDGES:
            break
    end = len(tree.tags) if block < 0 else tree.ends[block]
    at, looked = tree.ends[node], 0
    while at < end and looked < _FAR and len(found) < _LONG and tree.tags[at] not in _EDGES:
        looked += 1
        if article.skipped[at]:
            at = tree.ends[at]
            continue
        found += tree.texts[at]
        at += 1
    return found[:_LONG].translate(NARROW)
