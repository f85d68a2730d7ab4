"""The text of a style sheet or a `style` attribute, made plain enough to be split at its signs.

Browsers read CSS by tokens (CSS Syntax Level 3): a sign in a string, in a comment, in an address, behind a
backslash or in brackets means nothing. `plain` takes comments out, puts numbers instead of strings and
other characters instead of the signs that mean nothing. Then `{`, `}` and `;` part rules and declarations
wherever they stand. The other characters are lone surrogates: no page can contain one.
"""

import re
from typing import NamedTuple

_COMMENT = r"\*(?>[^*]++|\*(?!/))*+(?:\*/|\Z)"
_IN_STRING = r"\\(?:\r\n|[\s\S]|\Z)"
_SPECIAL = re.compile(
    rf"""["'/\\uU](?:
    (?<=/)(?P<comments>{_COMMENT}(?>/{_COMMENT})*+)
    | (?<=")(?P<double>(?>[^"\\\n\r\f]++|{_IN_STRING})*+)(?P<closed>"|\Z)?+
    | (?<=')(?P<single>(?>[^'\\\n\r\f]++|{_IN_STRING})*+)(?P<shut>'|\Z)?+
    | (?<=[uU])(?P<url>[rR][lL]\((?!\s*+["'])(?:[^)\\]++|\\[\s\S])*+\)?)
    | (?<=\\)(?:(?P<hex>[\da-fA-F]{{1,6}})(?:\r\n|[ \t\n\r\f])?|(?P<character>[^\n\r\f\da-fA-F]))
    )""",
    re.VERBOSE,
)
"""It begins with a set of characters: such patterns are searched for quickly."""
_ESCAPE = re.compile(r"\\(?:(?P<hex>[\da-fA-F]{1,6})(?:\r\n|\s)?|(?:\r\n|\n)|(?P<character>[\s\S]))")
_BAD_URL = re.compile(r"""[("'\s](?:(?<=\S)|(?<=\S\s)\s*+[^\s)])""")
_INNER = r"[^()\[\]{};]++"
_ONE = rf"(?:\((?:{_INNER})?+\)|\[(?:{_INNER})?+\])"
_TWO = rf"(?:\((?>{_INNER}|{_ONE})*+\)|\[(?>{_INNER}|{_ONE})*+\])"
_THREE = rf"(?:\((?>{_INNER}|{_TWO})*+\)|\[(?>{_INNER}|{_TWO})*+\])"
_BALANCED = re.compile(rf"(?>[^()\[\]]++|{_THREE})*+")
_SIGNS = re.compile(r"[()\[\]{};]")
_CLOSING = {"(": ")", "[": "]", "{": "}"}

_WRONG = "\udcff"
"""Stands for what makes the declaration or the selector around it invalid."""
_HIDDEN = 0xDC00
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-")
_SHOWN = {_HIDDEN + code: code for code in range(128)}


class Plain(NamedTuple):
    """A text without comments, and the strings whose numbers stand in it between quotes."""

    css: str
    strings: list[str]


def plain(css: str) -> Plain:
    strings: list[str] = []

    def replaced(found: re.Match[str]) -> str:
        match found.lastgroup:
            case "comments":
                beside = css[found.start() - 1 : found.start()], css[found.end() : found.end() + 1]
                return " " if all(each.isalnum() or each in ("_", "-", "%") for each in beside) else ""
            case "closed" | "shut":
                strings.append(found[0])
                return f'"{len(strings) - 1}"'
            case "url":
                inner = found["url"][3:].rstrip(")").strip()
                return _WRONG if _BAD_URL.search(inner) else "url()"
            case "hex" | "character":
                character = _unescaped(found)
                is_plain = character in _LETTERS or character > "\x7f" or not character
                return character if is_plain else chr(_HIDDEN + ord(character))
        return _WRONG  # a string that ends with its line

    if '"' in css or "'" in css or "\\" in css or "/*" in css or "(" in css:
        css = _SPECIAL.sub(replaced, css)
    if not _BALANCED.fullmatch(css):
        css = _signs_in_brackets_hidden(css)
    return Plain(css, strings)


def lowered(css: str) -> str:
    """The same with its Latin letters in lower case, and as long as before."""
    return (
        css.lower()
        if css.isascii()
        else css.encode(errors="surrogatepass").lower().decode(errors="surrogatepass")
    )


def name(text: str) -> str:
    """A name of which `plain` has hidden escaped characters, as it stands in the page."""
    return text if text.isascii() else text.translate(_SHOWN)


def string(quoted: str) -> str:
    """What a string of CSS says."""
    return _ESCAPE.sub(_unescaped, quoted[1:].removesuffix(quoted[0]))


def _unescaped(found: re.Match[str]) -> str:
    if found["hex"]:
        code = int(found["hex"], 16)
        return "\ufffd" if not code or 0xD800 <= code < 0xE000 or code > 0x10FFFF else chr(code)
    return found["character"] or ""


def _signs_in_brackets_hidden(css: str) -> str:
    """What stands in round or square brackets that are not closed where they should be ends nothing."""
    parts, at, open_ = list[str](), 0, list[str]()
    for sign in _SIGNS.finditer(css):
        found, inside = sign[0], bool(open_)
        if inside and found == open_[-1]:
            open_.pop()
        elif found in "([" or (inside and found == "{"):
            open_.append(_CLOSING[found])
        if inside and found in "{};":
            parts += (css[at : sign.start()], chr(_HIDDEN + ord(found)))
            at = sign.end()
    return "".join((*parts, css[at:]))
