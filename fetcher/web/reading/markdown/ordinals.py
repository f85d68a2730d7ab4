"""How the items of an ordered list are counted and marked: by the HTML Standard, or by the SRD."""

import re
from dataclasses import dataclass

from fetcher.codes import ReadingMode
from fetcher.web.reading.markdown.elements import HEADINGS, ITEMS, LISTS, PREFORMATTED
from fetcher.web.reading.tree import Article

LARGEST = 999_999_999
"""Markdown takes nine digits, and no negative numbers."""

_INTEGER = re.compile(r"[ \t\n\f\r]*+([+-]?\d{1,9})(?!\d)", re.ASCII)
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_LARGEST_ROMAN = 3999
_NO_TEXT = HEADINGS | LISTS | ITEMS | PREFORMATTED | {"dl", "table", "blockquote", "hr"}
"""Elements that cannot follow a letter on the same line."""


@dataclass(slots=True, kw_only=True)
class Counting:
    """The number of the next item, and how to go on."""

    number: int = 1
    step: int = 1
    style: str = "1"
    """The `type` of the list: decimal, or letters or Roman numerals, small or capital."""

    def next_marker(self, value: int | None = None, style: str | None = None) -> str:
        """The marker of the next item: a number that Markdown cannot write is text after a bullet."""
        number = self.number if value is None else value
        self.number = max(-LARGEST, min(number + self.step, LARGEST))
        style, label = style or self.style, str(number)
        if number > 0 and style in ("a", "A"):
            label = ""
            while number:
                number, letter = divmod(number - 1, 26)
                label = chr(ord("a") + letter) + label
        elif style in ("i", "I") and 0 < number <= _LARGEST_ROMAN:
            label = ""
            for size, letters in _ROMAN:
                label += letters * (number // size)
                number %= size
        label = label.upper() if style in ("A", "I") else label
        return f"{label}. " if label.isdigit() else f"- {label}. "


def counting(article: Article, node: int) -> Counting | None:
    """How a list counts its items; None for a list that is not ordered.

    Counting backwards ends with 1, unless the list says where to start.
    """
    tree, attributes = article.tree, article.tree.attributes[node]
    if tree.tags[node] != "ol":
        return None
    if article.mode is ReadingMode.SRD:
        start = _whole_number(attributes.get("start"))
        return Counting(number=1 if start is None else start)
    start, backwards = _integer(attributes.get("start")), "reversed" in attributes
    if start is None and backwards:
        start = sum(tree.tags[child] == "li" and not article.skipped[child] for child in tree.children(node))
    elif start is None:
        start = 1
    return Counting(number=start, step=-1 if backwards else 1, style=attributes.get("type") or "1")


def number_and_style(article: Article, item: int) -> tuple[int | None, str | None]:
    """The number that an item sets for itself, and how to write it; None or empty if the list decides.

    A number is a letter only before text on the same line.
    """
    tree, attributes = article.tree, article.tree.attributes[item]
    if article.mode is ReadingMode.SRD or tree.tags[item] != "li":
        return _whole_number(attributes.get("value")), None
    at, end = item + 1, tree.ends[item]
    while at < end:
        if article.skipped[at]:
            at = tree.ends[at]
        elif tree.tags[at] in _NO_TEXT or tree.texts[at].strip():
            break
        else:
            at += 1
    begins_with_text = at < end and tree.tags[at] not in _NO_TEXT
    return _integer(attributes.get("value")), attributes.get("type") if begins_with_text else "1"


def _whole_number(text: str | None) -> int | None:
    text = (text or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None


def _integer(text: str | None) -> int | None:
    """A number as HTML reads it: what follows the digits does not matter."""
    found = _INTEGER.match(text or "")
    return int(found[1]) if found else None
