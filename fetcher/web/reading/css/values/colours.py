"""Colours of CSS, as far as they say whether text can be told from what is behind it."""

import re
from functools import lru_cache

from fetcher.web.reading.css.values.colour_spaces import CHANNELS
from fetcher.web.reading.css.values.named_colours import NAMED
from fetcher.web.reading.css.values.numbers import (
    ANGLE,
    LONGEST_REMEMBERED,
    PERCENT,
    PLAIN,
    quantity,
    share,
    split_at,
    split_values,
)
from fetcher.web.visibility import FAINTEST, NEARLY_SAME

Colour = tuple[float, float, float, float]
"""Red, green and blue up to 255, and how opaque, up to 1."""
CLEAR: Colour = (0, 0, 0, 0)
"""No colour: what is behind it shows."""
UNKNOWN: Colour = (-1, -1, -1, 1)
"""A picture, a gradient, or a colour that is not understood."""
CURRENT: Colour = (-2, -2, -2, 1)
"""The colour of the text."""
WHITE: Colour = (255, 255, 255, 1)

_FUNCTION = re.compile(r"(-?[a-z]++-?[a-z]*+)\((.*?)\)?+", re.DOTALL)
_HEX = re.compile(r"#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})")
_CHANNEL_NAMES = {
    "rgb": "r g b", "hsl": "h s l", "hwb": "h w b", "lab": "l a b", "oklab": "l a b", "lch": "l c h",
    "oklch": "l c h", "color": "r g b",
}  # fmt: skip
_WITH_COMMAS = frozenset({"rgb", "hsl"})
_IN_SPACE = re.compile(
    r"in (?:srgb|srgb-linear|display-p3|a98-rgb|prophoto-rgb|rec2020|lab|oklab|xyz|xyz-d50|xyz-d65"
    r"|(?:hsl|hwb|lch|oklch)(?: (?:shorter|longer|increasing|decreasing) hue)?)"
)
_DEEPEST = 40
_LONGEST = 10_000


def is_colour(value: str) -> bool:
    """Whether a value in lower case is a colour that browsers understand."""
    return value == "currentcolor" or _read(value, 0) is not None


def colour(value: str) -> Colour:
    """A colour in lower case; what is invalid or depends on something else is unknown."""
    return _known_colour(value) if len(value) <= LONGEST_REMEMBERED else _colour(value)


def _colour(value: str) -> Colour:
    value = " ".join(value.split())
    return (_read(value, 0) if len(value) <= _LONGEST else None) or UNKNOWN


_known_colour = lru_cache(4096)(_colour)


def _read(value: str, depth: int) -> Colour | None:
    """A colour; None where it is not valid."""
    if value == "transparent":
        return CLEAR
    if value in NAMED:
        return _from_hex(NAMED[value])
    if value[:1] == "#":
        return _from_hex(value[1:]) if _HEX.fullmatch(value) else None
    if depth > _DEEPEST or not (found := _FUNCTION.fullmatch(value)):
        return UNKNOWN if value == "currentcolor" and depth else None
    kind, inner = found[1], found[2].strip()
    if kind == "color-mix":
        return _mixed(inner, depth + 1)
    if kind in ("light-dark", "contrast-color"):
        given = [_read(part, depth + 1) for part in split_at(inner, ",")]
        if None in given or len(given) != (2 if kind == "light-dark" else 1):
            return None
        return given[0] if kind == "light-dark" else UNKNOWN
    kind = kind.removesuffix("a") if kind in ("rgba", "hsla") else kind
    return _from_channels(kind, inner, depth) if kind in _CHANNEL_NAMES else None


def _from_hex(digits: str) -> Colour:
    if len(digits) < 6:
        digits = "".join(digit * 2 for digit in digits)
    red, green, blue, opaque = (int((digits + "ff")[at : at + 2], 16) for at in (0, 2, 4, 6))
    return red, green, blue, opaque / 255


def _from_channels(kind: str, inner: str, depth: int) -> Colour | None:
    parts, alpha = split_at(inner, ","), "1"
    if len(parts) == 1:
        before, *after = split_at(inner, "/")
        if len(after) > 1:
            return None
        parts, alpha = split_values(before), after[0] if after else "1"
    else:
        kinds = [each.kind for part in parts[1 if kind == "hsl" else 0 : 3] if (each := quantity(part))]
        is_alike = len({*kinds}) < 2 and (kind != "hsl" or kinds[:1] == [PERCENT])
        if kind not in _WITH_COMMAS or len(parts) > 4 or not is_alike:
            return None
        parts, alpha = parts[:3], parts[3] if len(parts) == 4 else "1"
    if parts and parts[0] == "from":
        return _relative(kind, parts, alpha if "/" in inner else "", depth)
    if kind == "color":
        kind, parts = (parts[0], parts[1:]) if parts else ("", [])
        if kind not in CHANNELS or kind in _CHANNEL_NAMES:
            return None
    given = quantity("0" if alpha == "none" else alpha)
    if len(parts) != 3 or given is None:
        return None
    channels = CHANNELS[kind](*("0" if part == "none" else part for part in parts))
    if channels is None:
        found = [quantity("0" if part == "none" else part) for part in parts]
        has_unread = any(one and one.kind == "any" for one in found)  # a function that is not read
        return UNKNOWN if None not in found and has_unread else None
    if (opaque := share("0" if alpha == "none" else alpha)) is None:
        return UNKNOWN if given.kind == "any" else None
    red, green, blue = (max(0.0, min(255.0, 255 * channel)) for channel in channels)
    return red, green, blue, max(0.0, min(1.0, opaque))


def _relative(kind: str, parts: list[str], alpha: str, depth: int) -> Colour | None:
    """A colour made of another; it is known where its channels are the other's, or where it is clear."""
    origin = _read(parts[1], depth + 1) if len(parts) > 1 else None
    if origin is None:
        return None
    channels = parts[3:] if kind == "color" else parts[2:]
    words = {*_CHANNEL_NAMES[kind].split(), "x", "y", "z", "alpha", "none"}
    for part in (*channels, alpha or "1"):
        if "(" in part:
            part = re.sub(r"\b(?:[a-z]|alpha)\b(?!\()", "1", part)  # noqa: PLW2901 - a name is a number there
        if part not in words and (
            (found := quantity(part)) is None or found.kind not in (PLAIN, PERCENT, ANGLE)
        ):
            return None
    if len(channels) != 3:
        return None
    opaque = origin[3] if alpha in ("", "alpha") else share(alpha)
    if opaque is not None and opaque <= FAINTEST:
        return CLEAR
    if origin == UNKNOWN or opaque is None:
        return UNKNOWN
    if channels == _CHANNEL_NAMES[kind].split():
        return *origin[:3], min(1.0, opaque)
    if any(part in words or "(" in part for part in channels):
        return UNKNOWN
    return _read(f"{kind}({' '.join(parts[2:])} / {opaque})", depth + 1)


def _mixed(inner: str, depth: int) -> Colour | None:
    """Two colours mixed, where every colour space mixes them about alike; else it is not known."""
    space, *given = split_at(inner, ",")
    if not _IN_SPACE.fullmatch(space):
        given = [space, *given]  # the space may be left out
    if len(given) != 2:
        return None
    colours, shares = list[Colour](), list[float | None]()
    for each in given:
        words = split_at(each, " ")
        percents = [word for word in words if (found := quantity(word)) and found.kind == PERCENT]
        others = [word for word in words if word not in percents]
        read = _read(others[0], depth) if len(others) == 1 and len(percents) < 2 else None
        if read is None:
            return None
        colours.append(read)
        shares.append(share(percents[0]) if percents else None)
    if UNKNOWN in colours:
        return UNKNOWN
    return _between(colours[0], colours[1], shares[0], shares[1])


def _between(first: Colour, second: Colour, one: float | None, other: float | None) -> Colour:
    """Two colours mixed by their shares, where every colour space mixes them about alike."""
    if look_the_same(first, second, second) and min(first[3], second[3]) == 1:
        weight = 1.0
    elif one is not None and other is not None:
        weight = one / (one + other) if one + other >= 1 else -1
    else:
        weight = one if one is not None else 0.5 if other is None else 1 - other
    if weight == -1:
        return UNKNOWN
    if first[3] <= FAINTEST and second[3] <= FAINTEST:
        return CLEAR
    if weight >= 0.99 or weight <= 0.01:
        return first if weight >= 0.99 else second
    if first[3] <= FAINTEST:
        return *second[:3], second[3] * (1 - weight)
    return (*first[:3], first[3] * weight) if second[3] <= FAINTEST else UNKNOWN


def legacy_colour(value: str) -> str:
    """What browsers make of a colour in an attribute of HTML, which is never invalid unless it is empty."""
    value = value.strip().lower()
    if not value or value == "transparent":
        return ""
    if value in NAMED or (_HEX.fullmatch(value) and len(value) in (4, 7)):
        return value
    digits = "".join("00" if sign > "\uffff" else sign for sign in value)[:128].removeprefix("#")
    digits = "".join(sign if sign in "0123456789abcdef" else "0" for sign in digits)
    digits += "0" * (-len(digits) % 3) or ("" if digits else "000")
    size = len(digits) // 3
    parts = [digits[at : at + size][-8:] for at in (0, size, 2 * size)]
    while len(parts[0]) > 2 and all(part[0] == "0" for part in parts):
        parts = [part[1:] for part in parts]
    return "#" + "".join(part[:2].rjust(2, "0") for part in parts)


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
