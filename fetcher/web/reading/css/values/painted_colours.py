"""The colours that declarations give to text and to what is behind it."""

from fetcher.web.reading.css.declarations import Declarations
from fetcher.web.reading.css.values.colours import CLEAR, CURRENT, UNKNOWN, Colour, colour, look_the_same
from fetcher.web.reading.css.values.images import one_colour
from fetcher.web.reading.css.values.numbers import pixels, split_at
from fetcher.web.visibility import FAINTEST, FAR

_KEPT = frozenset({"", "inherit", "unset", "revert", "revert-layer", "currentcolor"})
_NO_IMAGES = frozenset({"none", "initial", "unset", "inherit", "revert", "revert-layer"})
_MOST_BLURRED = 100
"""Pixels: a shadow that is blurred more is not seen."""


def text_colour(declared: Declarations) -> Colour | None:
    """The colour that declarations give to text; None where they give none."""
    value = declared.get("-webkit-text-fill-color", "")
    if value in _KEPT or value == "initial":
        value = declared.get("color", "")
    if value in _KEPT:
        return None
    found = colour("canvastext" if value == "initial" else value)
    if declared.get("background-clip") == "text" and found[3] < 1:
        # The background is drawn in the letters' shape.
        if declared.get("background-image", "none") not in _NO_IMAGES:
            return UNKNOWN
        drawn = colour(declared.get("background-color", "transparent"))
        found = drawn if drawn == UNKNOWN or drawn[3] > FAINTEST else found
    edges: list[str] = []  # a shadow or a stroke draws letters that could not be told otherwise
    width = declared.get("-webkit-text-stroke-width", "0")
    if width[0].isalpha() or (pixels(width) or 0) > 0:
        edges.append(declared.get("-webkit-text-stroke-color", "currentcolor"))
    for shadow in split_at(declared.get("text-shadow", "none"), ","):
        parts = split_at(shadow, " ")
        lengths = [length for part in parts if (length := pixels(part)) is not None]
        if any(abs(length) >= FAR for length in lengths[:2]) or lengths[2:] > [_MOST_BLURRED]:
            continue
        if len(lengths) > 1:
            edges += [part for part in parts if pixels(part) is None]
    painted = {CLEAR if edge in _KEPT else colour(edge) for edge in edges}
    seen = [edge for edge in painted if edge[3] > FAINTEST]
    if found[3] <= FAINTEST:  # nothing but the edges is drawn
        first = seen[0] if seen else found
        return first if all(look_the_same(edge, first, first) for edge in seen) else UNKNOWN
    return UNKNOWN if any(not look_the_same(edge, found, found) for edge in seen) else found


def background(declared: Declarations) -> Colour | None:
    """The colour that declarations draw behind text; None where what is behind shows through."""
    image = declared.get("background-image", "none")
    drawn = CLEAR if image in _NO_IMAGES else one_colour(image)
    if drawn[3] == 1 and drawn != UNKNOWN and declared.get("background-clip") != "text":
        return drawn
    if drawn[3] > FAINTEST:
        return UNKNOWN
    value = declared.get("background-color", "")
    if value == "currentcolor":
        given = text_colour({"color": declared.get("color", "")})
        return given or (UNKNOWN if "-webkit-text-fill-color" in declared else CURRENT)
    if value in _KEPT or value == "initial" or declared.get("background-clip") == "text":
        return None
    found = colour(value)
    return None if found[3] <= FAINTEST else found
