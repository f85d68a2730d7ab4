"""Short forms of CSS, which set several properties at once: `margin`, `font`, `background` and others."""

import re
from collections.abc import Callable, Mapping

from fetcher.web.reading.css.values.colours import is_colour
from fetcher.web.reading.css.values.images import is_image
from fetcher.web.reading.css.values.numbers import share, split_at
from fetcher.web.reading.css.values.valid_shapes import is_place
from fetcher.web.reading.css.values.valid_values import LONGEST, WIDE, is_valid

_SIDES = ("top", "right", "bottom", "left")
_MARGINS = tuple(f"margin-{side}" for side in _SIDES)
_SYSTEM_FONTS = frozenset({"caption", "icon", "menu", "message-box", "small-caption", "status-bar"})
_BEFORE_SIZE = re.compile(
    r"(normal)|(italic|oblique)|(small-caps)|(bold|bolder|lighter|[1-9]\d{0,2}(?:\.\d++)?|1000)"
    r"|((?:(?:ultra|extra|semi)-)?(?:condensed|expanded))|(-?\d++(?:\.\d++)?deg)"
)
_FAMILY = re.compile(r'\s*+(?:"\d++"|[a-z_\u0080-\U0010ffff-][\w\u0080-\U0010ffff -]*+)\s*+')
_REPEATS = frozenset({"repeat", "no-repeat", "repeat-x", "repeat-y", "space", "round"})
_BOXES = frozenset({"border-box", "padding-box", "content-box"})
_PLACES = frozenset({"left", "right", "top", "bottom", "center"})
_OF_BACKGROUNDS = {**dict.fromkeys(("scroll", "fixed", "local"), 1), **dict.fromkeys((*_BOXES, "text"), 2)}
_OF_MASKS = {
    **dict.fromkeys(("alpha", "luminance", "match-source"), 1),
    **dict.fromkeys((*_BOXES, "fill-box", "stroke-box", "view-box", "no-clip", "text"), 2),
    **dict.fromkeys(("add", "subtract", "intersect", "exclude"), 3),
}
"""The words of a layer, by their kinds."""
_Set = dict[str, str]


def _sides(*names: str) -> Callable[[str], _Set]:
    def parted(value: str) -> _Set:
        values = split_at(value, " ")
        if not 0 < len(values) <= len(names):
            return {}
        if len(names) == 4:
            values += (values[at] for at in ((0, 0, 0), (0, 1), (1,), ())[len(values) - 1])
        else:
            values = [*values, *values][:2]
        return dict(zip(names, values, strict=True))

    return parted


def _font(value: str) -> _Set:
    if value in _SYSTEM_FONTS:
        return {"font-size": "medium"}
    words = split_at(value.replace(" /", "/").replace("/ ", "/"), " ")
    at, kinds = 0, list[int]()
    while at < len(words) and (before := _BEFORE_SIZE.fullmatch(words[at])):
        kinds.append(before.lastindex or 0)
        at += 1
    size, slash, height = (words[at] if at < len(words) else "").partition("/")
    if "(" in size:
        size, slash, height = (*split_at(words[at], "/"), "", "")[:3]
        slash, height = ("/", slash) if slash else ("", "")
    families = " ".join(words[at + 1 :]).split(",")
    once = [kind for kind in kinds if kind > 1]
    if len({*once}) < len(once) or at - (6 in once) > 4 or (slash and not height):
        return {}
    if not all(map(_FAMILY.fullmatch, families)) or families[0] in WIDE:
        return {}
    if height and not is_valid("font-size", height) and height != "normal" and share(height) is None:
        return {}
    return {"font-size": size}


class _Layer:
    """What one layer of a background or a mask says; not valid where a part is unknown or there twice."""

    def __init__(self, layer: str, words: Mapping[str, int], *, may_have_colour: bool) -> None:
        self.colour, self.image, self.size, self.boxes = "", "", "", list[str]()
        self.is_valid = True
        counts, places, repeats = dict[int, int](), list[str](), 0
        first, *later = split_at(layer, "/")
        parts = split_at(first, " ")
        if later:
            after = split_at(later[0], " ")
            most = next((at for at, part in enumerate(after[:2]) if not is_valid("mask-size", part)), 2)
            self.size, parts = " ".join(after[:most]), [*parts, *after[most:]]
            self.is_valid = len(later) == 1 and is_valid("mask-size", self.size)
        for part in parts:
            if part in words:
                counts[words[part]] = counts.get(words[part], 0) + 1
                self.boxes += [part] if words[part] == 2 else []
            elif part in _REPEATS:
                repeats += 1
            elif part in _PLACES or is_valid("text-indent", part):
                places.append(part)
            elif not self.image and is_image(part):
                self.image = part
            elif may_have_colour and not self.colour and is_colour(part):
                self.colour = part
            else:
                self.is_valid = False
        if counts.get(1, 0) > 1 or counts.get(2, 0) > 2 or counts.get(3, 0) > 1 or repeats > 2:
            self.is_valid = False
        if (places and not is_place(places)) or not parts or (later and not places):
            self.is_valid = False


def _background(value: str) -> _Set:
    given = split_at(value, ",")
    last = len(given) - 1
    layers = [_Layer(each, _OF_BACKGROUNDS, may_have_colour=at == last) for at, each in enumerate(given)]
    if not all(layer.is_valid for layer in layers):
        return {}
    return {
        "background-color": layers[-1].colour or "transparent",
        "background-image": ", ".join(layer.image or "none" for layer in layers),
        "background-clip": ", ".join(layer.boxes[-1] if layer.boxes else "border-box" for layer in layers),
    }


def _mask(value: str) -> _Set:
    layers = [_Layer(each, _OF_MASKS, may_have_colour=False) for each in split_at(value, ",")]
    if not all(layer.is_valid for layer in layers):
        return {}
    return {
        "mask-image": ", ".join(layer.image or "none" for layer in layers),
        "mask-size": ", ".join(layer.size or "auto" for layer in layers),
    }


def _stroke(value: str) -> _Set:
    parts = split_at(value, " ")
    widths = [part for part in parts if is_valid("-webkit-text-stroke-width", part)]
    colours = [part for part in parts if part not in widths]
    if len(widths) > 1 or len(colours) > 1 or not parts:
        return {}
    return {
        "-webkit-text-stroke-width": widths[0] if widths else "0",
        "-webkit-text-stroke-color": colours[0] if colours else "currentcolor",
    }


def _flex(value: str) -> _Set:
    first = value.split(" ")[0]
    return {
        "flex-grow": "0"
        if value == "none"
        else first
        if share(first) is not None and "%" not in first
        else "1"
    }


_FORMS: Mapping[str, tuple[tuple[str, ...], Callable[[str], _Set]]] = {
    name: (parts, _sides(*parts))
    for name, parts in {
        "inset": _SIDES,
        "inset-inline": ("left", "right"),
        "inset-block": ("top", "bottom"),
        "margin": _MARGINS,
        "margin-inline": ("margin-left", "margin-right"),
        "margin-block": ("margin-top", "margin-bottom"),
        "overflow": ("overflow-x", "overflow-y"),
    }.items()
} | {
    "font": (("font-size",), _font),
    "background": (("background-color", "background-image", "background-clip"), _background),
    "mask": (("mask-image", "mask-size"), _mask),
    "flex": (("flex-grow",), _flex),
    "-webkit-text-stroke": (("-webkit-text-stroke-width", "-webkit-text-stroke-color"), _stroke),
}
SHORT_FORMS = frozenset(_FORMS)


def written_out(name: str, value: str) -> dict[str, str]:
    """The properties that a short form sets; none where it is not valid."""
    parts, read = _FORMS[name]
    if value in WIDE:
        return dict.fromkeys(parts, value)
    found = read(value) if len(value) <= LONGEST else {}
    return found if all(is_valid(*each) for each in found.items()) else {}
