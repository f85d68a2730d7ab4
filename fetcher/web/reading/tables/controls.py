"""What a reader sees in a control: its value, its choice, its state; never a secret or hidden value."""

from collections.abc import Iterator

from fetcher.web.reading.tree import Tree

CONTROLS = frozenset({"input", "select", "textarea", "meter", "progress"})
"""Elements that say what they show otherwise than by their text."""

_TICKS = {True: "\u2611", False: "\u2610"}
_MUTE_INPUTS = frozenset({"hidden", "password", "file", "color"})
_WIDEST_LIST = 1000
"""Options that are looked at."""


def shown_by(tree: Tree, node: int) -> str:
    """What one of the `CONTROLS` shows, in lines; empty where it shows nothing."""
    tag = tree.tags[node]
    if tag == "input":
        return _field(tree, node)
    if tag == "select":
        return ", ".join(_chosen(tree, node))
    text = "".join(tree.texts[node + 1 : tree.ends[node]]).strip()
    return text if text or tag == "textarea" else _measure(tree, node)


def is_tick(tree: Tree, node: int) -> bool:
    """Whether an element is a box or a button that is ticked or not."""
    return tree.tags[node] == "input" and _kind(tree, node) in ("checkbox", "radio")


def _kind(tree: Tree, node: int) -> str:
    return (tree.attribute(node, "type") or "").strip().lower()


def _field(tree: Tree, node: int) -> str:
    if is_tick(tree, node):
        return _TICKS["checked" in tree.attributes[node]]
    kind = _kind(tree, node)
    if kind in _MUTE_INPUTS:
        return ""
    return tree.attribute(node, "alt" if kind == "image" else "value") or ""


def _chosen(tree: Tree, node: int) -> Iterator[str]:
    """The options that a list shows: those selected, else the first, unless it is a list of many."""
    options = [at for at in range(node, tree.ends[node]) if tree.tags[at] == "option"][:_WIDEST_LIST]
    selected = [at for at in options if "selected" in tree.attributes[at]]
    several = "multiple" in tree.attributes[node]
    for at in selected if several else selected[-1:] or options[:1]:
        yield " ".join("".join(tree.texts[at : tree.ends[at]]).split())


def _measure(tree: Tree, node: int) -> str:
    value, most = tree.attribute(node, "value") or "", tree.attribute(node, "max") or ""
    return f"{value}/{most}" if value and most else value
