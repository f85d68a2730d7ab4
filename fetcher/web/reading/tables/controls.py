"""What a control shows to a reader: its value, its choice, its state; never a secret or hidden value."""

import re

from fetcher.web.reading.tree import Tree

CONTROLS = frozenset({"input", "select", "textarea", "meter", "progress"})
"""Elements that do not show their text, or not all of it."""

_TICKS = {True: "\u2611", False: "\u2610"}
_MUTE_INPUTS = frozenset({"hidden", "password", "file", "color"})
_FIGURE = re.compile(r"[0-9][0-9., ]{0,9}(?:%|/ ?[0-9][0-9.,]{0,9})?")
"""The only text of a bar that is read: browsers do not show it, and it should tell what the bar shows."""
_WIDEST_LIST = 1000
"""Options that are looked at, at most."""


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
