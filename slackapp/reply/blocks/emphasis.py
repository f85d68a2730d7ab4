"""Which runs of `*`, `_` and `~` are emphasis, and what they style.

The algorithm is CommonMark's (https://spec.commonmark.org/0.31.2/#phase-2-inline-structure). Its rule on
punctuation leaves marks raw between a bracket and a kana; here East Asian characters count as a border, as
https://github.com/tats-u/markdown-cjk-friendly proposes. A mark between two digits is arithmetic.
"""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeVar

STYLES: Mapping[tuple[str, int], str] = {
    ("*", 1): "italic",
    ("*", 2): "bold",
    ("_", 1): "italic",
    ("_", 2): "bold",
    ("~", 2): "strike",
}
"""The meaning of one mark and of two; a single tilde is a range, as in `10~20`."""

T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class Marks:
    """A run of marks that may open or close emphasis."""

    mark: str
    count: int
    """How many are not used yet."""
    size: int
    """The length of the run."""
    opens: bool
    closes: bool


def marks_at(text: str, start: int, end: int) -> Marks:
    """The run of marks from `start` to `end`; its neighbours decide what it may do. Tildes come in pairs."""
    before, after = text[start - 1 : start] or " ", text[end : end + 1] or " "
    mark, size = text[start], end - start
    opens = _flanks(inner=after, outer=before)
    closes = _flanks(inner=before, outer=after)
    if mark == "_":  # snake_case
        opens, closes = (
            opens and (not closes or _ends_words(before)),
            closes and (not opens or _ends_words(after)),
        )
    elif (mark == "~" and size % 2) or (before.isdecimal() and after.isdecimal()):
        opens = closes = False
    return Marks(mark=mark, count=size, size=size, opens=opens, closes=closes)


def _flanks(*, inner: str, outer: str) -> bool:
    """Whether a run flanks the text inside, as CommonMark defines it."""
    if inner.isspace():
        return False
    is_border = outer.isspace() or _is_punctuation(outer) or _is_wide(outer)
    return not _is_punctuation(inner) or _is_wide(inner) or is_border


def _ends_words(character: str) -> bool:
    """Hiragana separates words; other letters may be part of a file's name that has underscores."""
    return _is_punctuation(character) or "\u3041" <= character <= "\u309f"


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in ("W", "F", "H")


def styles_of(items: Sequence[T | Marks]) -> Iterator[frozenset[str]]:
    """The styles of each item; marks that were used are counted down."""
    starts = {style: [0] * (len(items) + 1) for style in STYLES.values()}
    for opening, closing, style in _pairs(items):
        starts[style][opening + 1] += 1
        starts[style][closing] -= 1
    depths = {style: list(accumulate(steps)) for style, steps in starts.items()}
    for index in range(len(items)):
        yield frozenset(style for style, depth in depths.items() if depth[index])


def _pairs(items: Sequence[T | Marks]) -> Iterator[tuple[int, int, str]]:
    """The indices of marks that belong together, with their style."""
    waiting: list[int] = []
    bottoms: dict[tuple[str, bool, int], int] = {}
    """For each kind of closing marks, the index before which no marks open them: each is checked once."""
    for place, marks in enumerate(items):
        if not isinstance(marks, Marks):
            continue
        kind = (marks.mark, marks.opens, marks.size % 3)
        while marks.closes and marks.count:
            found = _opening(items, waiting, marks, bottoms.get(kind, 0))
            if found is None:
                bottoms[kind] = place
                break
            opening = items[waiting[found]]
            assert isinstance(opening, Marks)
            size = min(2, marks.count, opening.count)
            yield waiting[found], place, STYLES[marks.mark, size]
            opening.count -= size
            marks.count -= size
            del waiting[found + bool(opening.count) :]
        if marks.count and marks.opens:
            waiting.append(place)


def _opening(items: Sequence[T | Marks], waiting: Sequence[int], closing: Marks, bottom: int) -> int | None:
    for index in range(len(waiting) - 1, -1, -1):
        if waiting[index] < bottom:
            return None
        opening = items[waiting[index]]
        if not isinstance(opening, Marks) or opening.mark != closing.mark:
            continue
        if closing.mark == "~" or not (opening.closes or closing.opens):
            return index
        # CommonMark's rule of three, for runs that could both open and close
        if (opening.size + closing.size) % 3 or (opening.size % 3 == 0 and closing.size % 3 == 0):
            return index
    return None
