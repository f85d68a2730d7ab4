"""How declarations keep an element out of sight, and whether a click could bring it back."""

import re
from collections.abc import Iterator

from fetcher.web.extract.styles import Declarations, pixels
from fetcher.web.visibility import FAINTEST, FAR, SMALLEST_TEXT

Concealment = int
"""How an element is kept out of sight, as a sum of the following: `enum.Flag` is many times as slow."""

NONE = 0
GONE = 1
"""Moved or cut away, with all that is in it."""
FAINT = 2
"""Transparent with all that is in it: no click shows it, but scripts fade whole pages in so."""
CLOSED = 4
"""Not laid out, or in a box without room: a click can open it."""
TINY = 8
INDENTED = 16
INVISIBLE = 32
"""`visibility`: scripts show whole pages so."""
COLOURLESS = 64
INHERITED = TINY | INDENTED | INVISIBLE | COLOURLESS
"""What a descendant can undo."""

_SIDES = (
    *("top", "right", "bottom", "left", "inset", "inset-inline-start", "inset-block-start", "translate"),
    *("margin", "margin-left", "margin-top", "margin-right", "margin-inline-start"),
)
_NOTHING = r"(?:0*+\.0[0-4]?\d*+|0++%?)"
_NO_SCALE = re.compile(
    rf"scale(?:3d|x|y)?\(\s*+{_NOTHING}\s*+[,)]|matrix(?:3d)?\(\s*+{_NOTHING}\s*+,"
    r"|rotate[xy]\(\s*+-?(?:90|270)deg|scale\([^,)]*+,\s*+0\s*+\)"
)
_MOVE = re.compile(r"translate(?:3d|x|y)?\(([^()]{0,80}+)\)")
_CLIPPED = re.compile(r"rect\(\s*+([^()]{0,60}+)\)")
_POINT = r"0(?:px|%)?+\s++0(?:px|%)?+"
_CUT_AWAY = re.compile(
    rf"inset\(\s*+([\d.]{{1,6}}+)%|(?:circle|ellipse)\(\s*+0|polygon\(\s*+{_POINT}\s*+(?:,\s*+{_POINT}\s*+)*+\)"
)
_FONT_SIZE = re.compile(r"(?:^|\s)([-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[a-z]++|%)?+)(?=\s|/|$)")
_FAINT = re.compile(r"opacity\(\s*+(?:0?\.0[0-4]\d*+|0++(?:\.0*+)?|[0-4](?:\.\d*+)?%)%?\s*+\)")
_PARTS = re.compile(r"[\s,]++")
_BOX = ("height", "max-height", "width", "max-width", "block-size", "inline-size")


def concealment(declared: Declarations) -> Concealment:
    """How declarations hide an element, its colours aside."""
    found = NONE
    if opacity(declared) <= FAINTEST or _FAINT.search(declared.get("filter", "")):
        found |= FAINT
    if _is_moved_away(declared) or _is_cut(declared):
        found |= GONE
    size = font_size(declared)
    if size is not None and size < SMALLEST_TEXT:
        found |= TINY
    if abs(pixels(declared.get("text-indent", "").partition(" ")[0]) or 0) >= FAR:
        found |= INDENTED
    if declared.get("visibility") in ("hidden", "collapse"):
        found |= INVISIBLE
    if declared.get("display") == "none" or declared.get("content-visibility") == "hidden":
        found |= CLOSED
    return found | _shut(declared)


def opacity(declared: Declarations) -> float:
    value = declared.get("opacity", "")
    number = pixels(value.removesuffix("%"))
    return 1 if number is None else number / 100 if value.endswith("%") else number


def font_size(declared: Declarations) -> float | None:
    """The size that declarations give to text; relative ones by what they make of 16 pixels."""
    value = declared.get("font-size")
    if value is None and (font := _FONT_SIZE.search(declared.get("font", ""))):
        value = font[1]
    if value is None:
        return None
    return 0.16 * (pixels(value[:-1]) or 0) if value.endswith("%") else pixels(value)


def _is_moved_away(declared: Declarations) -> bool:
    transform = declared.get("transform", "") + declared.get("-webkit-transform", "")
    if transform and (_NO_SCALE.search(transform) or any(map(_is_far, _moves(transform)))):
        return True
    if "0" in declared.get("scale", "1").split():
        return True
    return any(side in declared and any(map(_is_far, declared[side].split())) for side in _SIDES)


def _moves(transform: str) -> Iterator[str]:
    for move in _MOVE.findall(transform):
        yield from _PARTS.split(move.strip())


def _is_far(value: str) -> bool:
    length = pixels(value)
    return length is not None and (length <= -FAR or length >= 10 * FAR)


def _is_cut(declared: Declarations) -> bool:
    clip = _CLIPPED.search(declared.get("clip", ""))
    if clip:
        sides = [pixels(part) for part in _PARTS.split(clip[1].strip())]
        if len(sides) == 4 and all(side is not None for side in sides):
            top, right, bottom, left = (side or 0 for side in sides)
            if bottom - top <= 2 or right - left <= 2:
                return True
    path = _CUT_AWAY.search(declared.get("clip-path") or declared.get("-webkit-clip-path", ""))
    return path is not None and (path[1] is None or (pixels(path[1]) or 0) >= 49)


def _shut(declared: Declarations) -> Concealment:
    """A box without room: positioned ones are for screen readers, others open at a click."""
    overflow = " ".join(declared.get(name, "") for name in ("overflow", "overflow-x", "overflow-y"))
    if "hidden" not in overflow and "clip" not in overflow:
        return NONE
    sizes = [pixels(declared.get(name, "")) for name in _BOX]
    small = sum(size is not None and size <= 1 for size in sizes)
    if not small:
        return NONE
    apart = declared.get("position") in ("absolute", "fixed") and small > 1
    return GONE if apart else CLOSED
