"""Markdown cut into chunks of at most so many tokens (SRD §3.5.3).

Chunks are consecutive slices of the document, and only white space lies between one and the next: put
back, it makes the document again. The exception is a code block that is itself too large for a chunk:
every piece of it but the first begins with the block's opening fence, and every piece but the last ends
with a closing one.

A run of headings and the block after it are one unit, so that no chunk ends with a heading whose text
is in the next. Units are packed greedily (FR-WF-15a); the limit holds for the joined text of a chunk.
A unit over the limit is divided, and its pieces are chunks of their own (FR-WF-15b), the headings with
the first of them. Only a code block that fits a chunk by itself, but not with its headings, leaves
them behind. No chunk is over the limit but a single line of code (limits under 16 are not for use).
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

from fetcher.web.output.chunks.outline import Fence, Part, PartKind, blocks, fences
from fetcher.web.output.chunks.packing import Measured, Piece, measure, pack
from fetcher.web.output.chunks.seams import divide
from fetcher.web.output.tokens import count_up_to
from fetcher.web.values import Chunk

LONGEST_HEADING = 500
"""Characters of a heading that each of its chunks repeats; a page may set a whole book as one heading."""


class Unit(NamedTuple):
    """A block with the headings before it, or the headings that nothing follows."""

    start: int
    end: int
    parts: tuple[Part, ...]


def chunk(markdown: str, max_tokens: int) -> tuple[Chunk, ...]:
    """The document in order, as few chunks as the rules above allow."""
    found = list(blocks(markdown))
    headings = [block for block in found if block.kind is PartKind.HEADING]
    starts = [heading.start for heading in headings]
    titles = ["", *(_title(markdown, heading) for heading in headings)]
    return tuple(
        Chunk(heading=titles[bisect_right(starts, start)], text=text, token_count=tokens)
        for start, text, tokens in _pieces(markdown, list(_units(found)), max_tokens)
        if not text.isspace()
    )


def _title(text: str, heading: Part) -> str:
    return text[heading.start : heading.end].lstrip("#").strip()[:LONGEST_HEADING]


def _units(found: Sequence[Part]) -> Iterator[Unit]:
    parts: list[Part] = []
    for block in found:
        parts.append(block)
        if block.kind is not PartKind.HEADING:
            yield Unit(parts[0].start, block.end, tuple(parts))
            parts = []
    if parts:
        yield Unit(parts[0].start, parts[-1].end, tuple(parts))


def _pieces(text: str, units: Sequence[Unit], limit: int) -> Iterator[Piece]:
    waiting: list[Measured] = []
    plain = partial(_slice, text)
    for unit, measured in zip(units, measure(text, units, limit), strict=True):
        if measured.tokens <= limit or count_up_to(limit, plain(unit.start, unit.end)) <= limit:
            waiting.append(measured)
        else:
            yield from pack(waiting, limit, plain)
            yield from _divided(text, unit, limit)
            waiting.clear()
    yield from pack(waiting, limit, plain)


def _divided(text: str, unit: Unit, limit: int) -> Iterator[Piece]:
    """The pieces of a unit that is over the limit."""
    *headings, body = unit.parts
    left = limit - count_up_to(limit, text[unit.start : body.start])
    room = left if left >= limit // 4 else limit  # headings that leave hardly any room stay alone
    parts = [*((heading, limit) for heading in headings), (body, room)]
    divided = chain.from_iterable(divide(text, part, most, limit) for part, most in parts)
    repeated = [fence for fence in fences(text, unit.start, unit.end) if len(fence.opener) <= limit // 4]
    return pack(measure(text, divided, limit), limit, partial(_fenced, text, repeated))


def _slice(text: str, start: int, end: int) -> str:
    return text[start:end]


def _fenced(text: str, repeated: Sequence[Fence], start: int, end: int) -> str:
    """A slice, with a fence opened again or closed where it begins or ends within a code block."""
    before = _around(repeated, start)
    after = _around(repeated, end)
    opener = f"{before.opener}\n" if before else ""
    closer = f"\n{after.closer}" if after else ""
    return f"{opener}{text[start:end]}{closer}"


def _around(repeated: Sequence[Fence], offset: int) -> Fence | None:
    index = bisect_right(repeated, offset - 1, key=lambda fence: fence.start) - 1
    return repeated[index] if index >= 0 and offset < repeated[index].end else None
