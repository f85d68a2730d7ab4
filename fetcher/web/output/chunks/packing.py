"""Joins consecutive parts of a text into pieces that are as large as a token limit allows.

The tokens of a joined text are not the sum of its parts' tokens. So each part is counted once, the sums
give a guess where a piece ends, and only the joined text of a guess is counted exactly. For counting, the
text is cut where the tokeniser cuts too, after a newline and before a space, so that most first guesses are
right. The number of guesses is limited, so packing takes linear time.
"""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import tee, zip_longest
from typing import NamedTuple, Protocol

from fetcher.web.output.tokens import count, count_up_to

_GUESSES = 6

Render = Callable[[int, int], str]
"""Makes the text of a piece from its first and last offset."""


class TextSpan(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


class Measured(NamedTuple):
    """A slice of the text with its tokens; any number above the limit stands for all of them."""

    start: int
    end: int
    tokens: int


class Piece(NamedTuple):
    start: int
    text: str
    tokens: int


def measure(text: str, spans: Iterable[TextSpan], limit: int) -> Iterator[Measured]:
    """Count the tokens of consecutive parts, each with its share of the white space between them."""
    spans, ahead = tee(spans)
    next(ahead, None)
    cut = None
    for span, following in zip_longest(spans, ahead):
        newline = text.rfind("\n", span.end, following.start) if following else -1
        stop = span.end if newline < 0 else newline + 1
        yield Measured(
            span.start, span.end, count_up_to(limit, text[span.start if cut is None else cut : stop])
        )
        cut = stop


def pack(parts: Iterable[Measured], limit: int, render: Render) -> Iterator[Piece]:
    """Join as many parts as fit into each piece; a part that is over the limit is a piece by itself."""
    starts, ends, sums = array("q"), array("q"), array("q", [0])  # a long text has very many parts
    for start, end, tokens in parts:
        starts.append(start)
        ends.append(end)
        sums.append(sums[-1] + tokens)
    first = 0
    while first < len(starts):
        # At `over`, a piece is over the limit even if every join saves a token.
        every = range(first + 1, len(sums))
        joins = bisect_right(every, limit + sums[first] - first, key=lambda past: sums[past] - past)
        fits, over = first, max(first + 2, first + 1 + joins)
        fitting, tokens = "", 0
        target = sums[first] + limit
        for _ in range(_GUESSES):
            guess = min(max(bisect_right(sums, target) - 1, fits + 1), over - 1)
            text = render(starts[first], ends[guess - 1])
            counted = count_up_to(limit, text)
            if counted <= limit:
                fits, fitting, tokens = guess, text, counted
            else:
                over = guess
            if over - fits == 1:
                break
            target = sums[guess] + limit - counted
        if fits == first:
            fits, fitting = first + 1, render(starts[first], ends[first])
            tokens = count(fitting)
        yield Piece(starts[first], fitting, tokens)
        first = fits


def pack_in_turn(parts: Iterable[tuple[Measured, int]], limit: int, render: Render) -> Iterator[Piece]:
    """Add each part while the sum of the parts' own tokens, given beside each, is within the limit.

    That is SRD FR-WF-15a. The white space between parts is not in that sum: where it takes the joined text
    over the limit, the part begins a new piece all the same.
    """
    first: Measured | None = None
    end = own_sum = joined_sum = 0
    for part, own in parts:
        if first and own_sum + own <= limit:
            within = joined_sum + part.tokens <= limit
            if within or count_up_to(limit, render(first.start, part.end)) <= limit:
                end, own_sum, joined_sum = part.end, own_sum + own, joined_sum + part.tokens
                continue
        if first:
            yield _piece(first.start, end, render)
        first, end, own_sum, joined_sum = part, part.end, own, part.tokens
    if first:
        yield _piece(first.start, end, render)


def _piece(start: int, end: int, render: Render) -> Piece:
    text = render(start, end)
    return Piece(start, text, count(text))
