"""Finds where prose may be cut: after a sentence, else at white space, else between characters.

Each function yields slices of the text in order, with only white space between them. Every pattern is tried
at most once at each character, so that no text takes quadratic time.
"""

import re
from collections.abc import Iterator
from unicodedata import category

Slice = tuple[int, int]

# Written as escapes: ideographic full stop, its half-width form, full-width ! and ?, doubled marks.
_WIDE = "\u3002\uff61\uff01\uff1f\u203c\u2047-\u2049"
_WIDE_PERIOD = "\uff0e"
_STOPS = f".!?\u2026{_WIDE}{_WIDE_PERIOD}"
_CLOSING = (
    r")\]}\u00bb\u2019\u201d\u203a"
    r"\u3009\u300b\u300d\u300f\u3011\u3015\u3017\u3019\u301b\u301e\u301f\uff09\uff3d\uff5d\uff60\uff63"
)
_MARKS = "\"'*_~`"
"""Quotes and emphasis that open and close alike."""
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff66-\uff9f"
_WORDLIKE = "0-9A-Za-z\uff10-\uff19\uff21-\uff3a\uff41-\uff5a"

_STOP = re.compile(
    f"(?<![{_STOPS}])(?P<stops>[{_STOPS}]++)[{_CLOSING}]*+(?P<marks>[{_MARKS}]*+)[{_CLOSING}]*+"
)
_NEEDS_NO_SPACE = re.compile(
    f"[{_WIDE}]|{_WIDE_PERIOD}(?![{_WORDLIKE}])|(?<=[{_CJK}])[!?]++(?=[{_CJK}{_CLOSING}])"
)
_NUMBERING = re.compile(r"\d+\.")
_PHRASE = re.compile(r"\S+(?:\s+\S+){0,3}")
_WORD = re.compile(r"\S+")
_SPACE = re.compile(r"\s*")

_JOINERS = frozenset("\u200d\uff9e\uff9f") | {chr(tone) for tone in range(0x1F3FB, 0x1F400)}
"""Zero-width joiner, half-width voicing marks, skin tones; combining marks are found by category."""


def sentences(text: str, start: int, end: int) -> Iterator[Slice]:
    """Sentences as in SRD FR-WF-15b, and Japanese ones, which need no space after them."""
    for stop in _STOP.finditer(text, start, end):
        cut, after = stop.end(), text[stop.end() : min(stop.end() + 1, end)]
        if after and not after.isspace():
            if not _NEEDS_NO_SPACE.search(text, stop.start(), stop.end("stops") + 1):
                continue
            # Bold text or a quotation may end here, or the next sentence may begin with one.
            marks = stop["marks"]
            if marks and text.count(marks, start, stop.start()) % 2 == 0:
                cut = stop.start("marks")
        if not _NUMBERING.fullmatch(text, start, cut):
            yield start, cut
            space = _SPACE.match(text, cut, end)
            start = space.end() if space else cut
    if start < end:
        yield start, end


def words(text: str, start: int, end: int) -> Iterator[Slice]:
    """Words: runs of characters between white space."""
    return (word.span() for word in _WORD.finditer(text, start, end))


def phrases(text: str, start: int, end: int) -> Iterator[Slice]:
    """Groups of four words, so that a long text needs fewer steps."""
    return (phrase.span() for phrase in _PHRASE.finditer(text, start, end))


def runs(text: str, start: int, end: int, size: int, most_extra: int) -> Iterator[Slice]:
    """Runs of about `size` code points that are not cut inside of a visible character.

    A run gets at most `most_extra` code points more; then it is cut anyway.
    """
    while start < end:
        cut = min(start + size, end)
        limit = min(cut + most_extra, end)
        while cut < limit and _belongs_to(text[cut - 1], text[cut]):
            cut += 1
        yield start, cut
        start = cut


def _belongs_to(left: str, right: str) -> bool:
    """Whether two code points are parts of one visible character."""
    return (
        right in _JOINERS
        or left == "\u200d"
        or category(right)[0] == "M"
        or ("\ud800" <= left <= "\udbff" and "\udc00" <= right <= "\udfff")
        or ("\U0001f1e6" <= left <= "\U0001f1ff" and "\U0001f1e6" <= right <= "\U0001f1ff")
    )
