"""What a cell without text says: by the name of its picture or icon, or by the state of its control."""

import re
from collections.abc import Iterator

from fetcher.web.markdown.escape import clean, squash
from fetcher.web.tree import Article, Tree

_NAMES = ("aria-label", "alt", "title")
_VALUES = {"time": "datetime", "data": "value", "meter": "value", "progress": "value"}
_TICKS = {True: "\u2611", False: "\u2610"}
_WRITTEN = frozenset({"button", "textarea"})
_SHOWN = _WRITTEN | {"img", "select"}
"""Left out of an article since its text says the same, or since nobody reads them; here there is no text."""
_SPOKEN = re.compile(r"\b(?:sr-only|visually-?hidden|screen-?reader)")
"""In the class of what is said to those who do not see the icon beside it."""
_LONGEST_SPOKEN = 40
_MUTE_INPUTS = frozenset({"hidden", "password", "submit", "reset", "button", "image", "file"})


def label(article: Article, cell: int) -> str:
    """The names of what stands in a cell; empty where nothing has one."""
    return squash(" ".join(_labels(article, cell)))


def tick(tree: Tree, node: int) -> str:
    """The mark of an `input` that is ticked, with a space; empty for others."""
    ticked = "checked" in tree.attributes[node] and _state(tree, node) == _TICKS[True]
    return _TICKS[True] + " " if ticked else ""


def _labels(article: Article, cell: int) -> Iterator[str]:
    tree, skipped = article.tree, article.skipped
    node, end = cell, tree.ends[cell]
    while node < end:
        tag = tree.tags[node]
        left_out = bool(skipped) and skipped[node] and tag not in _SHOWN and not _is_spoken(tree, node)
        if left_out or tag == "table" or tree.attribute(node, "aria-hidden") == "true":
            node = tree.ends[node]
            continue
        found = clean(_own_label(tree, node)).strip()
        yield found
        node = tree.ends[node] if found or tag in _SHOWN else node + 1


def _own_label(tree: Tree, node: int) -> str:
    tag, attributes = tree.tags[node], tree.attributes[node]
    if tag == "input":
        return _state(tree, node)
    if tag == "select":
        return _chosen(tree, node)
    named = next((attributes[name] for name in _NAMES if attributes.get(name)), None)
    if tag in _WRITTEN or _is_spoken(tree, node):
        return " ".join(tree.texts[node : tree.ends[node]]).strip() or named or ""
    return named or tree.attribute(node, _VALUES.get(tag, "")) or ""


def _is_spoken(tree: Tree, node: int) -> bool:
    class_ = tree.attributes[node].get("class")
    if not class_ or not _SPOKEN.search(class_.lower()):
        return False
    return tree.ends[node] == node + 2 and len(tree.texts[node + 1]) <= _LONGEST_SPOKEN


def _state(tree: Tree, node: int) -> str:
    """What an input field shows."""
    kind = (tree.attribute(node, "type") or "").strip().lower()
    if kind in ("checkbox", "radio"):
        return _TICKS["checked" in tree.attributes[node]]
    return "" if kind in _MUTE_INPUTS else tree.attribute(node, "value") or ""


def _chosen(tree: Tree, node: int) -> str:
    """The option that a list shows: the one selected, else the first."""
    options = [at for at in range(node, tree.ends[node]) if tree.tags[at] == "option"]
    shown = next((at for at in options if "selected" in tree.attributes[at]), options[0] if options else node)
    return " ".join(tree.texts[shown : tree.ends[shown]])
