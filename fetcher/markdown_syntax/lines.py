"""Markdown's block structure, line by line: what each line is, and which quotes and items it stands in.

The rules are those of CommonMark 0.31 (https://spec.commonmark.org/0.31.2/#appendix-a-parsing-strategy) with
the tables of GitHub's extension. A line first meets the marks of the containers that are open, then may open
new ones; what is left is a piece of one leaf: a paragraph, a fence, a table. Three things differ:

- HTML blocks and definitions of references are text;
- a fence counts however far it is indented, as models write it, and so does its end;
- at most `MOST_CONTAINERS` stand inside each other, so that no line costs more than its length.

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
"""A line that is indented so far is code, unless it goes on with a paragraph."""

_FENCE = re.compile(r"(?P<fence>`{3,}+(?=[^`]*$)|~{3,}+)[ \t]*+(?P<language>[^\s`]*+)")
_HEADING = re.compile(r"#{1,6}(?=[ \t]|$)")
_CLOSING_MARKS = re.compile(r"(?:^|[ \t])#++[ \t]*$")
_RULE = re.compile(r"(?P<mark>[-*_])[ \t]*+(?:(?P=mark)[ \t]*+){2,}")
_UNDERLINE = re.compile(r"(?:=++|-++)[ \t]*+")
_MARK = re.compile(r"(?:[-+*]|(?P<number>[0-9]{1,9})[.)])(?=[ \t]|$)")


class LineKind(Enum):
    """What a line is behind the marks of its containers."""

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
"""Lines in which nothing is Markdown."""

_LEAVES = {
    LineKind.TEXT: LineKind.TEXT,
    LineKind.TABLE_RULE: LineKind.TABLE_ROW,
    LineKind.TABLE_ROW: LineKind.TABLE_ROW,
}
"""What stays open after a line of a kind."""


@dataclass(frozen=True, slots=True, eq=False)
class Quote:
    """A block quote; each is itself only."""

    opening = continuing = "> "


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Item:
    """A point of a list; each is itself only."""

    mark: str
    """`-`, `+` or `*`, or what stands behind a number."""
    number: int | None
    opening: str
    """Its first line up to its content."""

    @property
    def continuing(self) -> str:
        return " " * len(self.opening)


Container = Quote | Item


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    kind: LineKind
    containers: tuple[Container, ...]
    text: str
    """Without the marks of its kind, for code exactly the code."""
    prefix: str = ""
    """The containers' marks, as every reader of Markdown takes them."""
    level: int = 0
    """Of a heading."""
    fence: str = ""
    """In a fence the marks that end it."""


def scan(lines: Iterable[str]) -> Iterator[Line]:
    """The lines, each as what it is."""
    return map(_Scanner().take, lines)


class _Scanner:
    """What is open, while the lines go by."""

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
            return self._in_fence(rest)
        may_go_on = self._leaf is LineKind.TEXT
        opened = self._open_new(rest, matched)
        if not opened and matched < len(self._open):
            if may_go_on and _is_text(rest):
                return self._line(LineKind.TEXT, rest.text.strip(" \t"))
            self._close(matched)
        return self._leaf_of(rest, opened)

    def _match(self, rest: Rest) -> int:
        """Takes the marks of the open containers; returns how many go on."""
        for index, container in enumerate(self._open):
            indent = rest.indent
            if isinstance(container, Quote):
                if indent >= CODE_INDENT or not rest.text.lstrip(" \t").startswith(">"):
                    return index
                _take_quote(rest, indent)
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
                _take_quote(rest, indent)
                container: Container = Quote()
            elif (mark := _MARK.match(text)) and not _RULE.fullmatch(text):
                in_paragraph = not opened and matched == len(self._open) and self._leaf is LineKind.TEXT
                if in_paragraph and not _interrupts(mark, text):
                    break
                container = _take_item(rest, mark, indent)
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
            rest.skip(CODE_INDENT)  # it may stand in code
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
        kind, level = (LineKind.TEXT, 0) if indent >= CODE_INDENT else self._kind_of(text)
        self._leaf = _LEAVES.get(kind)
        self._header = text if kind is LineKind.TEXT else ""
        if kind is LineKind.HEADING:
            text = _CLOSING_MARKS.sub("", text[level:]).strip(" \t")
        return self._line(kind, text, level=level)

    def _kind_of(self, text: str) -> tuple[LineKind, int]:
        """What a line is that is no code, with the level of a heading."""
        in_paragraph = self._leaf is LineKind.TEXT
        if heading := _HEADING.match(text):
            return LineKind.HEADING, heading.end()
        if in_paragraph and begins_table(self._header, text):
            return LineKind.TABLE_RULE, 0
        if in_paragraph and _UNDERLINE.fullmatch(text):
            return LineKind.UNDERLINE, 1 if text[0] == "=" else 2
        if _RULE.fullmatch(text):
            return LineKind.RULE, 0
        return (LineKind.TABLE_ROW if self._leaf is LineKind.TABLE_ROW else LineKind.TEXT), 0

    def _in_fence(self, rest: Rest) -> Line:
        text = rest.text.strip(" \t")
        if text.startswith(self._fence) and not text.strip(self._fence[0]):
            self._leaf = None
            return self._line(LineKind.FENCE_END, "")
        rest.skip(self._fence_indent)
        return self._line(LineKind.FENCED, rest.text)

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


def _is_text(rest: Rest) -> bool:
    """Whether a line can only go on with a paragraph."""
    text = rest.text.strip(" \t")
    if not text or _FENCE.match(text):
        return False
    return rest.indent >= CODE_INDENT or not (_HEADING.match(text) or _RULE.fullmatch(text))


def _take_quote(rest: Rest, indent: int) -> None:
    rest.skip(indent)
    rest.skip_mark(1)
    rest.skip(1)


def _take_item(rest: Rest, mark: re.Match[str], indent: int) -> Item:
    """An item's content begins after up to four spaces, after one where there is more or nothing."""
    rest.skip(indent)
    rest.skip_mark(mark.end())
    space = rest.indent
    space = space if 1 <= space <= CODE_INDENT and not rest.blank else 1
    rest.skip(space)
    number = mark["number"]
    return Item(
        mark=mark[0][-1],
        number=int(number) if number else None,
        opening=f"{' ' * indent}{mark[0]}{' ' * space}",
    )


def _interrupts(mark: re.Match[str], text: str) -> bool:
    """Whether a mark begins a list inside a paragraph: only with content, and only at 1."""
    return bool(text[mark.end() :].strip()) and int(mark["number"] or 1) == 1
