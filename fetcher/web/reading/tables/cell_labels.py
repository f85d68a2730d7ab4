"""The text of a cell without text: the names of its pictures and icons."""

import re

from fetcher.web.reading.markdown.escape import clean, squash
from fetcher.web.reading.tables.controls import CONTROLS, shown_by
from fetcher.web.reading.tables.icons import signs
from fetcher.web.reading.tree import Article, Tree

_NAMES = ("aria-label", "alt", "title")
_VALUES = {"time": "datetime", "data": "value"}
_SPOKEN = re.compile(r"\b(?:sr-only|visually-?hidden|screen-?reader)")
"""In the class of a text for people who do not see the icon beside it."""
_LONGEST_SPOKEN = 40


def label(article: Article, cell: int) -> str:
    """The names of the elements in a cell, else the signs that its icons show; empty if there are neither."""
    tree, skipped = article.tree, article.skipped
    names, node, end = list[str](), cell, tree.ends[cell]
    while node < end:
        tag = tree.tags[node]
        left_out = skipped[node] and tag != "img" and not _is_spoken(tree, node)
        if left_out or tag == "table" or tree.attribute(node, "aria-hidden") == "true":
            node = tree.ends[node]
            continue
        attributes = tree.attributes[node]
        name = shown_by(tree, node) if tag in CONTROLS else ""
        if not name and _is_spoken(tree, node):
            name = " ".join(tree.texts[node : tree.ends[node]]).strip()
        if not name:
            named_by = (*_NAMES, "" if _is_spoken(tree, node) else _VALUES.get(tag, ""))
            name = next(filter(None, map(attributes.get, named_by)), None) or ""
        names.append(clean(name).strip())
        node = tree.ends[node] if names[-1] or tag in CONTROLS else node + 1
    return squash(" ".join(names)) or signs(article, cell)


def _is_spoken(tree: Tree, node: int) -> bool:
    class_ = tree.attributes[node].get("class")
    if not class_ or not _SPOKEN.search(class_.lower()):
        return False
    return tree.ends[node] == node + 2 and len(tree.texts[node + 1]) <= _LONGEST_SPOKEN
