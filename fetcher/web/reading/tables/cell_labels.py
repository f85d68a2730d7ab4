"""What a cell without text says: by the name of its picture or icon."""

import re
from collections.abc import Iterator

from fetcher.web.reading.markdown.escape import clean, squash
from fetcher.web.reading.tables.controls import CONTROLS, shown_by
from fetcher.web.reading.tables.icons import signs
from fetcher.web.reading.tree import Article, Tree

_NAMES = ("aria-label", "alt", "title")
_VALUES = {"time": "datetime", "data": "value"}
_SPOKEN = re.compile(r"\b(?:sr-only|visually-?hidden|screen-?reader)")
"""In the class of what is said to those who do not see the icon beside it."""
_LONGEST_SPOKEN = 40


def label(article: Article, cell: int) -> str:
    """The names of what stands in a cell, else the signs that icons show; empty where nothing has one."""
    return squash(" ".join(_labels(article, cell))) or signs(article, cell)


def _labels(article: Article, cell: int) -> Iterator[str]:
    tree, skipped = article.tree, article.skipped
    node, end = cell, tree.ends[cell]
    while node < end:
        tag = tree.tags[node]
        left_out = bool(skipped) and skipped[node] and tag != "img" and not _is_spoken(tree, node)
        if left_out or tag == "table" or tree.attribute(node, "aria-hidden") == "true":
            node = tree.ends[node]
            continue
        found = clean(_own_label(tree, node)).strip()
        yield found
        node = tree.ends[node] if found or tag in CONTROLS else node + 1


def _own_label(tree: Tree, node: int) -> str:
    tag, attributes = tree.tags[node], tree.attributes[node]
    if tag in CONTROLS and (shown := shown_by(tree, node)):
        return shown
    named = next((attributes[name] for name in _NAMES if attributes.get(name)), None)
    if _is_spoken(tree, node):
        return " ".join(tree.texts[node : tree.ends[node]]).strip() or named or ""
    return named or tree.attribute(node, _VALUES.get(tag, "")) or ""


def _is_spoken(tree: Tree, node: int) -> bool:
    class_ = tree.attributes[node].get("class")
    if not class_ or not _SPOKEN.search(class_.lower()):
        return False
    return tree.ends[node] == node + 2 and len(tree.texts[node + 1]) <= _LONGEST_SPOKEN
