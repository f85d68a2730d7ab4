"""How declarations keep an element out of sight, and whether a click could bring it back."""

from fetcher.web.reading.css.declarations import Declarations
from fetcher.web.reading.css.property_groups import BOX, INDENT, LAYOUT, OPACITY, POSITION, SIZE, VISIBILITY
from fetcher.web.reading.css.values.clips_and_transforms import (
    NO_ROOM,
    functions,
    is_clipped_away,
    is_transformed_away,
    shows_back,
)
from fetcher.web.reading.css.values.colours import UNKNOWN
from fetcher.web.reading.css.values.images import image_colours
from fetcher.web.reading.css.values.numbers import PIXELS, pixels, share, split_at
from fetcher.web.reading.css.values.valid_values import WIDE
from fetcher.web.visibility import FAINTEST, FAR, MOST_BLURRED, SMALLEST_TEXT

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
_SIMPLE = frozenset(
    ("display", "visibility", "content-visibility", "color", "background-color", "background-image")
)
"""The properties that hide by their value alone, or by colours only."""
_LEFT = ("left", "right", "margin-left", "margin-right")
_ABOVE = ("top", "bottom", "margin-top")
_PLACING = frozenset((*_LEFT, *_ABOVE, "translate", "rotate", "scale", "transform", "clip", "clip-path"))
_SIZING = frozenset({"font-size", "letter-spacing", "font-size-adjust"})
_BOX = ("height", "max-height", "width", "max-width")
_NOT_LAID_OUT = ("none", "table-column", "table-column-group")
_CUTTING = frozenset({"hidden", "clip"})
_SCROLLING = frozenset({"auto", "scroll", "overlay"})
_LARGEST_WINDOW = 1920
PAIRED = 0.8
"""An opacity that hides together with others around it."""
_FLATTEST = 0.08
"""The height of small letters as a share of the size of text, under which they cannot be read."""
_CLOSEST = -0.6
"""The share of a letter's height from which letters that are drawn together lie on one another."""


def concealment(declared: Declarations) -> Concealment:
    """How declarations hide an element, its colours aside."""
    found = NONE if declared.keys() <= _SIMPLE else _concealment_of_box(declared)
    if declared.get("visibility") in ("hidden", "collapse"):
        found |= INVISIBLE
    if declared.get("display") in _NOT_LAID_OUT or declared.get("content-visibility") == "hidden":
        found |= CLOSED
    return found


def _concealment_of_box(declared: Declarations) -> Concealment:
    """How sizes, places and opacities hide an element."""
    found, named = NONE, declared.keys()
    if opacity(declared) <= FAINTEST or ("filter" in declared and _is_filtered_away(declared)):
        found |= FAINT
    if not named.isdisjoint(_PLACING) and (
        _is_moved_away(declared) or is_transformed_away(declared) or is_clipped_away(declared)
    ):
        found |= GONE
    if not named.isdisjoint(_SIZING) and _is_tiny(declared):
        found |= TINY
    if "zoom" in declared and 0 < (share(declared["zoom"]) or 0) * 16 < SMALLEST_TEXT:
        found |= GONE
    if "mask-image" in declared and _is_masked_away(declared):
        found |= GONE
    indent = declared.get("text-indent")
    if indent and abs(pixels(indent.replace("each-line", "").strip()) or 0) >= FAR:
        found |= INDENTED
    # A box without room: a positioned one is for screen readers, another one opens at a click.
    if _is_turned_round(declared):
        found |= CLOSED
    cut = declared.get("overflow-x"), declared.get("overflow-y")
    may_grow = (share(declared.get("flex-grow", "")) or 0) > 0
    if not _CUTTING.isdisjoint(cut) or not (may_grow or _SCROLLING.isdisjoint(cut)):
        small = _small_sides(declared)
        is_apart = declared.get("position") in ("absolute", "fixed") and small > 1
        found |= NONE if not small else GONE if is_apart else CLOSED
    return found


def _is_tiny(declared: Declarations) -> bool:
    size, spacing = font_size(declared), pixels(declared.get("letter-spacing", ""))
    if spacing is not None and spacing <= _CLOSEST * (size or 16):  # the letters lie on one another
        return True
    adjusted = pixels(declared.get("font-size-adjust", "").split(" ")[-1])
    return (size is not None and size < SMALLEST_TEXT) or (adjusted is not None and adjusted < _FLATTEST)


def groups_concealing(declared: Declarations) -> int:
    """The groups in which declarations hide an element, its colours aside, alone or together with others."""
    found = concealment(declared)
    groups = sum(group for how, group in _GROUPS if found & how)
    if found & CLOSED and (declared.get("display") in _NOT_LAID_OUT or "content-visibility" in declared):
        groups |= LAYOUT
    if declared.keys() <= _SIMPLE:
        return groups
    if _is_turned_round(declared):
        groups |= POSITION
    if opacity(declared) < PAIRED:
        groups |= OPACITY
    if _small_sides(declared):
        groups |= BOX
    return groups


def opacity(declared: Declarations) -> float:
    """How opaque declarations make an element, by `opacity` and by filters."""
    if "filter" not in declared and "opacity" not in declared:
        return 1
    given = [declared.get("opacity", "")]
    given += (
        arguments[0]
        for name, arguments in functions(declared.get("filter", ""))
        if name == "opacity" and arguments
    )
    result = 1.0
    for each in given:
        part = share(each)
        result *= 1 if part is None else min(max(part, 0), 1)
    return result


def font_size(declared: Declarations) -> float | None:
    """The size that declarations give to text; relative ones by what they make of 16 pixels."""
    value = declared.get("font-size")
    if value is None:
        return None
    return 16 * (share(value) or 0) if value.endswith("%") else pixels(value)


def _is_filtered_away(declared: Declarations) -> bool:
    for name, arguments in functions(declared.get("filter", "")):
        given = arguments[0] if arguments else ""
        if name == "blur" and (pixels(given) or 0) >= MOST_BLURRED:
            return True
    return False


def _is_masked_away(declared: Declarations) -> bool:
    """Whether all layers of a mask are transparent, or without size."""
    images = split_at(declared.get("mask-image", "none"), ",")
    sizes = split_at(declared.get("mask-size", "auto"), ",")
    for number, image in enumerate(images):
        colours = image_colours(image) or [UNKNOWN]
        size = [pixels(each) for each in split_at(sizes[number % len(sizes)], " ")]
        is_clear = all(each[3] <= FAINTEST for each in colours)
        if image in ("none", *WIDE) or not (is_clear or any(each is not None and each <= 0 for each in size)):
            return False
    return True


def _is_moved_away(declared: Declarations) -> bool:
    moved = {name: pixels(declared[name]) or 0 for name in (*_LEFT, *_ABOVE) if name in declared}
    for name, length in moved.items():
        if length <= -FAR or (name in _LEFT and length >= 10 * FAR):
            return True
    for side in ("left", "top"):
        both = moved.get(side, 0), moved.get(f"margin-{side}", 0)
        if max(both) <= 0 and sum(both) <= -FAR:
            return True
    if (position := declared.get("position")) not in ("absolute", "fixed"):
        return False
    sides = [
        ("right", "left"),
        *((("bottom", "top"), ("left", ""), ("top", "")) if position == "fixed" else ()),
    ]
    for name, stronger in sides:
        value = declared.get(name, "")
        is_whole = value.endswith(("vw", "vh") if position == "absolute" else ("vw", "vh", "%"))
        window = 100 * PIXELS["%"] if is_whole else _LARGEST_WINDOW
        if moved.get(name, 0) >= window and declared.get(stronger, "auto") == "auto":
            return True
    return False


def _is_turned_round(declared: Declarations) -> bool:
    """Whether only the back of a box would be seen, which is not drawn."""
    return declared.get("backface-visibility") == "hidden" and shows_back(declared)


def _small_sides(declared: Declarations) -> int:
    """How many of its sizes leave a box without room."""
    found = 0
    for name in _BOX:
        length = pixels(declared.get(name, ""))
        if length is None or length > NO_ROOM:
            continue
        least = declared.get(f"min-{name.removeprefix('max-')}", "")
        is_kept_large = not (least.endswith("%") and "height" in name) and (pixels(least) or 0) > NO_ROOM
        found += not is_kept_large
    return found
