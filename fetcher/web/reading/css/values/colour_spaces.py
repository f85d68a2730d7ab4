"""The notations of colours: how each gives red, green and blue, up to 1."""

import colorsys
import math
from collections.abc import Callable

from fetcher.web.reading.css.values.numbers import PERCENT, PLAIN, degrees, quantity

_Channels = tuple[float, float, float] | None
_Notation = Callable[[str, str, str], _Channels]


def _part(value: str, whole: float) -> float:
    """A number, or a percentage of what is whole; not a number for what is neither."""
    found = quantity(value)
    if found is None or found.kind not in (PLAIN, PERCENT):
        return math.nan
    return found.number / 100 * whole if found.kind == PERCENT else found.number


def _known(*channels: float) -> _Channels:
    return None if any(map(math.isnan, channels)) else (channels[0], channels[1], channels[2])


def _straight(made: Callable[[float, float, float], _Channels], *whole: float) -> _Notation:
    """A notation with three numbers, each with what is whole of it."""

    def channels(*given: str) -> _Channels:
        parts = _known(*map(_part, given, whole))
        return parts and made(*parts)

    return channels


def _polar(made: Callable[[float, float, float], _Channels], *whole: float) -> _Notation:
    """A notation with a lightness, a chroma and a hue, made of what is straight."""

    def channels(light: str, chroma: str, hue: str) -> _Channels:
        angle, parts = degrees(hue), (_part(light, whole[0]), _part(chroma, whole[1]))
        if angle is None or any(map(math.isnan, parts)):
            return None
        turned = math.radians(angle)
        return made(parts[0], parts[1] * math.cos(turned), parts[1] * math.sin(turned))

    return channels


def _hsl(hue: str, saturation: str, lightness: str) -> _Channels:
    angle = degrees(hue)
    parts = (_part(saturation, 100) / 100, _part(lightness, 100) / 100)
    if angle is None or any(map(math.isnan, parts)):
        return None
    saturated, light = (max(0.0, min(1.0, part)) for part in parts)
    return colorsys.hls_to_rgb(angle % 360 / 360, light, saturated)


def _hwb(hue: str, white: str, black: str) -> _Channels:
    angle, pale, dark = degrees(hue), _part(white, 100) / 100, _part(black, 100) / 100
    if angle is None or math.isnan(pale + dark):
        return None
    if pale + dark >= 1:
        return (pale / (pale + dark),) * 3
    pure = colorsys.hls_to_rgb(angle % 360 / 360, 0.5, 1)
    return _known(*(channel * (1 - pale - dark) + pale for channel in pure))


def _from_linear(*linear: float) -> _Channels:
    return _known(
        *(12.92 * part if part <= 0.0031308 else float(1.055 * part ** (1 / 2.4) - 0.055) for part in linear)
    )


def _from_oklab(light: float, a: float, b: float) -> _Channels:
    cone = (
        light + 0.3963377774 * a + 0.2158037573 * b,
        light - 0.1055613458 * a - 0.0638541728 * b,
        light - 0.0894841775 * a - 1.2914855480 * b,
    )
    long, middle, short = (part**3 for part in cone)
    return _from_linear(
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )


def _from_lab(light: float, a: float, b: float) -> _Channels:
    height = (light + 16) / 116
    cubes = (height + a / 500, height, height - b / 200)
    x, y, z = (
        scale * (part**3 if part**3 > 0.008856 else (116 * part - 16) / 903.3)
        for part, scale in zip(cubes, (0.9643, 1, 0.8251), strict=True)
    )
    return _from_linear(
        3.1341 * x - 1.6174 * y - 0.4907 * z,
        -0.9788 * x + 1.9163 * y + 0.0334 * z,
        0.0720 * x - 0.2290 * y + 1.4057 * z,
    )


_SRGB = _straight(_known, 1, 1, 1)
_XYZ = _straight(
    lambda x, y, z: _from_linear(
        3.2410 * x - 1.5374 * y - 0.4986 * z,
        -0.9692 * x + 1.8760 * y + 0.0416 * z,
        0.0556 * x - 0.2040 * y + 1.0570 * z,
    ),
    1, 1, 1,
)  # fmt: skip
CHANNELS: dict[str, _Notation] = {
    "rgb": _straight(lambda red, green, blue: (red / 255, green / 255, blue / 255), 255, 255, 255),
    **dict.fromkeys(("srgb", "display-p3", "a98-rgb", "prophoto-rgb", "rec2020"), _SRGB),
    "srgb-linear": _straight(_from_linear, 1, 1, 1),
    **dict.fromkeys(("xyz", "xyz-d65", "xyz-d50"), _XYZ),
    "hsl": _hsl,
    "hwb": _hwb,
    "lab": _straight(_from_lab, 100, 125, 125),
    "lch": _polar(_from_lab, 100, 150),
    "oklab": _straight(_from_oklab, 1, 0.4, 0.4),
    "oklch": _polar(_from_oklab, 1, 0.4),
}
"""How each notation gives red, green and blue up to 1; wide colour spaces about."""
