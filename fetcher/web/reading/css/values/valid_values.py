"""Which values browsers understand, for each property that is looked at.

A declaration with another value is dropped, so an earlier one stays in force: `opacity: 0; opacity: x` is 0.
Every property has a closed grammar: known words, known units, known functions with fitting arguments.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from fetcher.web.reading.css.values.colours import is_colour
from fetcher.web.reading.css.values.images import is_image
from fetcher.web.reading.css.values.numbers import LENGTH, LONGEST_REMEMBERED, PERCENT, PLAIN, split_at
from fetcher.web.reading.css.values.valid_quantities import (
    Check,
    either,
    is_length,
    is_number,
    is_positive,
    is_share,
    measure,
    words,
)
from fetcher.web.reading.css.values.valid_shapes import (
    are_scales,
    is_clip,
    is_clip_path,
    is_filter,
    is_list_of,
    is_rotation,
    is_shadow,
    is_transform,
    is_translation,
)

WIDE = frozenset({"inherit", "initial", "unset", "revert", "revert-layer"})
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


def _is_box_size(value: str) -> bool:
    return value.startswith("calc-size(") or is_positive(value)


def _is_layer_size(value: str) -> bool:
    parts = split_at(value, " ")
    return value in ("cover", "contain") or (
        1 <= len(parts) <= 2 and all(part == "auto" or is_positive(part) for part in parts)
    )


_DISPLAY = words(
    """none block inline flex grid table contents list-item flow flow-root math ruby ruby-text inline-block
    inline-flex inline-grid inline-table table-caption table-cell table-column table-column-group
    table-footer-group table-header-group table-row table-row-group -webkit-box -webkit-inline-box
    -webkit-flex -webkit-inline-flex"""
)
_OUTER, _INNER = words("block inline"), words("flow flow-root table flex grid ruby math list-item")

_FLOWING = words("block inline list-item flow flow-root")


def _is_display(value: str) -> bool:
    parts = value.split()
    return value in _DISPLAY or (
        2 <= len(parts) <= 3 and len({*parts}) == len(parts) and len(_OUTER & {*parts}) <= 1
        and (_OUTER | _INNER).issuperset(parts) and (len(parts) == 2 or "list-item" in parts)
        and ("list-item" not in parts or _FLOWING.issuperset(parts))
    )  # fmt: skip


_OF_ANIMATIONS = ["name", "duration", "delay", "direction", "fill-mode", "play-state", "iteration-count"]

_CHECKS: Mapping[str, Check] = {
    "opacity": is_share,
    "zoom": either(words("normal"), measure(PLAIN, PERCENT, least=0)),
    "font-size": either(
        words("xx-small x-small small medium large x-large xx-large xxx-large smaller larger math"),
        is_positive,
    ),
    "visibility": either(words("visible hidden collapse")),
    "backface-visibility": either(words("visible hidden")),
    "content-visibility": either(words("visible hidden auto")),
    "position": either(words("static relative absolute fixed sticky")),
    "display": _is_display,
    **dict.fromkeys(
        ("color", "-webkit-text-fill-color", "background-color", "-webkit-text-stroke-color"), is_colour
    ),
    **dict.fromkeys(
        [f"{box}{side}" for box in ("", "margin-") for side in ("top", "right", "bottom", "left")],
        either(words("auto"), is_length),
    ),
    **dict.fromkeys(("height", "width"), either(frozenset(_SIZE_WORDS), _is_box_size)),
    **dict.fromkeys(
        ("max-height", "max-width"), either(frozenset(_SIZE_WORDS[1:]) | {"none"}, _is_box_size)
    ),
    **dict.fromkeys(("min-height", "min-width"), either(frozenset(_SIZE_WORDS), _is_box_size)),
    "font-size-adjust": lambda value: value == "none" or is_number(value.split(" ")[-1]),
    "flex-grow": measure(PLAIN, least=0),
    "text-indent": lambda value: is_length(value.replace("each-line", "").replace("hanging", "").strip()),
    "letter-spacing": either(words("normal"), is_length),
    **dict.fromkeys(("overflow-x", "overflow-y"), either(words("visible hidden clip scroll auto overlay"))),
    "filter": is_filter,
    "transform": is_transform,
    "scale": lambda value: value == "none" or are_scales(split_at(value, " ")),
    "translate": lambda value: value == "none" or is_translation(split_at(value, " ")),
    "rotate": is_rotation,
    "clip": is_clip,
    "clip-path": is_clip_path,
    **dict.fromkeys(("mask-image", "background-image"), is_list_of(is_image)),
    "mask-size": is_list_of(_is_layer_size),
    "background-clip": is_list_of(either(words("border-box padding-box content-box text border-area"))),
    "text-shadow": either(words("none"), is_list_of(is_shadow)),
    "-webkit-text-stroke-width": either(words("thin medium thick"), measure(LENGTH, least=0)),
    # `animations.py` reads these as a whole, and only forms that it knows count.
    **dict.fromkeys(
        [f"animation{part}" for part in ("", *(f"-{word}" for word in _OF_ANIMATIONS))], lambda _value: True
    ),
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
