"""Blocks of Markdown inside lists and quotes.

A container is a prefix of every line in it. The item of a list also has a marker, which stands in place of
the prefix before the first line.
"""

import re
from dataclasses import dataclass

from fetcher.codes import ReadingMode
from fetcher.web.reading.tree import Article

_WIDEST = 40
"""Of a prefix: twenty levels. Indenting deeper ones would let Markdown grow with the square of the depth."""

_LARGEST = 999_999_999
"""Markdown takes nine digits, and no negative numbers."""
_INTEGER = re.compile(r"[ \t\n\f\r]*([+-]?\d{1,9})(?!\d)", re.ASCII)


@dataclass(slots=True, kw_only=True)
class Counting:
    """The number of an ordered list's next item, and how to go on."""

    number: int = 1
    step: int = 1

    def next_marker(self, value: int | None = None) -> str:
        """The marker of the next item: a number that Markdown cannot write is text after a bullet."""
        number = self.number if value is None else value
        self.number = max(-_LARGEST, min(number + self.step, _LARGEST))
        return f"{number}. " if number >= 0 else f"- {number}. "


def counting(article: Article, node: int) -> Counting | None:
    """How a list counts its items: upwards by the SRD, as browsers do in an article; None without numbers.

    Counting backwards ends with 1, unless the list says where to start.
    """
    tree, backwards = article.tree, "reversed" in article.tree.attributes[node]
    if tree.tags[node] != "ol":
        return None
    start = number_in(article, node, "start")
    if article.mode is ReadingMode.SRD or not backwards:
        return Counting(number=1 if start is None else start)
    items = [at for at in tree.children(node) if tree.tags[at] == "li" and not article.skipped[at]]
    return Counting(number=len(items) if start is None else start, step=-1)


def number_in(article: Article, node: int, name: str) -> int | None:
    """The number that an attribute has; in an article as HTML reads it, whatever follows the digits."""
    text = article.tree.attribute(node, name) or ""
    if article.mode is ReadingMode.SRD:
        text = text.strip()
        return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None
    found = _INTEGER.match(text)
    return int(found[1]) if found else None


@dataclass(slots=True, kw_only=True)
class _List:
    base: str
    """The prefix of its markers."""
    counting: Counting | None = None
    """None in a list that is not ordered."""
    tight: bool = False
    """True when the next item follows without a blank line."""


class Blocks:
    """The Markdown as it is written, block by block."""

    def __init__(self) -> None:
        self._out: list[str] = []
        self._prefix = ""
        self._first: str | None = None
        """The prefix and marker of an item of which nothing is written yet."""
        self._tight = False
        """True when that item follows the one before it without a blank line."""
        self._shared = ""
        """The prefix that the last block shares with the next one, and with the line between them."""
        self._list: _List | None = None
        self._outer: list[tuple[str, str | None, _List | None]] = []

    def __str__(self) -> str:
        return "".join(self._out)

    def __bool__(self) -> bool:
        return bool(self._out)

    def add(self, block: str) -> None:
        """Writes a block after a blank line, or directly after the item before it in a tight list."""
        prefix, first, out = self._prefix, self._first, self._out
        if out:
            out.append("\n" if self._tight and first is not None else f"\n{self._shared.rstrip()}\n")
        out.append(prefix if first is None else first)
        if prefix and "\n" in block:
            blank = prefix.rstrip()
            top, *rest = block.split("\n")
            block = "\n".join([top, *[prefix + line if line else blank for line in rest]])
        out.append(block)
        if first is not None:
            self._first = None
            self.tighten()
        self._shared = prefix

    def tighten(self) -> None:
        """Makes the next item of the open list follow without a blank line."""
        if self._list:
            self._list.tight = True

    def open_quote(self) -> None:
        mark = "> " if len(self._prefix) < _WIDEST else ""
        self._enter(None if self._first is None else self._first + mark, self._prefix + mark, None)

    def open_list(self, counting: Counting | None) -> None:
        """Begins a list, ordered if it counts its items (SRD FR-WF-EXT-LIST-01: two spaces a level)."""
        outer = self._list
        if outer is None:
            inner = _List(base=self._prefix, counting=counting)
        else:
            step = "  " if len(outer.base) < _WIDEST else ""
            # Only an ordered list that starts with 1 can follow a paragraph without a blank line.
            tight = outer.tight and (counting is None or counting.number == 1)
            inner = _List(base=outer.base + step, counting=counting, tight=tight)
        self._enter(self._first, self._prefix, inner)

    def open_definitions(self) -> None:
        """Begins a list whose items are below terms that are not indented."""
        self._enter(self._first, self._prefix, _List(base=self._prefix))

    def open_item(self, value: int | None) -> None:
        """Begins an item; a value overrides its number."""
        outer = self._list or _List(base=self._prefix)
        marker = outer.counting.next_marker(value) if outer.counting else "- "
        first, base = self._first, self._prefix
        if first is None:
            first = base = outer.base
            self._tight = outer.tight
        elif len(first) >= _WIDEST:
            marker = ""
        width = marker.find(" ") + 1  # the rest of the marker is text
        indent = width if len(base) < _WIDEST else 0
        self._enter(first + marker, base + " " * indent, outer)

    def close(self) -> None:
        """Ends the container that was opened last."""
        self._prefix, first, outer = self._outer.pop()
        if self._first is not None:
            self._first = first  # still nothing written
        elif first is not None and outer:
            outer.tight = True
        self._list = outer
        if len(self._prefix) < len(self._shared):
            self._shared = self._prefix

    def _enter(self, first: str | None, prefix: str, inner: _List | None) -> None:
        self._outer.append((self._prefix, self._first, self._list))
        self._first, self._prefix, self._list = first, prefix, inner
