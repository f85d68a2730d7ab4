"""How declarations keep an element out of sight, and whether a click could bring it back."""

from fetcher.web.reading.css.clips_and_transforms import functions, is_clipped_away, is_transformed_away
from fetcher.web.reading.css.colours import colour
from fetcher.web.reading.css.declarations import Declarations
from fetcher.web.reading.css.numbers import pixels, share
from fetcher.web.reading.css.property_groups import BOX, INDENT, LAYOUT, OPACITY, POSITION, SIZE, VISIBILITY
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

_GROUPS = (
    (FAINT, OPACITY),
    (GONE, POSITION | BOX),
    (TINY, SIZE),
    (INDENTED, INDENT),
    (INVISIBLE, VISIBILITY),
)
_LEFT = ("left", "right", "margin-left", "margin-right")
_ABOVE = ("top", "bottom", "margin-top")
_BOX = ("height", "max-height", "width", "max-width")
PAIRED = 0.5
"""An opacity that hides together with others around it."""
_MOST_BLURRED = 20
"""Pixels: what is blurred more cannot be read."""
_CLOSEST = -0.6
"""The share of a letter's height from which letters that are drawn together lie on one another."""


def concealment(declared: Declarations) -> Concealment:
    """How declarations hide an element, its colours aside."""
    found = NONE
    if opacity(declared) <= FAINTEST or _is_filtered_away(declared):
        found |= FAINT
    if _is_moved_away(declared) or is_transformed_away(declared) or is_clipped_away(declared):
        found |= GONE
    size, spacing = font_size(declared), pixels(declared.get("letter-spacing", ""))
    is_drawn_together = spacing is not None and spacing <= _CLOSEST * (size or 16)
    if (size is not None and size < SMALLEST_TEXT) or is_drawn_together:
        found |= TINY
    if 0 < (share(declared.get("zoom", "")) or 0) * 16 < SMALLEST_TEXT or _is_masked_away(declared):
        found |= GONE
    if abs(pixels(declared.get("text-indent", "")) or 0) >= FAR:
        found |= INDENTED
    if declared.get("visibility") in ("hidden", "collapse"):
        found |= INVISIBLE
    if declared.get("display") == "none" or declared.get("content-visibility") == "hidden":
        found |= CLOSED
    # A box without room: a positioned one is for screen readers, another one opens at a click.
    if not {"hidden", "clip"}.isdisjoint((declared.get("overflow-x"), declared.get("overflow-y"))):
        small = _small_sides(declared)
        is_apart = declared.get("position") in ("absolute", "fixed") and small > 1
        found |= NONE if not small else GONE if is_apart else CLOSED
    return found


def groups_concealing(declared: Declarations) -> int:
    """The groups in which declarations hide an element, its colours aside, alone or together with others."""
    found = concealment(declared)
    groups = sum(group for how, group in _GROUPS if found & how)
    if found & CLOSED and (declared.get("display") == "none" or "content-visibility" in declared):
        groups |= LAYOUT
    if opacity(declared) < PAIRED:
        groups |= OPACITY
    if _small_sides(declared):
        groups |= BOX
    return groups


def opacity(declared: Declarations) -> float:
    value = share(declared.get("opacity", ""))
    return 1 if value is None else min(max(value, 0), 1)


def font_size(declared: Declarations) -> float | None:
    """The size that declarations give to text; relative ones by what they make of 16 pixels."""
    value = declared.get("font-size")
    if value is None:
        return None
    return 16 * (share(value) or 0) if value.endswith("%") else pixels(value)


def _is_filtered_away(declared: Declarations) -> bool:
    for name, arguments in functions(declared.get("filter", "")):
        given = arguments[0] if arguments else ""
        if name == "opacity" and (part := share(given)) is not None and part <= FAINTEST:
            return True
        if name == "blur" and (pixels(given) or 0) >= _MOST_BLURRED:
            return True
    return False


def _is_masked_away(declared: Declarations) -> bool:
    """Whether all colours of a mask that is a gradient are transparent."""
    for name, arguments in functions(declared.get("mask-image", "")):
        colours = [colour(each) for each in arguments if each[0].isalpha() or each[0] == "#"]
        if "gradient" in name and colours and all(each[3] <= FAINTEST for each in colours):
            return True
    return False


def _is_moved_away(declared: Declarations) -> bool:
    for names, most in ((_LEFT, 10 * FAR), (_ABOVE, None)):
        for name in names:
            length = (name in declared and pixels(declared[name])) or 0
            if length <= -FAR or (most and length >= most):
                return True
    if declared.get("position") != "fixed":
        return False
    return any((pixels(declared.get(name, "")) or 0) >= 10 * FAR for name in ("top", "bottom"))


def _small_sides(declared: Declarations) -> int:
    """How many of its sizes leave a box without room."""
    sizes = [pixels(declared[name]) for name in _BOX if name in declared]
    return sum(size is not None and size <= 1 for size in sizes)
