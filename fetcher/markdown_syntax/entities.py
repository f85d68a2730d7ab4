"""HTML entities in Markdown, as CommonMark has them: with a semicolon, by their whole name, decoded once.

`html.unescape` also accepts what browsers tolerate: it reads `&region=jp` as a registered trade mark.
"""

import re
from html.entities import html5

_ENTITY = re.compile(
    r"&(?:#(?P<decimal>[0-9]{1,7})|#[xX](?P<hex>[0-9a-fA-F]{1,6})|(?P<name>[A-Za-z][A-Za-z0-9]{1,31}));"
)


def decoded(text: str) -> str:
    """The text with every entity as the character that it names; unknown names stay."""
    return _ENTITY.sub(character, text) if "&" in text else text


def has_entity(text: str) -> bool:
    return decoded(text) != text


def character(entity: re.Match[str]) -> str:
    """The character that an entity stands for."""
    if entity["name"]:
        return html5.get(f"{entity['name']};", entity[0])
    number = int(entity["decimal"]) if entity["decimal"] else int(entity["hex"], 16)
    is_character = 0 < number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF
    return chr(number) if is_character else "\ufffd"
