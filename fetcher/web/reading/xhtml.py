"""XHTML rewritten for a parser of HTML.

A page that is served as `application/xhtml+xml` is XML to browsers, and `<script src="x"/>` is a whole
element. A parser of HTML ignores the slash: the rest of the page would belong to the script.
"""

import re

_VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()  # noqa: SIM905 - a table
)
_SELF_CLOSED = re.compile(r"""<([A-Za-z][\w:.-]*+)((?>[^<>"'/]++|"[^"]*"|'[^']*'|/(?!>))*+)/>""")


def as_html(text: str) -> str:
    """The same page, with an end tag for every element that closes itself and may have content in HTML."""

    def closed(tag: re.Match[str]) -> str:
        name, attributes = tag.groups()
        return tag[0] if name.lower() in _VOID else f"<{name}{attributes}></{name}>"

    return _SELF_CLOSED.sub(closed, text)
