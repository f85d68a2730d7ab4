"""Finds the blocks of Markdown (SRD FR-WF-15): headings, fenced code, lists, tables, paragraphs.

A text is read line by line. A whole fenced code block counts as one line, so that lines inside of it are
not taken for headings or list items. A table says which lines continue which block. Blocks are slices of
the text, from the beginning of a line to the end of one, with only white space between them.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple


class PartKind(StrEnum):
    """The kind of a part of the text: a block, or a piece of a block that is too large."""

    HEADING = "heading"
    CODE = "code"
    LIST = "list"
    TABLE = "table"
    PARAGRAPH = "paragraph"

    ITEM = "item of a list"
    NESTED_ITEM = "item at any depth"
    CODE_LINE = "line of code"
    SENTENCE = "sentence"
    LINE = "line of prose"
    PHRASE = "a few words"
    WORD = "word"
    RUN = "run of characters"


class Part(NamedTuple):
    """The slice of the text from `start` to `end`."""

    kind: PartKind
    start: int
    end: int


class LineKind(StrEnum):
    """The names are those of the groups in `_LINE`."""

    BLANK = "blank"
    HEADING = "heading"
    CODE = "code"
    NESTED_CODE = "nested_code"
    ITEM = "item"
    INDENTED = "indented"
    ROW = "row"
    TEXT = "text"


class Line(NamedTuple):
    kind: LineKind
    start: int
    end: int

    @property
    def is_code(self) -> bool:
        return self.kind in _CODE


class Fence(NamedTuple):
    """A fenced code block, and the lines that would open and close a piece of it."""

    start: int
    end: int
    opener: str
    closer: str


_FENCE = r"`{3,}+[^`]*$"
_LINE = re.compile(
    rf"""(?P<blank>\s*+$)
       | (?P<heading>\#{{1,6}}\s+\S)
       | (?P<nested_code>(?:[ ]{{2}}|\t)\s*+{_FENCE})
       | (?P<code>[ ]?{_FENCE})
       | (?P<item>\s{{0,3}}(?:[-+*]|\d+[.)])\s+)  # FR-WF-CHK-LIST-01
       | (?P<indented>[ ]{{2}}|\t)
       | (?P<row>\|)
       | (?P<text>)""",
    re.VERBOSE,
)
_TICKS = re.compile(r"(\s*)(`+)")
_CLOSER = re.compile(r"^[ \t]*+(`{3,}+)[ \t]*+$", re.MULTILINE)

_KINDS: dict[str | None, LineKind] = {kind.value: kind for kind in LineKind}
_CODE = frozenset({LineKind.CODE, LineKind.NESTED_CODE})
_PROSE = frozenset({LineKind.TEXT, LineKind.INDENTED, LineKind.ROW})
_OPENS = {
    LineKind.HEADING: PartKind.HEADING,
    LineKind.CODE: PartKind.CODE,
    LineKind.NESTED_CODE: PartKind.CODE,
    LineKind.ITEM: PartKind.LIST,
    LineKind.INDENTED: PartKind.PARAGRAPH,
    LineKind.ROW: PartKind.TABLE,
    LineKind.TEXT: PartKind.PARAGRAPH,
}
_CONTINUES = {
    PartKind.PARAGRAPH: _PROSE,
    PartKind.TABLE: _PROSE,
    PartKind.LIST: frozenset({LineKind.ITEM, LineKind.INDENTED, LineKind.NESTED_CODE}),
}
_CONTINUES_AFTER_BLANK = {PartKind.LIST: frozenset({LineKind.ITEM})}


def blocks(text: str) -> Iterator[Part]:
    """The blocks of a document, in order."""
    block: Part | None = None
    continues = _CONTINUES
    for line in lines(text, 0, len(text)):
        if line.kind is LineKind.BLANK:
            continues = _CONTINUES_AFTER_BLANK
            continue
        if block and line.kind in continues.get(block.kind, ()):
            block = block._replace(end=line.end)
        else:
            if block:
                yield block
            block = Part(_OPENS[line.kind], line.start, line.end)
        continues = _CONTINUES
    if block:
        yield block


def lines(text: str, start: int, end: int) -> Iterator[Line]:
    """The lines of a slice that begins with a line; a fenced code block is one of them."""
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        match = _LINE.match(text, start, stop)
        assert match is not None  # the last alternative matches any line
        kind = _KINDS[match.lastgroup]
        if kind in _CODE:
            wanted = len(_ticks(text, start)[1])
            closers = (each.end() for each in _CLOSER.finditer(text, stop, end) if len(each[1]) >= wanted)
            # Where nothing closes the fence, it ends with the slice, as in CommonMark.
            stop = next(closers, 0) or start + len(text[start:end].rstrip())
        yield Line(kind, start, stop)
        start = stop + 1


def fences(text: str, start: int, end: int) -> Iterator[Fence]:
    """The fenced code blocks of a slice that begins with a line."""
    for line in lines(text, start, end):
        if line.is_code:
            opener = text[line.start : line.end].partition("\n")[0]
            yield Fence(line.start, line.end, opener, "".join(_ticks(text, line.start)))


def closes_fence(text: str, start: int, end: int) -> bool:
    """Whether a line consists of a fence's backticks alone."""
    return _CLOSER.match(text, start, end) is not None


def _ticks(text: str, start: int) -> tuple[str, str]:
    """The indentation and the backticks of the line that opens a fence."""
    match = _TICKS.match(text, start)
    assert match is not None  # only called for such lines
    return match[1], match[2]
