"""Which values browsers understand, for each property that is looked at.

A declaration with another value is dropped, so an earlier one stays in force: `opacity: 0; opacity: x` is 0.
Every property has a closed grammar: known words, known units, known functions with fitting arguments.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from fetcher.web.reading.css.colours import is_colour
from fetcher.web.reading.css.images import is_image
from fetcher.web.reading.css.numbers import (
    ANGLE,
    ANY,
    LENGTH,
    LONGEST_REMEMBERED,
    MIXED,
    PERCENT,
    PLAIN,
    quantity,
    split_at,
)

_Check = Callable[[str], bool]
WIDE = frozenset({"inherit", "initial", "unset", "revert", "revert-layer"})
_FUNCTION = re.compile(r"([a-z][a-z\d-]*+)\((.*?)\)?+", re.DOTALL)
_VARIABLE = re.compile(r"var\(\s*+--")
LONGEST = 10_000
"""Characters of a value that is looked at."""
_SIZE_WORDS = (
    "auto",
    "min-content",
    "max-content",
    "fit-content",
    "stretch",
    *(f"-webkit-{word}" for word in ("fill-available", "min-content", "max-content", "fit-content")),
)
_BOXES = ("border-box", "padding-box", "content-box", "margin-box", "fill-box", "stroke-box", "view-box")
_PLACES = {"left": "h", "right": "h", "top": "v", "bottom": "v", "center": "c"}
_PLACE = re.compile(r"[hvcl]|[hcl][vcl]|v[hc]|ch|hlv|hvl|hlc|cvl|vlh|vhl|vlc|chl|hlvl|vlhl")
"""Words across and down, `center` and lengths, in the orders that are valid."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def measure(*kinds: str, least: float | None = None) -> _Check:
    """A quantity of one of some kinds. A calculated one is never too small: browsers raise it."""

    def check(value: str) -> bool:
        found = quantity(value)
        if found is None:
            return False
        if found.kind == PLAIN and not found.number and not found.is_calculated and LENGTH in kinds:
            return True
        is_kind = found.kind in kinds or (found.kind == MIXED and {LENGTH, PERCENT} <= {*kinds})
        is_large = least is None or found.is_calculated or found.number >= least
        return found.kind == ANY or (is_kind and is_large)

    return check


def _either(words: frozenset[str], check: _Check | None = None) -> _Check:
    return lambda value: value in words or (check is not None and check(value))


is_length = measure(LENGTH, PERCENT)
_is_plain_length = measure(LENGTH)
_is_positive = measure(LENGTH, PERCENT, least=0)
_is_share = measure(PLAIN, PERCENT)
_is_number = measure(PLAIN)
_is_angle = measure(ANGLE)


def _turned(value: str) -> bool:
    return value == "0" or _is_angle(value)


_Signature = tuple[int, int, _Check]
_TRANSFORMS: Mapping[str, _Signature] = {
    "translate": (1, 2, is_length),
    **dict.fromkeys(("translatex", "translatey"), (1, 1, is_length)),
    "translatez": (1, 1, _is_plain_length),
    "scale": (1, 2, _is_share),
    **dict.fromkeys(("scalex", "scaley", "scalez"), (1, 1, _is_share)),
    "scale3d": (3, 3, _is_share),
    **dict.fromkeys(("rotate", "rotatex", "rotatey", "rotatez", "skewx", "skewy"), (1, 1, _turned)),
    "skew": (1, 2, _turned),
    "matrix": (6, 6, _is_number),
    "matrix3d": (16, 16, _is_number),
    "perspective": (1, 1, _either(_words("none"), measure(LENGTH, least=0))),
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


def _functions(signatures: Mapping[str, _Signature], others: Mapping[str, _Check]) -> _Check:
    """A list of functions, each with as many arguments as it takes, or of other ones."""

    def is_call(part: str) -> bool:
        if not (found := _FUNCTION.fullmatch(part)):
            return False
        name, inner = found[1], found[2].strip()
        if name in others:
            return others[name](inner)
        given = split_at(inner, ",") if inner else []
        least, most, check = signatures.get(name, (1, 0, _is_number))
        return least <= len(given) <= most and all(map(check, given))

    return lambda value: value == "none" or all(map(is_call, split_at(value.replace(")", ") "), " ")))


def _is_3d_rotation(inner: str) -> bool:
    given = split_at(inner, ",")
    return len(given) == 4 and all(map(_is_number, given[:3])) and _turned(given[3])


def _is_3d_translation(inner: str) -> bool:
    given = split_at(inner, ",")
    return len(given) == 3 and _is_translation(given)


def _are_scales(parts: list[str]) -> bool:
    return 0 < len(parts) <= 3 and all(map(_is_share, parts))


def _is_translation(parts: list[str]) -> bool:
    return 0 < len(parts) <= 3 and all(map(is_length, parts[:2])) and all(map(_is_plain_length, parts[2:]))


def _is_rotation(value: str) -> bool:
    parts = split_at(value, " ")
    angles = [part for part in parts if _is_angle(part)]
    others = [part for part in parts if part not in angles]
    if value == "none":
        return True
    is_axis = others in ([], ["x"], ["y"], ["z"]) or (len(others) == 3 and all(map(_is_number, others)))
    return len(angles) == 1 and is_axis


def _is_shadow(value: str) -> bool:
    parts = split_at(value, " ")
    lengths = [_is_plain_length(part) for part in parts]
    colours = [part for part, is_one in zip(parts, lengths, strict=True) if not is_one]
    together = "".join("l" if each else "c" for each in lengths).strip("c")
    return (
        2 <= sum(lengths) <= 3
        and set(together) == {"l"}
        and len(colours) <= 1
        and all(map(is_colour, colours))
    )


def _is_list_of(check: _Check) -> _Check:
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


def _is_round(most: int) -> _Check:
    words = _words("closest-side farthest-side")

    def check(inner: str) -> bool:
        parts = split_at(inner, " ")
        at = parts.index("at") if "at" in parts else len(parts)
        sizes, place = parts[:at], parts[at + 1 :]
        is_sized = len(sizes) in (0, most) and all(each in words or _is_positive(each) for each in sizes)
        return is_sized and (at == len(parts) or is_place(place))

    return check


def _is_polygon(inner: str) -> bool:
    points = [split_at(part, " ") for part in split_at(inner, ",")]
    if points[0] in (["nonzero"], ["evenodd"]):
        points = points[1:]
    return bool(points) and all(len(point) == 2 and all(map(is_length, point)) for point in points)


def _sides(inner: str, check: _Check) -> bool:
    parts = split_at(inner, " ")
    return len(parts) == 4 and all(map(check, parts))


_SHAPES: Mapping[str, _Check] = {
    "inset": _is_inset,
    "circle": _is_round(1),
    "ellipse": _is_round(2),
    "polygon": _is_polygon,
    "rect": lambda inner: _sides(inner.partition("round")[0], _either(_words("auto"), is_length)),
    "xywh": lambda inner: _sides(inner.partition("round")[0], is_length),
    "path": lambda inner: '"' in inner,
    "shape": lambda inner: "from" in inner,
    "url": lambda _: True,
}


def _is_clip_path(value: str) -> bool:
    given = split_at(value, " ")
    parts = [part for part in given if part not in _BOXES]
    if value == "none" or len(given) - len(parts) > 1 or not parts:
        return value == "none" or len(given) == 1
    found = _FUNCTION.fullmatch(parts[0])
    return len(parts) == 1 and bool(found) and found is not None and _SHAPES.get(found[1], bool)(found[2])


def _is_clip(value: str) -> bool:
    found = _FUNCTION.fullmatch(value)
    if not found or found[1] != "rect":
        return value == "auto"
    return _sides(" ".join(split_at(found[2], ",")), _either(_words("auto"), _is_plain_length))


def _is_box_size(value: str) -> bool:
    return value.startswith("calc-size(") or _is_positive(value)


def _is_layer_size(value: str) -> bool:
    parts = split_at(value, " ")
    return value in ("cover", "contain") or (
        1 <= len(parts) <= 2 and all(part == "auto" or _is_positive(part) for part in parts)
    )


_DISPLAY = _words(
    """none block inline flex grid table contents list-item flow flow-root math ruby ruby-text inline-block
    inline-flex inline-grid inline-table table-caption table-cell table-column table-column-group
    table-footer-group table-header-group table-row table-row-group -webkit-box -webkit-inline-box
    -webkit-flex -webkit-inline-flex"""
)
_OUTER, _INNER = _words("block inline"), _words("flow flow-root table flex grid ruby math list-item")

_FLOWING = _words("block inline list-item flow flow-root")


def _is_display(value: str) -> bool:
    parts = value.split()
    return value in _DISPLAY or (
        2 <= len(parts) <= 3 and len({*parts}) == len(parts) and len(_OUTER & {*parts}) <= 1
        and (_OUTER | _INNER).issuperset(parts) and (len(parts) == 2 or "list-item" in parts)
        and ("list-item" not in parts or _FLOWING.issuperset(parts))
    )  # fmt: skip


_CHECKS: Mapping[str, _Check] = {
    "opacity": _is_share,
    "zoom": _either(_words("normal"), measure(PLAIN, PERCENT, least=0)),
    "font-size": _either(
        _words("xx-small x-small small medium large x-large xx-large xxx-large smaller larger math"),
        _is_positive,
    ),
    "visibility": _either(_words("visible hidden collapse")),
    "backface-visibility": _either(_words("visible hidden")),
    "content-visibility": _either(_words("visible hidden auto")),
    "position": _either(_words("static relative absolute fixed sticky")),
    "display": _is_display,
    **dict.fromkeys(
        ("color", "-webkit-text-fill-color", "background-color", "-webkit-text-stroke-color"), is_colour
    ),
    **dict.fromkeys(
        [f"{box}{side}" for box in ("", "margin-") for side in ("top", "right", "bottom", "left")],
        _either(_words("auto"), is_length),
    ),
    **dict.fromkeys(("height", "width"), _either(frozenset(_SIZE_WORDS), _is_box_size)),
    **dict.fromkeys(
        ("max-height", "max-width"), _either(frozenset(_SIZE_WORDS[1:]) | {"none"}, _is_box_size)
    ),
    **dict.fromkeys(("min-height", "min-width"), _either(frozenset(_SIZE_WORDS), _is_box_size)),
    "font-size-adjust": lambda value: value == "none" or _is_number(value.split(" ")[-1]),
    "flex-grow": measure(PLAIN, least=0),
    "text-indent": lambda value: is_length(value.replace("each-line", "").replace("hanging", "").strip()),
    "letter-spacing": _either(_words("normal"), is_length),
    **dict.fromkeys(("overflow-x", "overflow-y"), _either(_words("visible hidden clip scroll auto overlay"))),
    "filter": _functions(_FILTERS, {"drop-shadow": _is_shadow}),
    "transform": _functions(
        _TRANSFORMS, {"rotate3d": _is_3d_rotation, "translate3d": _is_3d_translation}
    ),
    "scale": lambda value: value == "none" or _are_scales(split_at(value, " ")),
    "translate": lambda value: value == "none" or _is_translation(split_at(value, " ")),
    "rotate": _is_rotation,
    "clip": _is_clip,
    "clip-path": _is_clip_path,
    **dict.fromkeys(("mask-image", "background-image"), _is_list_of(is_image)),
    "mask-size": _is_list_of(_is_layer_size),
    "background-clip": _is_list_of(_either(_words("border-box padding-box content-box text border-area"))),
    "text-shadow": _either(_words("none"), _is_list_of(_is_shadow)),
    "-webkit-text-stroke-width": _either(_words("thin medium thick"), measure(LENGTH, least=0)),
}  # fmt: skip
PROPERTIES = frozenset(_CHECKS)
"""The properties that are looked at."""


def is_valid(name: str, value: str) -> bool:
    """Whether browsers understand a value in lower case of a property; very long ones are not looked at."""
    if len(value) <= LONGEST_REMEMBERED:
        return _is_known_valid(name, value)
    return len(value) <= LONGEST and _is_valid(name, value)


def _is_valid(name: str, value: str) -> bool:
    return "\udcff" not in value and (
        value in WIDE or _VARIABLE.search(value) is not None or _CHECKS[name](value)
    )


_is_known_valid = lru_cache(16384)(_is_valid)
