"""The declarations of a rule or of a `style` attribute that say whether text is seen, read as browsers do.

A later value counts only where it is valid: `opacity: 0; opacity: x` is 0. Other names of a property and
short forms of several are written out, so that each property has one value in the end.
"""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from fetcher.web.reading.css.numbers import NUMBER, split_values

LONGEST_VALUE = 2_000
"""Characters of a value in which variables have been replaced."""

Declarations = Mapping[str, str]

_WIDE = r"inherit|initial|unset|revert(?:-layer)?+"
_FUNCTION = r"(?:-webkit-)?(?:calc|min|max|clamp|var|env|abs)\(.*"
_ANYTHING = re.compile(r"[^\udcff]++")
_LENGTH = re.compile(
    rf"{NUMBER}(?:[a-z]++|%)|[-+]?0++(?:\.0++)?|{_FUNCTION}|auto|none|[a-z]{{3,8}}-content|{_WIDE}"
)
_SIZE = re.compile(
    rf"\+?(?:\d++(?:\.\d++)?|\.\d++)(?:e[-+]?\d++)?(?:[a-z]++|%)|[-+]?0++(?:\.0++)?|{_FUNCTION}"
    rf"|(?:x{{1,3}}-)?(?:small|large)|medium|smaller|larger|math|{_WIDE}"
)
_COLOUR = re.compile(
    rf"#(?:[\da-f]{{3,4}}|[\da-f]{{6}}|[\da-f]{{8}})|(?:rgb|hsl)a?\(.*|[a-z]++|{_WIDE}"
    r"|(?:hwb|lab|lch|oklab|oklch|color|color-mix|light-dark|var)\(.*"
)
_SIDES = ("top", "right", "bottom", "left")
_MARGINS = tuple(f"margin-{side}" for side in _SIDES)
_BOX = ("height", "max-height", "width", "max-width")

VALID: Mapping[str, re.Pattern[str]] = {
    "opacity": re.compile(rf"{NUMBER}%?|{_FUNCTION}|{_WIDE}"),
    "zoom": re.compile(rf"{NUMBER}%?|{_FUNCTION}|normal|reset|{_WIDE}"),
    "font-size": _SIZE,
    "visibility": re.compile(rf"visible|hidden|collapse|{_WIDE}|var\(.*"),
    "content-visibility": re.compile(rf"visible|hidden|auto|{_WIDE}|var\(.*"),
    "position": re.compile(rf"static|relative|absolute|fixed|sticky|{_WIDE}|var\(.*"),
    "display": re.compile(
        rf"none|block|inline|flex|grid|table|contents|list-item|flow-root|math|ruby|run-in|-webkit-box|{_WIDE}"
        r"|(?:inline|table|-webkit-inline)-[a-z-]++|(?:block|inline) [a-z ]++|var\(.*"
    ),
    **dict.fromkeys(("color", "-webkit-text-fill-color", "background-color"), _COLOUR),
    **dict.fromkeys((*_SIDES, *_MARGINS, *_BOX, "text-indent", "letter-spacing"), _LENGTH),
    **dict.fromkeys(("overflow-x", "overflow-y"), re.compile(rf"[a-z]++|{_WIDE}|var\(.*")),
    **dict.fromkeys(
        (
            *("filter", "transform", "scale", "rotate", "translate", "clip", "clip-path", "mask-image"),
            *("background-image", "background-clip", "text-shadow", "-webkit-text-stroke"),
            *("animation", "animation-name", "animation-duration", "animation-delay", "animation-direction"),
            *("animation-fill-mode", "animation-play-state", "animation-iteration-count"),
        ),
        _ANYTHING,
    ),
}  # fmt: skip
"""The properties that are looked at, and what their values look like."""

_OTHER_NAMES: Mapping[str, str] = {
    **{
        f"-webkit-{name}": name for name in ("opacity", "filter", "transform", "clip-path", "background-clip")
    },
    "-webkit-animation": "animation",
    "-webkit-mask": "mask",
    "-webkit-mask-image": "mask-image",
    "mask-border": "",
    "word-wrap": "",
    "block-size": "height",
    "inline-size": "width",
    "max-block-size": "max-height",
    "max-inline-size": "max-width",
    "-webkit-logical-height": "height",
    "-webkit-logical-width": "width",
    "inset-inline-start": "left",
    "inset-inline-end": "right",
    "inset-block-start": "top",
    "inset-block-end": "bottom",
    "margin-inline-start": "margin-left",
    "margin-inline-end": "margin-right",
    "margin-block-start": "margin-top",
    "margin-block-end": "margin-bottom",
    "-webkit-margin-start": "margin-left",
    "-webkit-margin-end": "margin-right",
}
"""Names of the same property, and those that follow the direction of writing, which is mostly ours."""
_FONT_SIZE = re.compile(
    rf"(?:^|\s)({NUMBER}(?:[a-z]++|%)|[-+]?0|{_FUNCTION[:-2]}[^()]*+\)|(?:x{{1,3}}-)?(?:small|large)|medium|smaller|larger)(?=\s|/)"
)
_SYSTEM_FONTS = frozenset({"caption", "icon", "menu", "message-box", "small-caption", "status-bar"})
_IMPORTANT = re.compile(r"([^!]*+)!\s*+important\s*+", re.IGNORECASE)
_IMAGE = re.compile(r"url\(|gradient\(|image|cross-fade\(|element\(|paint\(")
_COLOUR_IN = re.compile(
    r"(?:^|\s|,)(#[\da-f]{3,8}(?![\w-])|(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|light-dark|var)\((?:[^()]++|\([^()]*+\))*+\)|[a-z]{3,})"
)
_BACKGROUND_WORDS = frozenset(
    """
    none repeat no-repeat repeat-x repeat-y scroll fixed local border-box padding-box content-box text top
    bottom left right center auto cover contain space round
    """.split()  # noqa: SIM905 - a table of words reads better than a list of strings
)
_VARIABLE = re.compile(r"var\(\s*+(--[^\s,()]++)\s*+(?:,((?:[^()]++|\((?:[^()]++|\([^()]*+\))*+\))*+))?\)")
_IS_WIDE = re.compile(_WIDE)


class Block(NamedTuple):
    """The properties that declarations set; important ones apart."""

    normal: dict[str, str]
    important: dict[str, str]


def read_block(css: str) -> Block:
    """Reads declarations of a text that is `plain`."""
    block = Block({}, {})
    for part in css.split(";"):
        name, colon, value = part.partition(":")
        name, value = name.strip(), value.strip()
        is_own = name[:2] == "--"
        name = name if is_own else name.lower()
        name = _OTHER_NAMES.get(name, name)
        if not colon or not (is_own or name in VALID or name in _SHORT_FORMS):
            continue
        into = block.normal
        if "!" in value:
            if not (found := _IMPORTANT.fullmatch(value)):
                continue
            value, into = found[1].rstrip(), block.important
        into |= {name: value} if is_own else _written_out(name, " ".join(value.split()))
    return block


def resolved(declared: Declarations, variable: Callable[[str], str | None]) -> Declarations:
    """Declarations with the variables in their values replaced; what then is not valid sets nothing."""
    if not any("var(" in value for value in declared.values()):
        return declared
    found: dict[str, str] = {}
    for name, value in declared.items():
        if "var(" in value and name[:2] != "--":
            found |= _written_out(name, " ".join(replaced(value, variable).split()))
        elif name[:2] != "--":
            found[name] = value
    return found


def replaced(value: str, variable: Callable[[str], str | None]) -> str:
    def known(found: re.Match[str]) -> str:
        given = variable(found[1])
        return (found[2] or "" if given is None else given).strip()

    for _ in range(8):
        if "var(" not in value or len(value) > LONGEST_VALUE:
            break
        value = _VARIABLE.sub(known, value)
    return value


def _written_out(name: str, value: str) -> dict[str, str]:
    """The valid values of the properties that one declaration sets."""
    if "--" not in value:
        value = value.lower()
    if name not in _SHORT_FORMS:
        return {name: value} if VALID[name].fullmatch(value) else {}
    if "var(" in value:
        return {name: value}
    if _IS_WIDE.fullmatch(value):
        return dict.fromkeys(_PARTS[name], value)
    return {each: one for each, one in _SHORT_FORMS[name](value).items() if VALID[each].fullmatch(one)}


def _sides(names: tuple[str, ...]) -> Callable[[str], dict[str, str]]:
    def parted(value: str) -> dict[str, str]:
        values = split_values(value)
        if not 0 < len(values) <= len(names):
            return {}
        if len(names) == 4:
            values = [*values, *(values[at] for at in ((0, 0, 0), (0, 1), (1,), ())[len(values) - 1])]
        else:
            values = [*values, *values][:2]
        valid = all(map(_LENGTH.fullmatch, values))
        return dict(zip(names, values, strict=True)) if valid else {}

    return parted


def _overflow(value: str) -> dict[str, str]:
    first, _, second = value.partition(" ")
    return {"overflow-x": first, "overflow-y": second or first}


def _font(value: str) -> dict[str, str]:
    if value in _SYSTEM_FONTS:
        return {"font-size": "medium"}
    return {"font-size": found[1]} if (found := _FONT_SIZE.search(value)) else {}


def _background(value: str) -> dict[str, str]:
    colours = [each for each in _COLOUR_IN.findall(value) if each not in _BACKGROUND_WORDS]
    return {
        "background-color": colours[-1] if colours and not _IMAGE.search(colours[-1]) else "transparent",
        "background-image": value if _IMAGE.search(value) else "none",
        "background-clip": "text" if "text" in value.split() else "border-box",
    }


_SHORT_FORMS: Mapping[str, Callable[[str], dict[str, str]]] = {
    "inset": _sides(_SIDES),
    "inset-inline": _sides(("left", "right")),
    "inset-block": _sides(("top", "bottom")),
    "margin": _sides(_MARGINS),
    "margin-inline": _sides(("margin-left", "margin-right")),
    "margin-block": _sides(("margin-top", "margin-bottom")),
    "overflow": _overflow,
    "font": _font,
    "background": _background,
    "mask": lambda value: {"mask-image": value},
}
_PARTS: Mapping[str, tuple[str, ...]] = {
    "inset": _SIDES,
    "inset-inline": ("left", "right"),
    "inset-block": ("top", "bottom"),
    "margin": _MARGINS,
    "margin-inline": ("margin-left", "margin-right"),
    "margin-block": ("margin-top", "margin-bottom"),
    "overflow": ("overflow-x", "overflow-y"),
    "font": ("font-size",),
    "background": ("background-color", "background-image", "background-clip"),
    "mask": ("mask-image",),
}
