"""Joining consecutive parts of a text into pieces that are as large as a token limit allows.

The tokens of a joined text are not the sum of its parts' tokens. So each part is counted once, the sums
say where a piece may end, and only the joined text there is counted, to be exact. Cutting the text for
counting where the tokeniser cuts too, after a newline and before a space, makes most guesses right at
once, and the number of guesses is bounded: packing is linear in the text.
"""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import tee, zip_longest
from typing import NamedTuple, Protocol

from fetcher.web.output.tokens import count, count_up_to

_GUESSES = 6

Render = Callable[[int, int], str]
"""The text of a piece that reaches from one offset to another."""


class TextSpan(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


class Measured(NamedTuple):
    """A slice of the text with its share of the tokens; over the limit it may be any number above."""

    start: int
    end: int
    tokens: int


class Piece(NamedTuple):
    start: int
    text: str
    tokens: int


def measure(text: str, spans: Iterable[TextSpan], limit: int) -> Iterator[Measured]:
    """Counts consecutive parts, each with its share of the white space between them."""
    cut = None
    for span, following in _with_next(spans):
        newline = text.rfind("\n", span.end, following.start) if following else -1
        stop = span.end if newline < 0 else newline + 1
        yield Measured(
            span.start, span.end, count_up_to(limit, text[span.start if cut is None else cut : stop])
        )
        cut = stop


def pack(parts: Iterable[Measured], limit: int, render: Render) -> Iterator[Piece]:
    """Pieces of as many parts as fit; a part that is over the limit by itself is a piece."""
    starts, ends, sums = array("q"), array("q"), array("q", [0])  # a long text has very many parts
    for start, end, tokens in parts:
        starts.append(start)
        ends.append(end)
        sums.append(sums[-1] + tokens)
    first = 0
    while first < len(starts):
        start = starts[first]
        past, tokens = _reach(sums, first, limit, partial(_joined, render, start, ends))
        yield Piece(start, render(start, ends[past - 1]), tokens)
        first = past


def _reach(sums: Sequence[int], first: int, limit: int, joined: Callable[[int], str]) -> tuple[int, int]:
    """The part before which the piece that begins with `first` ends, and the piece's tokens."""
    fits, over, tokens = first, _surely_over(sums, first, limit), 0
    target = sums[first] + limit
    for _ in range(_GUESSES):
        guess = min(max(bisect_right(sums, target) - 1, fits + 1), over - 1)
        counted = count_up_to(limit, joined(guess))
        if counted <= limit:
            fits, tokens = guess, counted
        else:
            over = guess
        if over - fits == 1:
            break
        target = sums[guess] + limit - counted
    return (fits, tokens) if fits > first else (first + 1, count(joined(first + 1)))


def _joined(render: Render, start: int, ends: Sequence[int], past: int) -> str:
    return render(start, ends[past - 1])


def _surely_over(sums: Sequence[int], first: int, limit: int) -> int:
    """The first end at which a piece is over the limit even if every join saves a token."""
    ends = range(first + 1, len(sums))
    return max(
        first + 2,
        first + 1 + bisect_right(ends, limit, key=lambda past: sums[past] - sums[first] - past + first),
    )


def _with_next(spans: Iterable[TextSpan]) -> Iterator[tuple[TextSpan, TextSpan | None]]:
    spans, ahead = tee(spans)
    next(ahead, None)
    return zip_longest(spans, ahead)
