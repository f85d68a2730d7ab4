"""The declarations of a rule or of a `style` attribute that say whether text is seen, read as browsers do.

A later value counts only where it is valid: `opacity: 0; opacity: x` is 0. Other names of a property and
short forms of several are written out, so that each property has one value in the end.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from fetcher.web.reading.css.values.short_forms import SHORT_FORMS, written_out
from fetcher.web.reading.css.values.valid_values import PROPERTIES, is_valid

LONGEST_VALUE = 2_000
"""Characters of a value in which variables have been replaced."""

_LONGEST_KEPT = 60
"""Characters of a value that is read once: rules of all pages have the same short ones."""
_MOST_STEPS = 50
"""Variables that are made of one another."""

Declarations = Mapping[str, str]

_OTHER_NAMES: Mapping[str, str] = {
    **{
        f"-webkit-{name}": name
        for name in (
            "opacity",
            "filter",
            "transform",
            "clip-path",
            "background-clip",
            "mask-size",
            "backface-visibility",
        )
    },
    "-webkit-animation": "animation",
    "-webkit-mask": "mask",
    "-webkit-mask-image": "mask-image",
    "mask-border": "",
    "word-wrap": "",
    "block-size": "height",
    "inline-size": "width",
    "min-block-size": "min-height",
    "min-inline-size": "min-width",
    "-webkit-flex": "flex",
    "-webkit-flex-grow": "flex-grow",
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
_IMPORTANT = re.compile(r"([^!]*+)!\s*+important\s*+", re.IGNORECASE)
_VARIABLE = re.compile(
    r"var\(\s*+(--[^\s,()]++)\s*+(?:,((?>[^()]++|\((?>[^()]++|\([^()]*+\))*+\))*+))?\)?+", re.IGNORECASE
)
_NAME_OR_LETTERS = re.compile(r"--[^\s,()]++|[A-Z]++")


class Block(NamedTuple):
    """The properties that declarations set; important ones apart."""

    normal: dict[str, str]
    important: dict[str, str]


def read_block(css: str) -> Block:
    """Reads declarations of a text that is `plain`."""
    block = Block({}, {})
    for part in css.split(";"):
        name, colon, value = part.partition(":")
        name = name.strip()
        is_own = name[:2] == "--"
        name = name if is_own else name.lower()
        name = _OTHER_NAMES.get(name, name)
        if not colon or not (is_own or name in PROPERTIES or name in SHORT_FORMS):
            continue
        value, into = value.strip(), block.normal
        if "!" in value:
            if not (found := _IMPORTANT.fullmatch(value)):
                continue
            value, into = found[1].rstrip(), block.important
        into |= {name: value} if is_own else _properties(name, " ".join(value.split()))
    return block


def resolved(declared: Declarations, variable: Callable[[str], str | None]) -> Declarations:
    """Declarations with the variables in their values replaced; what then is not valid sets nothing."""
    if not any("var(" in value for value in declared.values()):
        return declared
    found: dict[str, str] = {}
    for name, value in declared.items():
        if "var(" in value and name[:2] != "--":
            found |= _properties(name, " ".join(replaced(value, variable).split()))
        elif name[:2] != "--":
            found[name] = value
    return found


def replaced(value: str, variable: Callable[[str], str | None]) -> str:
    def known(found: re.Match[str]) -> str:
        given = variable(found[1])
        return (found[2] or "" if given is None else given).strip()

    for _ in range(_MOST_STEPS):
        if "var(" not in value or len(value) > LONGEST_VALUE:
            break
        value = _VARIABLE.sub(known, value)
    return value


def _properties(name: str, value: str) -> Declarations:
    """The valid values of the properties that one declaration sets."""
    return _read_properties(name, value) if len(value) > _LONGEST_KEPT else _known_properties(name, value)


def _read_properties(name: str, value: str) -> Declarations:
    if "--" in value:  # names of variables keep their capital letters
        value = _NAME_OR_LETTERS.sub(
            lambda found: found[0] if found[0].startswith("--") else found[0].lower(), value
        )
    else:
        value = value.lower()
    if name not in SHORT_FORMS:
        return {name: value} if is_valid(name, value) else {}
    return {name: value} if "var(" in value else written_out(name, value)


_known_properties = lru_cache(4096)(_read_properties)
