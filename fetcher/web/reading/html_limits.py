"""Makes hostile HTML harmless before it is parsed, in time linear in its length (decision E21).

Parsing is linear for pages that people make, and quadratic or worse in three things that an
attacker chooses: the attributes of one tag, the depth of nesting, and formatting elements left
open across blocks, each of which the parser opens anew in every block that follows.

`tame` first asks, at the speed of `bytes.count` and one regular expression, whether a page could
hold enough of any of them to matter. Almost no page could, and is returned as it is. The others
are written anew: tags are copied as they stand where they are sound, and properly nested, so that
what the parser sees is known; comments and raw text, where a page's author and a parser could
disagree about what is a tag, are left out.
"""

import re
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from math import isqrt

from fetcher.web.errors import ExtractionFailed

MAX_TAGS = 160_000
"""More than this cannot be read in the time; a page of 5 MB with so many holds hardly any text."""

HARMLESS_TAGS = 16_000
"""So few tags cannot nest deeply enough to hurt."""

MAX_ATTRIBUTES = 256
"""So many in every tag do not hurt."""
MAX_COMPARED = 16_000_000
"""How often the parser may have to compare an attribute with another, in tags that have more."""

MAX_DEPTH = 512
"""The depth at which browsers stop nesting, too."""

HARMLESS_REOPENED = 450_000
"""So many formatting elements to open anew at the very worst never come to half of it."""
MAX_REOPENED = 75_000
"""How many formatting elements the parser may have to open anew in all."""


def _words(text: str) -> frozenset[bytes]:
    return frozenset(text.encode().split())


_S = r" \t\n\f\r"
"""What parts names and values in HTML: no vertical tabs, which are white space to `\\s`."""
_ATTRIBUTE = (
    rf"""[{_S}/]*+=?+[^{_S}/>=]++(?:[{_S}]*+=[{_S}]*+(?:"[^"]*+"|'[^']*+'|[^{_S}"'>][^{_S}>]*+)?+)?+"""
)
_ONE_ATTRIBUTE = re.compile(_ATTRIBUTE.encode())
_TOO_MANY = f"{MAX_ATTRIBUTES + 1},{isqrt(MAX_COMPARED) + 1}"
_MANY_ATTRIBUTES = re.compile(
    rf"<(?=[a-zA-Z][^{_S}/><]*+(?=[{_S}/])((?:{_ATTRIBUTE}){{{_TOO_MANY}}}+))".encode()
)
"""Looks ahead only: what a script compares (`i<n`) can look like a tag that hides a real one.

It looks no further than it must: so many attributes are too many by themselves. A name with a `<` in it is
looked at from that `<` on, lest a run of such names be read again from each of them.
"""
_ATTRIBUTES = re.compile(rf"(?:{_ATTRIBUTE}){{0,{MAX_ATTRIBUTES}}}+".encode())

_FORMATTING = _words("a b big code em font i nobr s small strike strong tt u")
_LIKE_FORMATTING = re.compile(rb"<[bcefinstuBCEFINSTU][imotIMOT\s/>][^>]{0,200}+")
"""The formatting elements (links apart, which never nest) and a few others, found at a glance."""
_FORMATTING_NAME = (
    rb"<(?=[bcefinstu][imot\s/>])"  # at a glance, too
    rb"(b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>]|\Z)"
)
_IS_FORMATTING = re.compile(_FORMATTING_NAME, re.IGNORECASE)
_OPEN_FORMATTING = re.compile(
    _FORMATTING_NAME + rb"""(?!(?:\s++[\w:-]++(?:="[^"]*+")?+)*+>[^<]*+</\1>)[^>]{0,200}+""",
    re.IGNORECASE,
)
"""A formatting element, unless it is sound and closed before another begins."""
_TAG_START = re.compile(rb"<[a-zA-Z/!?]")

_VOID = _words("area base br col embed hr img input link meta param source track wbr")
_RAW = _words("script style iframe noembed noframes xmp template svg video audio canvas")
"""What is left out with its content: raw text, and what no reader of the page sees."""
_PLAIN = _words("title textarea")
_ONCE = _words("html head body plaintext")
_CELLS = _words("td th caption")
_SCOPES = frozenset({b"table", *_CELLS})
"""An end tag does not reach out of these, unless it is a table's own."""
_REACH = {b"table": 3, **dict.fromkeys(_words("tr tbody thead tfoot") | _CELLS, 2)}
"""How many scopes a table's own end tags reach."""

_IMPLIED_ENDS: dict[bytes, frozenset[bytes]] = {
    b"li": _words("li"),
    **dict.fromkeys(_words("dt dd"), _words("dt dd")),
    **dict.fromkeys(_words("td th"), _words("td th")),
    **dict.fromkeys(_words("tr tbody thead tfoot"), _words("td th tr")),
    **dict.fromkeys(_words("option optgroup"), _words("option")),
    **dict.fromkeys(
        _words("p div ul ol dl table section article h1 h2 h3 h4 h5 h6 pre blockquote form hr header footer"),
        _words("p"),
    ),
}
"""The open elements that a start tag closes without saying so."""

_TOKEN = re.compile(
    rf"""
    <!--(?:>|->|.*?(?:--!?>|\Z))                    # a comment, or one without an end
    | <(?:[!?]|/(?![a-zA-Z]))[^>]*+>?+              # a declaration, or what browsers take for a comment
    | </(?P<end>[a-zA-Z][^{_S}/>]*+)[^>]*+>?+
    | <(?P<start>[a-zA-Z][^{_S}/>]*+)(?P<attributes>(?:{_ATTRIBUTE})*+)[{_S}/]*+(?P<closed>>?+)
    """.encode(),
    re.DOTALL | re.VERBOSE,
)


def limited_html(html: bytes) -> bytes:
    """The same page for a reader, safe to parse; raises `ExtractionFailed` when it has too many tags."""
    tags = html.count(b"<")
    if tags > MAX_TAGS and next(islice(_TAG_START.finditer(html), MAX_TAGS, None), None):
        raise ExtractionFailed(error=f"more than {MAX_TAGS} tags")
    return html if _is_harmless(html, tags) else _Rewriting(html).text()


def _is_harmless(html: bytes, tags: int) -> bool:
    return tags <= HARMLESS_TAGS and not _reopens_much(html, tags) and not _compares_much(html)


def _reopens_much(html: bytes, tags: int) -> bool:
    """Whether the parser could have to open formatting elements anew too often; asked ever more exactly."""
    at_once = HARMLESS_REOPENED // max(tags, 1)
    if tags <= at_once:
        return False
    alike = _LIKE_FORMATTING.findall(html)
    if _open_at_once(alike) <= at_once or _open_at_once(filter(_IS_FORMATTING.match, alike)) <= at_once:
        return False
    blocks = tags - html.count(b"</")  # elements are opened anew once for each block that was open
    return blocks * _open_at_once(tag[0] for tag in _OPEN_FORMATTING.finditer(html)) > HARMLESS_REOPENED


def _open_at_once(tags: Iterable[bytes]) -> int:
    """How many of these can be open together: a parser keeps three that are alike."""
    counts = Counter(tags)
    return 3 * sum(count if len(tag) >= 200 else 1 for tag, count in counts.items())


def _compares_much(html: bytes) -> bool:
    """Whether the attributes of single tags, each compared with all before it, are too many."""
    compared = 0
    for tag in _MANY_ATTRIBUTES.finditer(html):
        compared += len(_ONE_ATTRIBUTE.findall(tag[1])) ** 2
        if compared > MAX_COMPARED:
            return True
    return False


class _Rewriting:
    """One pass over a page that copies its text and its tags, the latter well nested."""

    def __init__(self, html: bytes) -> None:
        self._html = html
        self._out: list[bytes] = []
        self._open: list[bytes] = []
        self._scopes: list[dict[bytes, int]] = [{}]
        self._formatting = 0
        self._reopened = 0
        self._met: set[bytes] = set()

    def text(self) -> bytes:
        html, copy, position = self._html, self._out.append, 0
        while token := _TOKEN.search(html, position):
            copy(html[position : token.start()])
            position = token.end()
            if end := token["end"]:
                self._end(end.lower())
            elif start := token["start"]:
                name = start.lower()
                if name in _RAW or name in _PLAIN:
                    content, position = position, self._end_of(name, position)
                    if name == b"style" and token["closed"]:  # it says what nobody sees
                        copy(token[0] + html[content:position] + b"</style>")
                    copy(self._plain(name, html[content:position]))
                elif token["closed"]:
                    self._start(name, token)
        copy(html[position:])
        return b"".join(self._out)

    def _end_of(self, name: bytes, position: int) -> int:
        found = re.compile(b"</%b(?=[%b/>])" % (name, _S.encode()), re.IGNORECASE).search(
            self._html, position
        )
        return found.start() if found else len(self._html)

    def _plain(self, name: bytes, content: bytes) -> bytes:
        return b"<%b>%b</%b>" % (name, content.replace(b"<", b"&lt;"), name) if name in _PLAIN else b""

    def _start(self, name: bytes, token: re.Match[bytes]) -> None:
        if name in _ONCE:
            if name in self._met:
                return
            self._met.add(name)
        while self._open and self._open[-1] in _IMPLIED_ENDS.get(name, ()):
            self._close()
        if len(self._open) >= MAX_DEPTH or (self._reopened > MAX_REOPENED and self._formats(name)):
            return
        self._out.append(self._tag(token))
        if (
            name not in _VOID
            and name not in _ONCE
            and not (token[0].endswith(b"/>") and b"math" in self._open)
        ):
            self._push(name)

    def _formats(self, name: bytes) -> bool:
        """Whether the parser would have formatting to open anew after this element."""
        return self._formatting > 0 or name in _FORMATTING

    def _tag(self, token: re.Match[bytes]) -> bytes:
        attributes = token["attributes"]
        if len(attributes) < 2 * MAX_ATTRIBUTES:
            return token[0]
        kept = _ATTRIBUTES.match(attributes)
        return b"<%b%b>" % (token["start"], kept[0] if kept else b"")

    def _push(self, name: bytes) -> None:
        self._open.append(name)
        self._scopes[-1][name] = self._scopes[-1].get(name, 0) + 1
        if name in _SCOPES:
            self._scopes.append({})
        if name in _FORMATTING:
            self._formatting += 1
        else:
            self._reopened += self._formatting

    def _close(self) -> None:
        name = self._open.pop()
        if name in _SCOPES:
            self._scopes.pop()
        self._scopes[-1][name] -= 1
        self._formatting -= name in _FORMATTING
        self._out.append(b"</%b>" % name)

    def _end(self, name: bytes) -> None:
        if self._open and self._open[-1] == name:  # as it should be, and mostly is
            self._close()
            return
        scopes = self._scopes
        reached = scopes[-_REACH[name] :] if name in _REACH else scopes[-1:]
        if any(scope.get(name) for scope in reached):
            while self._open[-1] != name:
                self._close()
            self._close()
