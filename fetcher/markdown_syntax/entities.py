"""HTML entities in Markdown, as CommonMark has them: with a semicolon, by their whole name, decoded once.

`html.unescape` also accepts what browsers tolerate: it reads `&region=jp` as a registered trade mark.
"""

import re
from html.entities import html5

ENTITY = r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
"""The pattern of an entity."""
_ENTITY = re.compile(ENTITY)


def decoded(text: str) -> str:
    """The text with every entity as the character that it names; unknown names stay."""
    return _ENTITY.sub(character, text) if "&" in text else text


def has_entity(text: str) -> bool:
    return decoded(text) != text


def character(entity: re.Match[str]) -> str:
    """The character that an entity stands for."""
    name = entity[0][1:-1]
    if name[0] != "#":
        return html5.get(f"{name};", entity[0])
    number = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
    is_character = 0 < number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF
    return chr(number) if is_character else "\ufffd"
