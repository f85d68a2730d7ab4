"""The aspects of an element's look, each set by some properties: rules about other ones need not be read."""

import re
from collections.abc import Mapping

Aspects = int
"""A sum of the following."""
OPACITY, PLACE, BOX, LAYOUT, SIZE, INDENT, VISIBILITY, COLOUR = (1 << at for at in range(8))
ALL = (1 << 8) - 1

ASPECTS: Mapping[str, Aspects] = {
    **dict.fromkeys(("opacity", "filter"), OPACITY),
    **dict.fromkeys(("top", "right", "bottom", "left", "margin-top", "margin-right", "margin-bottom"), PLACE),
    **dict.fromkeys(("margin-left", "transform", "scale", "rotate", "translate", "clip", "clip-path"), PLACE),
    **dict.fromkeys(("mask-image", "zoom", "margin", "inset", "mask"), PLACE),
    **dict.fromkeys(("inset-inline", "inset-block", "margin-inline", "margin-block"), PLACE),
    **dict.fromkeys(
        ("overflow", "overflow-x", "overflow-y", "height", "width", "max-height", "max-width"), BOX
    ),
    "position": BOX | PLACE,
    **dict.fromkeys(("display", "content-visibility"), LAYOUT),
    **dict.fromkeys(("font", "font-size", "letter-spacing"), SIZE),
    "text-indent": INDENT,
    "visibility": VISIBILITY,
    **dict.fromkeys(
        ("color", "background", "background-color", "background-image", "background-clip"), COLOUR
    ),
    **dict.fromkeys(("-webkit-text-fill-color", "text-shadow", "-webkit-text-stroke"), COLOUR),
}
"""The aspects that each property sets."""
_WORDS = {
    **dict.fromkeys(("opacity", "filter"), OPACITY),
    **dict.fromkeys(
        ("left", "right", "top", "bottom", "margin", "inset", "transform", "scale", "rotate"), PLACE
    ),
    **dict.fromkeys(("translate", "clip", "mask", "zoom"), PLACE),
    **dict.fromkeys(("overflow", "height", "width", "-size"), BOX),
    "position": BOX | PLACE,
    **dict.fromkeys(("display", "content-visib"), LAYOUT),
    **dict.fromkeys(("font", "spacing"), SIZE),
    "indent": INDENT,
    "visib": VISIBILITY,
    **dict.fromkeys(("color", "background", "shadow", "stroke"), COLOUR),
}
"""The aspects that declarations may be about when a word stands in them."""
_WORD = re.compile("|".join(map(re.escape, _WORDS)))


def aspects_in(css: str) -> Aspects:
    """The aspects that declarations in lower case may be about."""
    found = 0
    for word in set(_WORD.findall(css)):
        found |= _WORDS[word]
    return found
