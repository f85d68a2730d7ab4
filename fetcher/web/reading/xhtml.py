"""XHTML written so that a parser of HTML understands it.

Served as `application/xhtml+xml`, a page is XML to browsers, and `<script src="x"/>` has ended. To a
parser of HTML the slash says nothing: the rest of the page would be the script's.
"""

import re

_VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()  # noqa: SIM905 - a table
)
_SELF_CLOSED = re.compile(r"""<([A-Za-z][\w:.-]*+)((?:[^<>"'/]|"[^"]*"|'[^']*'|/(?!>))*+)/>""")


def as_html(text: str) -> str:
    """The same page, with an end tag for every element that closes itself and may have content in HTML."""
    return _SELF_CLOSED.sub(_closed, text)


def _closed(tag: re.Match[str]) -> str:
    name, attributes = tag.groups()
    return tag[0] if name.lower() in _VOID else f"<{name}{attributes}></{name}>"
