"""The groups of an element's look, each set by some properties: rules about other ones need not be read."""

from collections.abc import Mapping

PropertyGroups = int
"""A sum of the following."""
OPACITY, POSITION, BOX, LAYOUT, SIZE, INDENT, VISIBILITY, COLOUR = (1 << at for at in range(8))
ALL = (1 << 8) - 1

GROUPS_BY_PROPERTY: Mapping[str, PropertyGroups] = {
    **dict.fromkeys(("opacity", "filter"), OPACITY),
    **dict.fromkeys(
        ("top", "right", "bottom", "left", "margin-top", "margin-right", "margin-bottom"), POSITION
    ),
    **dict.fromkeys(
        ("margin-left", "transform", "scale", "rotate", "translate", "clip", "clip-path"), POSITION
    ),
    **dict.fromkeys(("mask-image", "mask-size", "zoom", "margin", "inset", "mask"), POSITION),
    **dict.fromkeys(("inset-inline", "inset-block", "margin-inline", "margin-block"), POSITION),
    **dict.fromkeys(
        ("overflow", "overflow-x", "overflow-y", "height", "width", "max-height", "max-width"), BOX
    ),
    **dict.fromkeys(("min-height", "min-width", "flex-grow", "flex"), BOX),
    "backface-visibility": POSITION,
    "position": BOX | POSITION,
    **dict.fromkeys(("display", "content-visibility"), LAYOUT),
    **dict.fromkeys(("font", "font-size", "font-size-adjust", "letter-spacing"), SIZE),
    "text-indent": INDENT,
    "visibility": VISIBILITY,
    **dict.fromkeys(
        ("color", "background", "background-color", "background-image", "background-clip"), COLOUR
    ),
    **dict.fromkeys(("-webkit-text-fill-color", "text-shadow", "-webkit-text-stroke"), COLOUR),
    **dict.fromkeys(("-webkit-text-stroke-width", "-webkit-text-stroke-color"), COLOUR),
}
"""The groups that each property sets."""
_WORDS = {
    **dict.fromkeys(("opacity", "filter"), OPACITY),
    **dict.fromkeys(
        ("left", "right", "top", "bottom", "margin", "inset", "transform", "scale", "rotate"), POSITION
    ),
    **dict.fromkeys(("translate", "clip", "mask", "zoom"), POSITION),
    **dict.fromkeys(("overflow", "height", "width", "-size", "flex"), BOX),
    "mask-size": BOX | POSITION,
    "backface-visib": POSITION | VISIBILITY,
    "stroke-width": BOX | COLOUR,
    "position": BOX | POSITION,
    "animation": OPACITY | POSITION | VISIBILITY,
    **dict.fromkeys(("display", "content-visib"), LAYOUT),
    **dict.fromkeys(("font", "spacing"), SIZE),
    "indent": INDENT,
    "visib": VISIBILITY,
    **dict.fromkeys(("color", "background", "shadow", "stroke"), COLOUR),
}
"""The groups that declarations may be about when a word stands in them."""


def groups_in(css: str) -> PropertyGroups:
    """The groups that declarations in lower case may be about."""
    found = 0
    for word, groups in _WORDS.items():  # faster than one pattern for all of them
        if word in css:
            found |= groups
    return found
