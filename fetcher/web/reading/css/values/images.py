"""Images of CSS: which values are valid ones, and which colours gradients have."""

import re

from fetcher.web.reading.css.values.colours import UNKNOWN, Colour, colour, is_colour
from fetcher.web.reading.css.values.numbers import ANGLE, PLAIN, quantity, split_at

_IMAGE = re.compile(r"(-webkit-)?([a-z-]++)\((.*?)\)?+", re.DOTALL)
_GRADIENT = re.compile(r"(?:repeating-)?(linear|radial|conic)-gradient")
_SPACES = r"in [\w-]++(?: (?:shorter|longer|increasing|decreasing) hue)?"
_PLACE = r"(?:top|bottom|left|right|center|[-+.\d][\w.%+-]*+|[a-z]++\((?>[^()]++|\([^()]*+\))*+\))"
_BEGINNINGS = {
    "linear": re.compile(
        rf"(?:to (?:top|bottom|left|right)(?: (?:top|bottom|left|right))?)? ?(?:{_SPACES})?"
    ),
    "radial": re.compile(
        rf"(?>(?:circle|ellipse|(?:closest|farthest)-(?:side|corner)|{_PLACE})(?: |$))*+"
        rf"(?:at {_PLACE}(?: {_PLACE}){{0,3}})? ?(?:{_SPACES})?"
    ),
    "conic": re.compile(rf"(?:from {_PLACE})? ?(?:at {_PLACE}(?: {_PLACE}){{0,3}})? ?(?:{_SPACES})?"),
}
"""What may stand before the colours of each sort of gradient."""


def is_image(value: str) -> bool:
    if value == "none":
        return True
    if not (found := _IMAGE.fullmatch(value)):
        return False
    prefix, name, inner = found.groups()
    if name == "image-set":
        return "url(" in inner or '"' in inner or "gradient(" in inner
    if name in ("cross-fade", "gradient"):
        return bool(prefix)
    return (name in ("url", "paint") and not prefix) or image_colours(value) is not None


def image_colours(value: str) -> list[Colour] | None:
    """The colours of a gradient or of an image of one colour; None for all others."""
    if not (found := _IMAGE.fullmatch(value)):
        return None
    prefix, name, inner = found.groups()
    if name == "image":
        return [colour(inner)] if is_colour(inner) and not prefix else None
    if not (gradient := _GRADIENT.fullmatch(name)):
        return None
    colours, parts = list[Colour](), split_at(inner, ",")
    for number, part in enumerate(parts):
        words = split_at(part, " ")
        places = [
            word for word in words if word == "0" or ((given := quantity(word)) and given.kind != PLAIN)
        ]
        others = [word for word in words if word not in places]
        if len(others) == 1 and len(places) <= 2 and is_colour(others[0]):
            colours.append(colour(others[0]))
        elif number == 0 and part and (_begins(gradient[1], part) or (prefix and _begins("radial", part))):
            continue
        elif others or len(places) != 1 or not 0 < number < len(parts) - 1:
            return None
    return colours or None


def _begins(kind: str, part: str) -> bool:
    given = quantity(part)
    is_angle = kind == "linear" and given is not None and (given.kind == ANGLE or part == "0")
    return is_angle or _BEGINNINGS[kind].fullmatch(part) is not None


def one_colour(value: str) -> Colour:
    """The colour of an image that has only one; else it is not known."""
    colours = image_colours(value)
    if not colours or any(each != colours[0] for each in colours):
        return UNKNOWN
    return colours[0]
