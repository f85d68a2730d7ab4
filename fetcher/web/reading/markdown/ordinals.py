"""How the items of an ordered list are counted and marked, by the HTML Standard."""

import re
from dataclasses import dataclass

from fetcher.web.reading.markdown.elements import HEADINGS, ITEMS, LISTS, PREFORMATTED
from fetcher.web.reading.tree import Tree

LARGEST = 999_999_999
"""Markdown takes nine digits, and no negative numbers."""

_INTEGER = re.compile(r"[ \t\n\f\r]*+([+-]?\d{1,9})(?!\d)", re.ASCII)
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_LARGEST_ROMAN = 3999
_NO_TEXT = HEADINGS | LISTS | ITEMS | PREFORMATTED | {"dl", "table", "blockquote", "hr"}
"""What a letter cannot stand before on the same line."""


@dataclass(slots=True, kw_only=True)
class Counting:
    """The number of the next item, and how to go on."""

    number: int = 1
    step: int = 1
    style: str = "1"
    """The `type` of the list: decimal, or letters or Roman numerals, small or capital."""

    def next_marker(self, value: int | None = None, style: str | None = None) -> str:
        """The marker of the next item: what Markdown cannot count is text behind a bullet."""
        number = self.number if value is None else value
        self.number = max(-LARGEST, min(number + self.step, LARGEST))
        label = _label(number, style or self.style)
        return f"{label}. " if label.isdigit() else f"- {label}. "


def integer(text: str | None) -> int | None:
    """A number as HTML reads it: what follows the digits does not matter."""
    found = _INTEGER.match(text or "")
    return int(found[1]) if found else None


def counting(tree: Tree, node: int, skipped: bytearray) -> Counting:
    """How a page counts the items of an `ol`; backwards, it ends with 1 unless it says where to start."""
    attributes = tree.attributes[node]
    start, backwards = integer(attributes.get("start")), "reversed" in attributes
    if start is None and backwards:
        start = sum(tree.tags[child] == "li" and not skipped[child] for child in tree.children(node))
    elif start is None:
        start = 1
    return Counting(number=start, step=-1 if backwards else 1, style=attributes.get("type") or "1")


def begins_with_text(tree: Tree, item: int, skipped: bytearray) -> bool:
    """Whether a letter can stand before what an item begins with."""
    at = item + 1
    while at < tree.ends[item]:
        if skipped[at]:
            at = tree.ends[at]
            continue
        if tree.tags[at] in _NO_TEXT:
            return False
        if tree.texts[at].strip():
            return True
        at += 1
    return False


def _label(number: int, style: str) -> str:
    if number > 0 and style in ("a", "A"):
        label = ""
        while number:
            number, letter = divmod(number - 1, 26)
            label = chr(ord("a") + letter) + label
        return label if style == "a" else label.upper()
    if style in ("i", "I") and 0 < number <= _LARGEST_ROMAN:
        label = ""
        for size, letters in _ROMAN:
            label += letters * (number // size)
            number %= size
        return label if style == "i" else label.upper()
    return str(number)
