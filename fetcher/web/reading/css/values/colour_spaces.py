"""The notations of colours: how each gives red, green and blue, up to 1."""

import colorsys
import math

from fetcher.web.reading.css.values.numbers import PERCENT, PLAIN, degrees, quantity

_Channels = tuple[float, float, float] | None


def _part(value: str, whole: float) -> float:
    """A number, or a percentage of what is whole; not a number for what is neither."""
    found = quantity(value)
    if found is None or found.kind not in (PLAIN, PERCENT):
        return math.nan
    return found.number / 100 * whole if found.kind == PERCENT else found.number


def _known(*channels: float) -> _Channels:
    return None if any(map(math.isnan, channels)) else (channels[0], channels[1], channels[2])


def _rgb(red: str, green: str, blue: str) -> _Channels:
    return _known(*(_part(part, 255) / 255 for part in (red, green, blue)))


def _srgb(red: str, green: str, blue: str) -> _Channels:
    return _known(*(_part(part, 1) for part in (red, green, blue)))


def _srgb_linear(red: str, green: str, blue: str) -> _Channels:
    linear = _srgb(red, green, blue)
    return linear and _known(*map(_gamma, linear))


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


def _gamma(linear: float) -> float:
    if linear <= 0.0031308:
        return 12.92 * linear
    return float(1.055 * linear ** (1 / 2.4) - 0.055)


def _from_oklab(light: float, a: float, b: float) -> _Channels:
    cone = (
        light + 0.3963377774 * a + 0.2158037573 * b,
        light - 0.1055613458 * a - 0.0638541728 * b,
        light - 0.0894841775 * a - 1.2914855480 * b,
    )
    long, middle, short = (part**3 for part in cone)
    return _known(
        _gamma(4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short),
        _gamma(-1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short),
        _gamma(-0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short),
    )


def _from_lab(light: float, a: float, b: float) -> _Channels:
    height = (light + 16) / 116
    cubes = (height + a / 500, height, height - b / 200)
    x, y, z = (
        scale * (part**3 if part**3 > 0.008856 else (116 * part - 16) / 903.3)
        for part, scale in zip(cubes, (0.9643, 1, 0.8251), strict=True)
    )
    return _known(
        _gamma(3.1341 * x - 1.6174 * y - 0.4907 * z),
        _gamma(-0.9788 * x + 1.9163 * y + 0.0334 * z),
        _gamma(0.0720 * x - 0.2290 * y + 1.4057 * z),
    )


def _lab(light: str, a: str, b: str) -> _Channels:
    parts = _part(light, 100), _part(a, 125), _part(b, 125)
    return None if any(map(math.isnan, parts)) else _from_lab(*parts)


def _oklab(light: str, a: str, b: str) -> _Channels:
    parts = _part(light, 1), _part(a, 0.4), _part(b, 0.4)
    return None if any(map(math.isnan, parts)) else _from_oklab(*parts)


def _polar(
    light: str, chroma: str, hue: str, whole: tuple[float, float]
) -> tuple[float, float, float] | None:
    angle, parts = degrees(hue), (_part(light, whole[0]), _part(chroma, whole[1]))
    if angle is None or any(map(math.isnan, parts)):
        return None
    turned = math.radians(angle)
    return parts[0], parts[1] * math.cos(turned), parts[1] * math.sin(turned)


def _lch(light: str, chroma: str, hue: str) -> _Channels:
    parts = _polar(light, chroma, hue, (100, 150))
    return parts and _from_lab(*parts)


def _oklch(light: str, chroma: str, hue: str) -> _Channels:
    parts = _polar(light, chroma, hue, (1, 0.4))
    return parts and _from_oklab(*parts)


def _xyz(x: str, y: str, z: str) -> _Channels:
    parts = _srgb(x, y, z)
    if parts is None:
        return None
    first, second, third = parts
    return _known(
        _gamma(3.2410 * first - 1.5374 * second - 0.4986 * third),
        _gamma(-0.9692 * first + 1.8760 * second + 0.0416 * third),
        _gamma(0.0556 * first - 0.2040 * second + 1.0570 * third),
    )


CHANNELS = {
    "rgb": _rgb, "srgb": _srgb, "display-p3": _srgb, "a98-rgb": _srgb, "srgb-linear": _srgb_linear,
    "prophoto-rgb": _srgb, "rec2020": _srgb, **dict.fromkeys(("xyz", "xyz-d65", "xyz-d50"), _xyz),
    "hsl": _hsl, "hwb": _hwb, "lab": _lab, "lch": _lch, "oklab": _oklab, "oklch": _oklch,
}  # fmt: skip
"""How each notation gives red, green and blue up to 1; wide colour spaces about."""
