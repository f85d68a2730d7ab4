"""Colours of CSS, as far as they say whether text can be told from what is behind it."""

import re
from functools import lru_cache

from fetcher.web.reading.css.colour_spaces import CHANNELS
from fetcher.web.reading.css.declarations import Declarations
from fetcher.web.reading.css.named_colours import NAMED
from fetcher.web.reading.css.numbers import share, split_values
from fetcher.web.visibility import FAINTEST, NEARLY_SAME

Colour = tuple[float, float, float, float]
"""Red, green and blue up to 255, and how opaque, up to 1."""
CLEAR: Colour = (0, 0, 0, 0)
"""No colour: what is behind it shows."""
UNKNOWN: Colour = (-1, -1, -1, 1)
"""A picture, a gradient, or a colour that is not understood."""
WHITE: Colour = (255, 255, 255, 1)

_FUNCTION = re.compile(r"(-?[a-z]++-?[a-z]*+)\((.*)\)", re.DOTALL)
_HEX = re.compile(r"#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})")
_SPACES = frozenset(
    "srgb srgb-linear display-p3 lab oklab xyz xyz-d50 xyz-d65 hsl hwb lch oklch shorter longer hue".split()  # noqa: SIM905 - as above
)
_KEPT = frozenset({"", "inherit", "unset", "revert", "revert-layer", "currentcolor"})


def text_colour(declared: Declarations) -> Colour | None:
    """The colour that declarations give to text; None where they give none."""
    value = declared.get("-webkit-text-fill-color", "")
    if value in _KEPT or value == "initial":
        value = declared.get("color", "")
    if value in _KEPT:
        return None
    if declared.get("background-clip") == "text":
        return UNKNOWN  # the background is drawn in the letters' shape
    if value == "initial":
        return colour("canvastext")
    letters = colour(value)
    for name in ("text-shadow", "-webkit-text-stroke"):
        for part in split_values(declared.get(name, "")):
            if part[0].isalpha() or part[0] == "#":
                drawn = CLEAR if part in ("none", "inset", *_KEPT) else colour(part)
                if drawn[3] > FAINTEST and not look_the_same(drawn, letters, letters):
                    return UNKNOWN  # a shadow or a stroke shows the letters
    return letters


def background(declared: Declarations) -> Colour | None:
    """The colour that declarations draw behind text; None where what is behind shows through."""
    if declared.get("background-image", "none") not in ("none", "initial", "unset", "inherit"):
        return UNKNOWN
    value = declared.get("background-color", "")
    if value == "currentcolor":
        return text_colour({"color": declared.get("color", "")}) or UNKNOWN
    if value in _KEPT or value == "initial" or declared.get("background-clip") == "text":
        return None
    found = colour(value)
    return None if found[3] <= FAINTEST else found


@lru_cache(4096)
def colour(value: str) -> Colour:
    value = value.strip()
    if value == "transparent":
        return CLEAR
    if value in NAMED:
        return _from_hex(NAMED[value])
    if _HEX.fullmatch(value):
        return _from_hex(value[1:])
    found = _FUNCTION.fullmatch(value)
    return _from_function(found[1], found[2]) if found else UNKNOWN


def _from_hex(digits: str) -> Colour:
    if len(digits) < 6:
        digits = "".join(digit * 2 for digit in digits)
    red, green, blue, opaque = (int((digits + "ff")[at : at + 2], 16) for at in (0, 2, 4, 6))
    return red, green, blue, opaque / 255


def _from_function(kind: str, inner: str) -> Colour:
    if kind == "color-mix":
        return _mixed(inner)
    parts = split_values(inner.replace("/", " / "))
    if kind == "light-dark":
        return colour(parts[0]) if parts else UNKNOWN
    kind, opaque = kind.removesuffix("a") if kind in ("rgba", "hsla") else kind, 1.0
    if kind == "color":
        kind, parts = (parts[0], parts[1:]) if parts else ("", [])
    if "/" in parts or (len(parts) == 4 and kind in ("rgb", "hsl")):
        given = share(parts[-1])
        opaque = 0 if parts[-1] == "none" else given if given is not None else -1
        parts = [part for part in parts[:-1] if part != "/"]
    if len(parts) != 3 or opaque == -1:
        return UNKNOWN
    channels = (
        CHANNELS[kind](*("0" if part == "none" else part for part in parts)) if kind in CHANNELS else None
    )
    if channels is None:
        return UNKNOWN
    red, green, blue = (max(0.0, min(255.0, 255 * channel)) for channel in channels)
    return red, green, blue, max(0.0, min(1.0, opaque))


def _mixed(inner: str) -> Colour:
    """Two colours mixed, where every colour space mixes them about alike; else it is not known."""
    parts = [part for part in split_values(inner) if part != "in" and part not in _SPACES]
    shares = [given for part in parts if part.endswith("%") and (given := share(part)) is not None]
    colours = [colour(part) for part in parts if not part.endswith("%")]
    if len(colours) != 2 or UNKNOWN in colours:
        return UNKNOWN
    first, second = colours
    if look_the_same(first, second, second) and min(first[3], second[3]) == 1:
        return first
    if first[3] <= FAINTEST and second[3] <= FAINTEST:
        return CLEAR
    if len(shares) == 1:
        weight = shares[0] if parts[1].endswith("%") or parts[0].endswith("%") else 1 - shares[0]
        if weight >= 0.99:
            return first
        if weight <= 0.01:
            return second
        if first[3] <= FAINTEST:
            return *second[:3], second[3] * (1 - weight)
        if second[3] <= FAINTEST:
            return *first[:3], first[3] * weight
    return UNKNOWN


def over(front: Colour, behind: Colour) -> Colour:
    """What is seen of a colour before another."""
    if UNKNOWN in (front, behind):
        return UNKNOWN
    opaque = front[3]
    red, green, blue = (
        one * opaque + other * (1 - opaque) for one, other in zip(front[:3], behind[:3], strict=True)
    )
    return red, green, blue, 1


def look_the_same(one: Colour, other: Colour, behind: Colour) -> bool:
    """Whether two known colours before a third can hardly be told apart."""
    if UNKNOWN in (one, other, behind):
        return False
    first, second = over(one, behind), over(other, behind)
    return all(abs(a - b) <= NEARLY_SAME for a, b in zip(first[:3], second[:3], strict=True))
