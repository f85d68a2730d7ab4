"""Markdown's block structure, line by line: the kind of each line, and the quotes and items that it is in.

The rules are those of CommonMark 0.31 (https://spec.commonmark.org/0.31.2/#appendix-a-parsing-strategy) with
the tables of GitHub's extension. A line is first matched with the marks of the open containers, then it may
open new ones; the rest is part of one leaf: a paragraph, a fence, a table. Three things differ:

- HTML blocks and definitions of references are text;
- a fence counts however far it is indented, as models write it, and so does its end;
- at most `MOST_CONTAINERS` are nested, so that a line costs no more than its length.

This is the only place where fences are recognised.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto

from fetcher.markdown_syntax.columns import Rest
from fetcher.markdown_syntax.tables import begins_table

MOST_CONTAINERS = 50
CODE_INDENT = 4
"""A line with so much indentation is code, unless it continues a paragraph."""

_FENCE = re.compile(r"(?P<fence>`{3,}+(?=[^`]*$)|~{3,}+)[ \t]*+(?P<language>[^\s`]*+)")
_HEADING = re.compile(r"#{1,6}(?=[ \t]|$)")
_CLOSING_MARKS = re.compile(r"(?:^|[ \t])#++[ \t]*$")
_RULE = re.compile(r"(?P<mark>[-*_])[ \t]*+(?:(?P=mark)[ \t]*+){2,}")
_UNDERLINE = re.compile(r"(?:=++|-++)[ \t]*+")
_MARK = re.compile(r"(?:[-+*]|(?P<number>[0-9]{1,9})[.)])(?=[ \t]|$)")


class LineKind(Enum):
    """What a line is after the marks of its containers."""

    BLANK = auto()
    TEXT = auto()
    """Of a paragraph, or the header of a table whose rule comes next."""
    HEADING = auto()
    UNDERLINE = auto()
    """Makes the paragraph above it a heading."""
    RULE = auto()
    FENCE = auto()
    FENCED = auto()
    FENCE_END = auto()
    INDENTED = auto()
    TABLE_RULE = auto()
    """Makes the line above it a table's header."""
    TABLE_ROW = auto()


CODE = frozenset({LineKind.FENCE, LineKind.FENCED, LineKind.FENCE_END, LineKind.INDENTED})
"""Lines whose text is not Markdown."""

_LEAVES = {
    LineKind.TEXT: LineKind.TEXT,
    LineKind.TABLE_RULE: LineKind.TABLE_ROW,
    LineKind.TABLE_ROW: LineKind.TABLE_ROW,
}
"""What stays open after a line of a kind."""


@dataclass(frozen=True, slots=True, eq=False)
class Quote:
    """A block quote; equal only to itself."""

    opening = continuing = "> "


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Item:
    """An item of a list; equal only to itself."""

    mark: str
    """`-`, `+` or `*`, or the sign after a number."""
    number: int | None
    opening: str
    """The part of its first line before its content."""

    @property
    def continuing(self) -> str:
        return " " * len(self.opening)


Container = Quote | Item


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    kind: LineKind
    containers: tuple[Container, ...]
    text: str
    """Without the marks of its kind; for code exactly the code."""
    prefix: str = ""
    """The marks of its containers, in a form that every reader of Markdown understands."""
    level: int = 0
    """Of a heading."""
    fence: str = ""
    """In a fence, the marks that end it."""


def scan(lines: Iterable[str]) -> Iterator[Line]:
    """The lines, each with its kind and its containers."""
    return map(_Scanner().take, lines)


class _Scanner:
    """Keeps what is open from line to line."""

    def __init__(self) -> None:
        self._open: list[Container] = []
        self._empty_item: Item | None = None
        """An item without content yet: a second blank line ends it."""
        self._leaf: LineKind | None = None
        self._fence, self._fence_indent = "", 0
        self._header = ""
        """The paragraph's last line, where a table's rule may come next."""

    def take(self, line: str) -> Line:
        rest = Rest(line)
        matched = self._match(rest)
        if self._leaf is LineKind.FENCED and matched == len(self._open):
            text = rest.text.strip(" \t")
            if text.startswith(self._fence) and not text.strip(self._fence[0]):
                self._leaf = None
                return self._line(LineKind.FENCE_END, "")
            rest.skip(self._fence_indent)
            return self._line(LineKind.FENCED, rest.text)
        in_paragraph = self._leaf is LineKind.TEXT
        opened = self._open_new(rest, matched)
        if not opened and matched < len(self._open):
            text = rest.text.strip(" \t")
            if in_paragraph and text and not _FENCE.match(text):
                begins_leaf = _HEADING.match(text) or _RULE.fullmatch(text)
                if rest.indent >= CODE_INDENT or not begins_leaf:  # a paragraph may continue without marks
                    return self._line(LineKind.TEXT, text)
            self._close(matched)
        return self._leaf_of(rest, opened)

    def _match(self, rest: Rest) -> int:
        """Removes the marks of the open containers; returns how many containers continue."""
        for index, container in enumerate(self._open):
            indent = rest.indent
            if isinstance(container, Quote):
                if indent >= CODE_INDENT or not rest.text.lstrip(" \t").startswith(">"):
                    return index
                _remove_quote_mark(rest, indent)
            elif container is self._empty_item if rest.blank else indent < len(container.opening):
                return index
            else:
                rest.skip(len(container.opening))
        return len(self._open)

    def _open_new(self, rest: Rest, matched: int) -> int:
        """Opens the containers that begin here; returns how many."""
        opened = 0
        while matched + opened < MOST_CONTAINERS and (indent := rest.indent) < CODE_INDENT:
            text = rest.text.lstrip(" \t")
            if text.startswith(">"):
                _remove_quote_mark(rest, indent)
                container: Container = Quote()
            elif (mark := _MARK.match(text)) and not _RULE.fullmatch(text):
                in_paragraph = not opened and matched == len(self._open) and self._leaf is LineKind.TEXT
                # Inside a paragraph only an item with content begins a list, and only with the number 1.
                if in_paragraph and not (text[mark.end() :].strip() and int(mark["number"] or 1) == 1):
                    break
                rest.skip(indent)
                rest.skip_mark(mark.end())
                # Up to four spaces belong to the mark; one of them if there are more, or no content.
                space = rest.indent if 1 <= rest.indent <= CODE_INDENT and not rest.blank else 1
                rest.skip(space)
                opening = f"{' ' * indent}{mark[0]}{' ' * space}"
                number = int(mark["number"]) if mark["number"] else None
                container = Item(mark=mark[0][-1], number=number, opening=opening)
            else:
                break
            if not opened:
                self._close(matched)
            self._open.append(container)
            self._empty_item = container if isinstance(container, Item) and rest.blank else None
            opened += 1
        return opened

    def _close(self, matched: int) -> None:
        del self._open[matched:]
        self._leaf = None

    def _leaf_of(self, rest: Rest, opened: int) -> Line:
        indent, text = rest.indent, rest.text.strip(" \t")
        if not text:
            self._leaf = self._leaf if self._leaf is LineKind.INDENTED else None
            rest.skip(CODE_INDENT)  # it may be a line of code
            return self._line(LineKind.BLANK, rest.text)
        self._empty_item = None
        code = indent >= CODE_INDENT and self._leaf is not LineKind.TEXT
        if (fence := _FENCE.match(text)) and not (code and self._leaf is LineKind.INDENTED):
            self._leaf, self._fence, self._fence_indent = LineKind.FENCED, fence["fence"], indent
            return self._line(LineKind.FENCE, fence["language"], opened=opened)
        if code:
            rest.skip(CODE_INDENT)
            self._leaf = LineKind.INDENTED
            return self._line(LineKind.INDENTED, rest.text, opened=opened)
        in_paragraph, in_table = self._leaf is LineKind.TEXT, self._leaf is LineKind.TABLE_ROW
        kind, level = (LineKind.TABLE_ROW if in_table else LineKind.TEXT), 0
        if indent >= CODE_INDENT:
            kind = LineKind.TEXT
        elif heading := _HEADING.match(text):
            kind, level = LineKind.HEADING, heading.end()
        elif in_paragraph and begins_table(self._header, text):
            kind = LineKind.TABLE_RULE
        elif in_paragraph and _UNDERLINE.fullmatch(text):
            kind, level = LineKind.UNDERLINE, 1 if text[0] == "=" else 2
        elif _RULE.fullmatch(text):
            kind = LineKind.RULE
        self._leaf = _LEAVES.get(kind)
        self._header = text if kind is LineKind.TEXT else ""
        if kind is LineKind.HEADING:
            text = _CLOSING_MARKS.sub("", text[level:]).strip(" \t")
        return self._line(kind, text, level=level)

    def _line(self, kind: LineKind, text: str, *, opened: int = 0, level: int = 0) -> Line:
        if kind is not LineKind.TEXT:
            self._header = ""
        old = len(self._open) - opened
        marks = [each.opening if at >= old else each.continuing for at, each in enumerate(self._open)]
        return Line(
            kind=kind,
            containers=tuple(self._open),
            text=text,
            prefix="".join(marks),
            level=level,
            fence=self._fence,
        )


def _remove_quote_mark(rest: Rest, indent: int) -> None:
    rest.skip(indent)
    rest.skip_mark(1)
    rest.skip(1)
