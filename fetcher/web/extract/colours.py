"""Colours of CSS, as far as they say whether text can be told from what is behind it."""

import colorsys
import re

from fetcher.web.extract.styles import LENGTH, Declarations
from fetcher.web.visibility import FAINTEST, NEARLY_SAME

Colour = tuple[int, int, int]
CLEAR = (-1, -1, -1)
"""No colour: what is behind it shows."""
UNKNOWN = (-2, -2, -2)
"""A picture, a gradient, or a colour that is not understood."""

_FUNCTION = re.compile(r"(rgb|hsl)a?\(([^()]{1,80}+)\)")
_PARTS = re.compile(r"[\s,/]++")
_HEX = re.compile(r"#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})")
_NO_BACKGROUND = frozenset({"none", "inherit", "initial", "unset", "0", "0 0", ""})

_NAMED: dict[str, Colour] = {
    "white": (255, 255, 255), "black": (0, 0, 0), "snow": (255, 250, 250), "ivory": (255, 255, 240),
    "ghostwhite": (248, 248, 255), "whitesmoke": (245, 245, 245), "floralwhite": (255, 250, 240),
    "mintcream": (245, 255, 250), "azure": (240, 255, 255), "aliceblue": (240, 248, 255),
    "seashell": (255, 245, 238), "red": (255, 0, 0), "green": (0, 128, 0), "blue": (0, 0, 255),
    "yellow": (255, 255, 0), "gray": (128, 128, 128), "grey": (128, 128, 128), "silver": (192, 192, 192),
    "lightgray": (211, 211, 211), "lightgrey": (211, 211, 211), "gainsboro": (220, 220, 220),
    "navy": (0, 0, 128), "maroon": (128, 0, 0), "orange": (255, 165, 0), "purple": (128, 0, 128),
    "beige": (245, 245, 220), "linen": (250, 240, 230), "darkgray": (169, 169, 169),
    "lightyellow": (255, 255, 224), "honeydew": (240, 255, 240), "lavenderblush": (255, 240, 245),
    "oldlace": (253, 245, 230), "teal": (0, 128, 128), "lime": (0, 255, 0), "aqua": (0, 255, 255),
    "cyan": (0, 255, 255), "fuchsia": (255, 0, 255), "magenta": (255, 0, 255), "olive": (128, 128, 0),
}  # fmt: skip
WHITE = _NAMED["white"]


def text_colour(declared: Declarations) -> Colour | None:
    """The colour that declarations give to text; None where they give none."""
    value = declared.get("-webkit-text-fill-color") or declared.get("color")
    if not value or value in ("inherit", "unset", "currentcolor"):
        return None
    if "text" in declared.get("background-clip", "") + declared.get("-webkit-background-clip", ""):
        return UNKNOWN  # the background is drawn in the letters' shape
    return colour(value)


def background(declared: Declarations) -> Colour | None:
    """The colour that declarations draw behind text; None where what is behind shows through."""
    image = declared.get("background-image", "none")
    value = declared.get("background-color") or declared.get("background") or ""
    if image not in _NO_BACKGROUND or "url(" in value or "gradient" in value or "image" in value:
        return UNKNOWN
    if value in _NO_BACKGROUND:
        return None
    found = colour(value if "(" in value else value.split()[0])
    return None if found == CLEAR else found


def colour(value: str) -> Colour:
    value = value.strip()
    if value == "transparent":
        return CLEAR
    if value in _NAMED:
        return _NAMED[value]
    if _HEX.fullmatch(value):
        return _from_hex(value[1:])
    found = _FUNCTION.search(value)
    return _from_channels(found[1], _PARTS.split(found[2].strip())) if found else UNKNOWN


def _from_hex(digits: str) -> Colour:
    if len(digits) < 6:
        digits = "".join(digit * 2 for digit in digits)
    if len(digits) == 8 and int(digits[6:], 16) <= 255 * FAINTEST:
        return CLEAR
    return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)


def _from_channels(kind: str, parts: list[str]) -> Colour:
    numbers = [float(found[1]) for part in parts if (found := LENGTH.fullmatch(part))]
    if len(numbers) < len(parts) or len(parts) < 3:
        return UNKNOWN
    shares = ["%" in part for part in parts]
    if len(parts) > 3 and numbers[3] / (100 if shares[3] else 1) <= FAINTEST:
        return CLEAR
    if kind == "hsl":
        hue, saturation, lightness = (
            numbers[0] % 360 / 360,
            *(min(max(n, 0), 100) / 100 for n in numbers[1:3]),
        )
        channels = [255 * channel for channel in colorsys.hls_to_rgb(hue, lightness, saturation)]
    else:
        channels = [n * 2.55 if share else n for n, share in zip(numbers[:3], shares[:3], strict=True)]
    red, green, blue = (round(max(0, min(255, channel))) for channel in channels)
    return red, green, blue


def look_the_same(one: Colour, other: Colour) -> bool:
    """Whether two known colours can hardly be told apart."""
    return min(*one, *other) >= 0 and all(abs(a - b) <= NEARLY_SAME for a, b in zip(one, other, strict=True))
