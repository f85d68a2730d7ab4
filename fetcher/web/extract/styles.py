"""Declarations of CSS as far as they say whether text is seen, read as a browser reads them.

A later value counts only where it is valid: `opacity: 0; opacity: x` is 0. Comments, escapes and case are
undone first, because `\\6f pacity` is the same property.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

LONGEST_VALUE = 200
"""Characters of a value that are looked at."""

Declarations = Mapping[str, str]

_COMMENT = re.compile(r"/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)")
_ESCAPE = re.compile(r"\\(?:(0{0,4}[2-7][0-9a-f])(?![0-9a-f])\s?|([g-z-]))", re.IGNORECASE)
"""Escaped characters of ASCII: no other ones stand in the names of properties."""
_VARIABLE = re.compile(r"var\(\s*+(--[\w-]++)\s*+(?:,([^()]*+))?\)")
_CALCULATED = re.compile(r"calc\(\s*+([-+]?[\d.]++)([a-z]*+|%)\s*+(?:([*/])\s*+([-+]?[\d.]++)\s*+)?\)")
_NUMBER = r"[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:e[-+]?\d++)?"
LENGTH = re.compile(rf"({_NUMBER})([a-z]*+|%)")

PIXELS: Mapping[str, float] = {
    "": 1,
    "px": 1,
    "pt": 1.3,
    "pc": 16,
    "in": 96,
    "cm": 38,
    "mm": 4,
    "q": 1,
    "em": 16,
    "rem": 16,
    "ex": 8,
    "ch": 8,
    "lh": 19,
    "rlh": 19,
    **dict.fromkeys(
        ("%", "vw", "vh", "vmin", "vmax", "svh", "lvh", "dvh", "svw", "lvw", "dvw", "vi", "vb"), 9
    ),
}
"""About so many pixels are one of each unit."""

_ANYTHING = re.compile("")
_FUNCTION = r"(?:calc|min|max|clamp|var|env)\("
_WIDE = r"inherit|initial|unset|revert(?:-layer)?+"
_LENGTHS = re.compile(
    rf"(?:(?:(?:{_NUMBER})(?:[a-z]++|%)|[-+]?0|{_FUNCTION}.*|auto|none|{_WIDE})(?:\s++|$))++"
)
_SIZES = re.compile(
    rf"(?:{_NUMBER})(?:[a-z]++|%)|0|{_FUNCTION}.*|(?:x{{1,3}}-|x-)?(?:small|large)|medium|smaller|larger|{_WIDE}"
)
_COLOURS = re.compile(
    r"#[\da-f]{3,8}|(?:rgb|hsl)a?\(.*|(?:hwb|lab|lch|oklab|oklch|color|color-mix|light-dark|var)\(.*|[a-z]++"
)

VALID: Mapping[str, re.Pattern[str]] = {
    "opacity": re.compile(rf"(?:{_NUMBER})%?|{_FUNCTION}.*|{_WIDE}"),
    "font-size": _SIZES,
    "visibility": re.compile(rf"visible|hidden|collapse|{_WIDE}|var\(.*"),
    "display": re.compile(
        rf"none|block|inline|flex|grid|table|contents|list-item|flow-root|ruby|run-in|-webkit-box|{_WIDE}"
        r"|(?:inline|table)-[a-z-]++|var\(.*"
    ),
    "color": _COLOURS,
    "-webkit-text-fill-color": _COLOURS,
    "background-color": _COLOURS,
    **dict.fromkeys(
        (
            *("top", "right", "bottom", "left", "inset", "inset-inline-start", "inset-block-start"),
            *("margin", "margin-left", "margin-top", "margin-right", "margin-inline-start", "text-indent"),
            *("height", "max-height", "width", "max-width", "block-size", "inline-size", "translate"),
        ),
        _LENGTHS,
    ),
    **dict.fromkeys(
        (
            *("font", "filter", "transform", "-webkit-transform", "scale", "clip", "clip-path"),
            *("-webkit-clip-path", "overflow", "overflow-x", "overflow-y", "position", "content-visibility"),
            *("background", "background-image", "background-clip", "-webkit-background-clip"),
            *("animation", "animation-name"),
        ),
        _ANYTHING,
    ),
}
"""The properties that are looked at, and what their values look like."""


class Block(NamedTuple):
    """The properties that declarations set, in lower case; important ones apart."""

    normal: dict[str, str]
    important: dict[str, str]


def plain(css: str) -> str:
    """Declarations or rules in lower case, without comments and without needless escapes."""
    if "/*" in css:
        css = _COMMENT.sub(" ", css)
    if "\\" in css:
        css = _ESCAPE.sub(_unescaped, css)
    return css.lower()


def _unescaped(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else found[2]


def read_block(css: str) -> Block:
    """Reads declarations that are `plain` already."""
    block = Block({}, {})
    for part in css.split(";"):
        name, colon, value = part.partition(":")
        name = name.strip()
        if not colon or (name not in VALID and name[:2] != "--"):
            continue
        value, mark, _ = value.partition("!")
        value, into = value.strip()[:LONGEST_VALUE], block.important if mark else block.normal
        if name not in into or name not in VALID or VALID[name].fullmatch(value):
            into[name] = value
    return block


def resolved(declared: Declarations, variables: Mapping[str, str]) -> Declarations:
    """Declarations with the variables and the simplest calculations in their values replaced."""
    if not any("(" in value for value in declared.values()):
        return declared
    return {name: _resolved(value, declared, variables) for name, value in declared.items()}


def _resolved(value: str, declared: Declarations, variables: Mapping[str, str]) -> str:
    def known(found: re.Match[str]) -> str:
        return (declared.get(found[1]) or variables.get(found[1]) or found[2] or "").strip()

    for _ in range(2 if "var(" in value else 0):
        value = _VARIABLE.sub(known, value)[:LONGEST_VALUE]
    return _CALCULATED.sub(_calculated, value) if "calc(" in value else value


def _calculated(found: re.Match[str]) -> str:
    try:
        number, by = float(found[1]), float(found[4] or 1)
        return f"{number * by if found[3] == '*' else number / by:g}{found[2]}"
    except (ValueError, ZeroDivisionError):
        return found[0]


def pixels(value: str) -> float | None:
    """A length in about so many pixels; None for what is none."""
    found = LENGTH.fullmatch(value)
    return float(found[1]) * PIXELS[found[2]] if found and found[2] in PIXELS else None
