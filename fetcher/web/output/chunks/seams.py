"""Divides a part of the text that is too large (SRD FR-WF-15b), by a table from coarse to fine.

A list is divided into its items, then into the items within them, then into prose and code; code only into
lines; a table into its rows; prose into sentences, lines, words, and at last between characters. A kind
that is not in the table cannot be divided.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice, pairwise
from re import compile as pattern

from fetcher.web.output.chunks import sentences
from fetcher.web.output.chunks.outline import Line, LineKind, Part, PartKind, closes_fence, lines
from fetcher.web.output.chunks.sentences import Slice
from fetcher.web.output.tokens import count_up_to

Seam = Callable[[str, Part, int], Iterator[Part]]

_MARKER = pattern(r"([ \t]*)(?:[-+*]|\d+[.)])\s")


def divide(text: str, part: Part, room: int, limit: int) -> Iterator[Part]:
    """The largest parts within a part: the first of at most `room` tokens, the others of `limit`."""
    if part.kind is PartKind.CODE:
        room = limit  # FR-WF-CHK-CODE-01: code that fits a chunk is never split
    seam = _SEAMS.get(part.kind)
    if seam is None or count_up_to(room, text[part.start : part.end]) <= room:
        yield part
        return
    for finer in seam(text, part, limit):
        yield from divide(text, finer, room, limit)
        room = limit


def _items(kind: PartKind, text: str, part: Part, _limit: int) -> Iterator[Part]:
    """The outermost items of a list, each with the items inside of it; or those inside of an item."""
    outermost = kind is PartKind.ITEM
    deepest = (_indent(text, Line(LineKind.ITEM, part.start, part.end)) or 0) if outermost else part.end
    start = end = part.start
    for line in lines(text, part.start, part.end):
        if line.kind is LineKind.BLANK:
            continue
        indent = _indent(text, line)
        if indent is not None and indent <= deepest and end > start:
            yield Part(kind, start, end)
            start = line.start
        end = line.end
    yield Part(kind, start, end)


def _indent(text: str, line: Line) -> int | None:
    """How far a list item is indented; None for other lines."""
    marker = None if line.is_code else _MARKER.match(text, line.start, line.end)
    return len(marker[1]) if marker else None


def _prose_and_code(text: str, part: Part, _limit: int) -> Iterator[Part]:
    start = end = part.start
    for line in lines(text, part.start, part.end):
        if line.is_code:
            if end > start:
                yield Part(PartKind.PARAGRAPH, start, end)
            yield Part(PartKind.CODE, line.start, line.end)
            start = end = line.end + 1
        elif line.kind is not LineKind.BLANK:
            end = line.end
    if end > start:
        yield Part(PartKind.PARAGRAPH, start, end)


def _code_lines(text: str, part: Part, _limit: int) -> Iterator[Part]:
    """Lines of code; the fences stay with the first and the last of them."""
    starts = [part.start, *islice(_after_newlines(text, part), 1, None), part.end + 1]
    if len(starts) > 2 and closes_fence(text, starts[-2], part.end):
        del starts[-2]
    for start, following in pairwise(starts):
        yield Part(PartKind.CODE_LINE, start, following - 1)


def _after_newlines(text: str, part: Part) -> Iterator[int]:
    newline = text.find("\n", part.start, part.end)
    while newline >= 0:
        yield newline + 1
        newline = text.find("\n", newline + 1, part.end)


def _lines(kind: PartKind, text: str, part: Part, _limit: int) -> Iterator[Part]:
    start = part.start
    for following in (*_after_newlines(text, part), part.end + 1):
        if text[start : following - 1].strip():
            yield Part(kind, start, following - 1)
        start = following


def _prose(
    kind: PartKind, find: Callable[[str, int, int], Iterator[Slice]], text: str, part: Part, _limit: int
) -> Iterator[Part]:
    return (Part(kind, *span) for span in find(text, part.start, part.end))


def _runs(text: str, part: Part, limit: int) -> Iterator[Part]:
    # A code point is at most four tokens, one a byte: the longest run is within five eighths of the limit.
    size, most_extra = min(16, max(1, limit // 32)), limit // 8
    return (
        Part(PartKind.RUN, *span) for span in sentences.runs(text, part.start, part.end, size, most_extra)
    )


_SEAMS: dict[PartKind, Seam] = {
    PartKind.LIST: partial(_items, PartKind.ITEM),
    PartKind.ITEM: partial(_items, PartKind.NESTED_ITEM),
    PartKind.NESTED_ITEM: _prose_and_code,
    PartKind.CODE: _code_lines,
    PartKind.TABLE: partial(_lines, PartKind.PARAGRAPH),
    PartKind.HEADING: partial(_prose, PartKind.SENTENCE, sentences.sentences),
    PartKind.PARAGRAPH: partial(_prose, PartKind.SENTENCE, sentences.sentences),
    PartKind.SENTENCE: partial(_lines, PartKind.LINE),
    PartKind.LINE: partial(_prose, PartKind.PHRASE, sentences.phrases),
    PartKind.PHRASE: partial(_prose, PartKind.WORD, sentences.words),
    PartKind.WORD: _runs,
}
