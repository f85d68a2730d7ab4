"""Which transformations, filters, shadows, places and clips browsers understand."""

import re
from collections.abc import Mapping

from fetcher.web.reading.css.values.colours import is_colour
from fetcher.web.reading.css.values.numbers import LENGTH, PERCENT, PLAIN, split_at
from fetcher.web.reading.css.values.valid_quantities import (
    Check,
    either,
    is_angle,
    is_length,
    is_number,
    is_plain_length,
    is_positive,
    is_share,
    measure,
    words,
)

_FUNCTION = re.compile(r"([a-z][a-z\d-]*+)\((.*?)\)?+", re.DOTALL)
_BOXES = ("border-box", "padding-box", "content-box", "margin-box", "fill-box", "stroke-box", "view-box")
_PLACES = {"left": "h", "right": "h", "top": "v", "bottom": "v", "center": "c"}
_PLACE = re.compile(r"[hvcl]|[hcl][vcl]|v[hc]|ch|hlv|hvl|hlc|cvl|vlh|vhl|vlc|chl|hlvl|vlhl")
"""Words across and down, `center` and lengths, in the orders that are valid."""


def _turned(value: str) -> bool:
    return value == "0" or is_angle(value)


_Signature = tuple[int, int, Check]
_TRANSFORMS: Mapping[str, _Signature] = {
    "translate": (1, 2, is_length),
    **dict.fromkeys(("translatex", "translatey"), (1, 1, is_length)),
    "translatez": (1, 1, is_plain_length),
    "scale": (1, 2, is_share),
    **dict.fromkeys(("scalex", "scaley", "scalez"), (1, 1, is_share)),
    "scale3d": (3, 3, is_share),
    **dict.fromkeys(("rotate", "rotatex", "rotatey", "rotatez", "skewx", "skewy"), (1, 1, _turned)),
    "skew": (1, 2, _turned),
    "matrix": (6, 6, is_number),
    "matrix3d": (16, 16, is_number),
    "perspective": (1, 1, either(words("none"), measure(LENGTH, least=0))),
}
_FILTERS: Mapping[str, _Signature] = {
    **dict.fromkeys(
        ("opacity", "brightness", "contrast", "grayscale", "invert", "saturate", "sepia"),
        (0, 1, measure(PLAIN, PERCENT, least=0)),
    ),
    "blur": (0, 1, measure(LENGTH, least=0)),
    "hue-rotate": (0, 1, _turned),
    "url": (0, 1, lambda _: True),
}


def _functions(signatures: Mapping[str, _Signature], others: Mapping[str, Check]) -> Check:
    """A list of functions, each with as many arguments as it takes, or of other ones."""

    def is_call(part: str) -> bool:
        if not (found := _FUNCTION.fullmatch(part)):
            return False
        name, inner = found[1], found[2].strip()
        if name in others:
            return others[name](inner)
        given = split_at(inner, ",") if inner else []
        least, most, check = signatures.get(name, (1, 0, is_number))
        return least <= len(given) <= most and all(map(check, given))

    return lambda value: value == "none" or all(map(is_call, split_at(value.replace(")", ") "), " ")))


def are_scales(parts: list[str]) -> bool:
    return 0 < len(parts) <= 3 and all(map(is_share, parts))


def is_translation(parts: list[str]) -> bool:
    return 0 < len(parts) <= 3 and all(map(is_length, parts[:2])) and all(map(is_plain_length, parts[2:]))


def is_rotation(value: str) -> bool:
    parts = split_at(value, " ")
    angles = [part for part in parts if is_angle(part)]
    others = [part for part in parts if part not in angles]
    if value == "none":
        return True
    is_axis = others in ([], ["x"], ["y"], ["z"]) or (len(others) == 3 and all(map(is_number, others)))
    return len(angles) == 1 and is_axis


def is_shadow(value: str) -> bool:
    parts = split_at(value, " ")
    lengths = [is_plain_length(part) for part in parts]
    colours = [part for part, is_one in zip(parts, lengths, strict=True) if not is_one]
    together = "".join("l" if each else "c" for each in lengths).strip("c")
    return (
        2 <= sum(lengths) <= 3
        and set(together) == {"l"}
        and len(colours) <= 1
        and all(map(is_colour, colours))
    )


def is_list_of(check: Check) -> Check:
    return lambda value: all(map(check, split_at(value, ",")))


def is_place(parts: list[str]) -> bool:
    """Whether words and lengths are a place in a box."""
    kinds = "".join(_PLACES.get(part) or ("l" if is_length(part) else "?") for part in parts)
    return _PLACE.fullmatch(kinds) is not None


def _is_inset(inner: str) -> bool:
    sides, _, corners = inner.partition("round")
    parts = split_at(sides, " ")
    return (
        1 <= len(parts) <= 4
        and all(map(is_length, parts))
        and (bool(corners.strip()) or "round" not in inner)
    )


def _is_round(most: int) -> Check:
    sides = words("closest-side farthest-side")

    def check(inner: str) -> bool:
        parts = split_at(inner, " ")
        at = parts.index("at") if "at" in parts else len(parts)
        sizes, place = parts[:at], parts[at + 1 :]
        is_sized = len(sizes) in (0, most) and all(each in sides or is_positive(each) for each in sizes)
        return is_sized and (at == len(parts) or is_place(place))

    return check


def _is_polygon(inner: str) -> bool:
    points = [split_at(part, " ") for part in split_at(inner, ",")]
    if points[0] in (["nonzero"], ["evenodd"]):
        points = points[1:]
    return bool(points) and all(len(point) == 2 and all(map(is_length, point)) for point in points)


def _sides(inner: str, check: Check) -> bool:
    parts = split_at(inner, " ")
    return len(parts) == 4 and all(map(check, parts))


_SHAPES: Mapping[str, Check] = {
    "inset": _is_inset,
    "circle": _is_round(1),
    "ellipse": _is_round(2),
    "polygon": _is_polygon,
    "rect": lambda inner: _sides(inner.partition("round")[0], either(words("auto"), is_length)),
    "xywh": lambda inner: _sides(inner.partition("round")[0], is_length),
    "path": lambda inner: '"' in inner,
    "shape": lambda inner: "from" in inner,
    "url": lambda _: True,
}


def is_clip_path(value: str) -> bool:
    given = split_at(value, " ")
    parts = [part for part in given if part not in _BOXES]
    if value == "none" or len(given) - len(parts) > 1 or not parts:
        return value == "none" or len(given) == 1
    found = _FUNCTION.fullmatch(parts[0])
    return len(parts) == 1 and bool(found) and found is not None and _SHAPES.get(found[1], bool)(found[2])


def is_clip(value: str) -> bool:
    found = _FUNCTION.fullmatch(value)
    if not found or found[1] != "rect":
        return value == "auto"
    return _sides(" ".join(split_at(found[2], ",")), either(words("auto"), is_plain_length))


is_filter = _functions(_FILTERS, {"drop-shadow": is_shadow})
is_transform = _functions(
    _TRANSFORMS,
    {
        "rotate3d": lambda inner: (
            len(given := split_at(inner, ",")) == 4 and all(map(is_number, given[:3])) and _turned(given[3])
        ),
        "translate3d": lambda inner: len(given := split_at(inner, ",")) == 3 and is_translation(given),
    },
)
