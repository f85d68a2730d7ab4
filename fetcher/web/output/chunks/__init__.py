"""Splits Markdown into chunks with a limited number of tokens (SRD §3.5.3).

Chunks are consecutive slices of the document, with only white space between them. The exception is a code
block that is too large for a chunk: every piece of it but the first begins with the block's opening fence,
and every piece but the last ends with a closing one.

By the SRD each block is added to the chunk before it while the sum of the blocks' tokens is within the limit
(FR-WF-15a). In an article a run of headings and the block after it are one unit, so that no chunk ends with a
heading whose text is in the next one, and each chunk gets as many units as its joined text has room for. A
unit over the limit is divided, and its pieces are separate chunks (FR-WF-15b), the headings with the first of
them. Only a code block that fits into a chunk without its headings is separated from them. Only a chunk with
a single line of code may be over the limit (for limits of 16 or more).
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from fetcher.codes import ReadingMode
from fetcher.web.output.chunks.outline import Fence, Part, PartKind, blocks, fences
from fetcher.web.output.chunks.packing import Measured, Piece, measure, pack, pack_in_turn
from fetcher.web.output.chunks.seams import divide
from fetcher.web.output.tokens import count_up_to
from fetcher.web.values import Chunk

LONGEST_HEADING = 500
"""Characters of a heading that each of its chunks repeats; a page could have a whole book as one heading."""


class Unit(NamedTuple):
    """A block with the headings before it, or the headings at the end of the document."""

    start: int
    end: int
    parts: tuple[Part, ...]


def chunk(markdown: str, max_tokens: int, mode: ReadingMode = ReadingMode.ARTICLE) -> tuple[Chunk, ...]:
    """The chunks of a document in order, as few as the rules above allow."""
    is_srd = mode is ReadingMode.SRD
    units = [*_units(blocks(markdown), headings_apart=is_srd)]
    headings = [part for unit in units for part in unit.parts if part.kind is PartKind.HEADING]
    starts = [heading.start for heading in headings]
    titles = [
        "",
        *(markdown[each.start : each.end].lstrip("#").strip()[:LONGEST_HEADING] for each in headings),
    ]

    def plain(start: int, end: int) -> str:
        return markdown[start:end]

    pieces, waiting = list[Piece](), list[tuple[Measured, int]]()

    def join_waiting() -> Iterator[Piece]:
        if is_srd:
            return pack_in_turn(waiting, max_tokens, plain)
        return pack((measured for measured, _ in waiting), max_tokens, plain)

    for unit, measured in zip(units, measure(markdown, units, max_tokens), strict=True):
        own = measured.tokens
        if is_srd or own > max_tokens:
            own = count_up_to(max_tokens, plain(unit.start, unit.end))
        if own <= max_tokens:
            waiting.append((measured, own))
        else:
            pieces += join_waiting()
            pieces += _divided(markdown, unit, max_tokens)
            waiting.clear()
    pieces += join_waiting()
    return tuple(
        Chunk(heading=titles[bisect_right(starts, start)], text=text, token_count=tokens, start=start)
        for start, text, tokens in pieces
        if text and not text.isspace()
    )


def _units(parts: Iterable[Part], *, headings_apart: bool) -> Iterator[Unit]:
    waiting: list[Part] = []
    for part in parts:
        waiting.append(part)
        if headings_apart or part.kind is not PartKind.HEADING:
            yield Unit(waiting[0].start, part.end, tuple(waiting))
            waiting = []
    if waiting:
        yield Unit(waiting[0].start, waiting[-1].end, tuple(waiting))


def _divided(text: str, unit: Unit, limit: int) -> Iterator[Piece]:
    """The pieces of a unit that is over the limit."""
    *headings, body = unit.parts
    left = limit - count_up_to(limit, text[unit.start : body.start])
    room = left if left >= limit // 4 else limit  # headings that leave very little room are separate
    parts = [*((heading, limit) for heading in headings), (body, room)]
    divided = chain.from_iterable(divide(text, part, most, limit) for part, most in parts)
    repeated = [fence for fence in fences(text, unit.start, unit.end) if len(fence.opener) <= limit // 4]

    def fenced(start: int, end: int) -> str:
        """A slice; if it begins or ends inside of a code block, a fence is added there."""
        before, after = _around(repeated, start), _around(repeated, end)
        opener = f"{before.opener}\n" if before else ""
        closer = f"\n{after.closer}" if after else ""
        return f"{opener}{text[start:end]}{closer}"

    return pack(measure(text, divided, limit), limit, fenced)


def _around(repeated: Sequence[Fence], offset: int) -> Fence | None:
    index = bisect_right(repeated, offset - 1, key=lambda fence: fence.start) - 1
    return repeated[index] if index >= 0 and offset < repeated[index].end else None
