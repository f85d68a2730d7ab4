"""What elements in a cell show besides text: the names of pictures and icons, the values of controls.

A control shows its value, its choice or its state; never a secret or hidden value.
"""

import re

from fetcher.web.reading.markdown.escape import clean, squash
from fetcher.web.reading.tables.icons import signs
from fetcher.web.reading.tree import Article, Tree

CONTROLS = frozenset({"input", "select", "textarea", "meter", "progress"})
"""Elements that do not show their text, or not all of it."""

_TICKS = {True: "\u2611", False: "\u2610"}
_MUTE_INPUTS = frozenset({"hidden", "password", "file", "color"})
_FIGURE = re.compile(r"[0-9][0-9., ]{0,9}(?:%|/ ?[0-9][0-9.,]{0,9})?")
"""The only text of a bar that is read: browsers do not show it, and it should tell what the bar shows."""
_WIDEST_LIST = 1000
"""Options that are looked at, at most."""

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


def shown_by(tree: Tree, node: int) -> str:
    """What one of the `CONTROLS` shows, in lines; empty if it shows nothing."""
    tag, attributes = tree.tags[node], tree.attributes[node]
    if tag == "input":
        kind = (attributes.get("type") or "").strip().lower()
        if kind in ("checkbox", "radio"):
            return _TICKS["checked" in attributes]
        return "" if kind in _MUTE_INPUTS else attributes.get("alt" if kind == "image" else "value") or ""
    if tag == "select":
        # The options that are selected; else the first, unless several can be selected.
        options = [at for at in range(node, tree.ends[node]) if tree.tags[at] == "option"][:_WIDEST_LIST]
        chosen = [at for at in options if "selected" in tree.attributes[at]]
        if "multiple" not in attributes:
            chosen = chosen[-1:] or options[:1]
        return ", ".join(" ".join("".join(tree.texts[at : tree.ends[at]]).split()) for at in chosen)
    text = "".join(tree.texts[node + 1 : tree.ends[node]]).strip()
    if tag == "textarea" or _FIGURE.fullmatch(text):
        return text
    value, most = attributes.get("value") or "", attributes.get("max") or ""
    return f"{value}/{most}" if value and most else value


def _is_spoken(tree: Tree, node: int) -> bool:
    class_ = tree.attributes[node].get("class")
    if not class_ or not _SPOKEN.search(class_.lower()):
        return False
    return tree.ends[node] == node + 2 and len(tree.texts[node + 1]) <= _LONGEST_SPOKEN
