"""Limits what a hostile page can cost the parser, in time linear in the page's length (decision E21).

Parsing takes linear time for the pages that people write. It takes quadratic time or more in three things
that an attacker can choose: the attributes of one tag, the depth of nesting, and formatting elements that
stay open across blocks. The parser opens each of these again in every following block.

`limited_html` first checks, with `bytes.count` and a few regular expressions, whether a page can hold enough
of any of them to matter. Almost all pages cannot, and are returned unchanged. The others are rewritten: tags
are copied and properly nested, so that it is known what the parser sees. Comments and raw text are left out:
there a page's author and a parser could disagree about what a tag is.
"""

import re
from collections import Counter
from collections.abc import Mapping
from itertools import accumulate, islice
from math import isqrt

from fetcher.web.errors import ExtractionFailed

MAX_TAGS = 160_000
"""A page with more cannot be read in time; a page of 5 MB with so many tags has hardly any text."""

SAFE_TAGS = 16_000
"""A page with no more tags cannot nest deeply enough to be slow."""

MAX_ATTRIBUTES = 256
"""Of one tag; so many in every tag are not slow."""
MAX_COMPARED = 16_000_000
"""How often the parser may compare an attribute with another, in tags that have more attributes."""

MAX_DEPTH = 512
"""Browsers stop nesting at this depth, too."""

SAFE_REOPENED = 450_000
"""If a page could reopen so many formatting elements at worst, it reopens less than half as many."""
MAX_REOPENED = 75_000
"""How many formatting elements the parser may reopen in all, in a page that is rewritten."""


def _words(text: str) -> frozenset[bytes]:
    return frozenset(text.encode().split())


_S = r" \t\n\f\r"
"""What separates names and values in HTML; unlike `\\s`, without vertical tabs."""
_ATTRIBUTE = (
    rf"""[{_S}/]*+=?+[^{_S}/>=]++(?>[{_S}]*+=[{_S}]*+(?>"[^"]*+"|'[^']*+'|[^{_S}"'>][^{_S}>]*+)?+)?+"""
)
_USUAL = r'\ [a-zA-Z-]++="[^"]*+"'
"""What most attributes look like; the pattern above finds the same there, and takes longer."""
_ONE_ATTRIBUTE = re.compile(_ATTRIBUTE.encode())
_TOO_MANY = f"{MAX_ATTRIBUTES + 1},{isqrt(MAX_COMPARED) + 1}"
_MANY_ATTRIBUTES = re.compile(
    rf"<(?=[a-zA-Z][^{_S}/><]*+(?=[{_S}/])((?>{_USUAL}|{_ATTRIBUTE}){{{_TOO_MANY}}}+))".encode()
)
"""It only looks ahead: a comparison in a script (`i<n`) can look like a tag that contains a real one.

It stops at the number of attributes that is too large for a whole page. A name that contains a `<` is read
from that `<` on, so that a run of such names is not read again from each of them.
"""
_ATTRIBUTES = re.compile(rf"(?>{_ATTRIBUTE}){{0,{MAX_ATTRIBUTES}}}+".encode())

_FORMATTING = _words("a b big code em font i nobr s small strike strong tt u")
_LIKE_FORMATTING = re.compile(rb"<[bcefinstuBCEFINSTU][imotIMOT\s/>][^>]{0,200}+")
"""A quick test that finds all formatting elements (except links, which never nest) and a few others."""
_FORMATTING_NAME = (
    rb"<(?=[bcefinstu][imot\s/>])"  # the quick test again
    rb"(b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>]|\Z)"
)
_IS_FORMATTING = re.compile(_FORMATTING_NAME, re.IGNORECASE)
_OPEN_FORMATTING = re.compile(
    _FORMATTING_NAME + rb"""(?!(?>\s++[\w:-]++(?>="[^"]*+")?+)*+>[^<]*+</\1>)[^>]{0,200}+""",
    re.IGNORECASE,
)
"""A formatting element, unless it is well-formed and closed before another tag begins."""
_TAG_START = re.compile(rb"<[a-zA-Z/!?]")

_VOID = _words("area base br col embed hr img input link meta param source track wbr")
_RAW = _words("script style iframe noembed noframes xmp template svg video audio canvas")
"""Elements that are left out with their content: raw text, and what readers of the page do not see."""
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
"""The open elements that a start tag closes implicitly."""

_TOKEN = re.compile(
    rf"""
    <!--(?:>|->|.*?(?:--!?>|\Z))                    # a comment, or one without an end
    | <(?:[!?]|/(?![a-zA-Z]))[^>]*+>?+              # a declaration, or a comment to browsers
    | </(?P<end>[a-zA-Z][^{_S}/>]*+)[^>]*+>?+
    | <(?P<start>[a-zA-Z][^{_S}/>]*+)(?P<attributes>(?>{_ATTRIBUTE})*+)[{_S}/]*+(?P<closed>>?+)
    """.encode(),
    re.DOTALL | re.VERBOSE,
)


def limited_html(html: bytes) -> bytes:
    """The page, rewritten if parsing it could be slow; raises `ExtractionFailed` if it has too many tags."""
    tags = html.count(b"<")
    if tags > MAX_TAGS and next(islice(_TAG_START.finditer(html), MAX_TAGS, None), None):
        raise ExtractionFailed(error=f"more than {MAX_TAGS} tags")
    is_safe = tags <= SAFE_TAGS and not _reopens_much(html, tags)
    if is_safe:  # the parser compares each attribute of a tag with all before it
        many = (len(_ONE_ATTRIBUTE.findall(tag[1])) for tag in _MANY_ATTRIBUTES.finditer(html))
        is_safe = all(compared <= MAX_COMPARED for compared in accumulate(count**2 for count in many))
    return html if is_safe else _Rewriter(html).rewrite()


def _reopens_much(html: bytes, tags: int) -> bool:
    """Whether the parser could reopen too many formatting elements; each check is more exact, and slower."""
    at_once = SAFE_REOPENED // max(tags, 1)
    if tags <= at_once:
        return False
    alike = Counter(_LIKE_FORMATTING.findall(html))
    if _open_at_once(alike) <= at_once:
        return False
    if _open_at_once({tag: count for tag, count in alike.items() if _IS_FORMATTING.match(tag)}) <= at_once:
        return False
    blocks = tags - html.count(b"</")  # elements are reopened once for each block
    opened = Counter(tag[0] for tag in _OPEN_FORMATTING.finditer(html))
    return blocks * _open_at_once(opened) > SAFE_REOPENED


def _open_at_once(tags: Mapping[bytes, int]) -> int:
    """How many of these tags can be open together: a parser reopens at most three equal ones."""
    return 3 * (len(tags) + sum([count - 1 for tag, count in tags.items() if len(tag) >= 200]))


class _Rewriter:
    """Copies a page's text and tags in one pass, with the tags well nested."""

    def __init__(self, html: bytes) -> None:
        self._html = html
        self._out: list[bytes] = []
        self._open: list[bytes] = []
        self._scopes: list[dict[bytes, int]] = [{}]
        """How many elements of each name are open, in each scope."""
        self._formatting = 0
        """How many formatting elements are open."""
        self._reopened = 0
        self._seen: set[bytes] = set()
        """Which of the elements that a page can have only once it has had."""

    def rewrite(self) -> bytes:
        html, position = self._html, 0
        while token := _TOKEN.search(html, position):
            self._out.append(html[position : token.start()])
            position = token.end()
            if end := token["end"]:
                name = end.lower()
                is_innermost = self._open and self._open[-1] == name  # the usual case
                if is_innermost or any(scope.get(name) for scope in self._scopes[-_REACH.get(name, 1) :]):
                    while self._open[-1] != name:
                        self._close()
                    self._close()
            elif start := token["start"]:
                name = start.lower()
                if name in _RAW or name in _PLAIN:
                    end_tag = re.compile(b"</%b(?=[%b/>])" % (name, _S.encode()), re.IGNORECASE)
                    found = end_tag.search(html, position)
                    position = found.start() if found else len(html)
                    content = html[token.end() : position]
                    if name == b"style" and token["closed"]:  # style sheets say which elements are hidden
                        self._out.append(token[0] + content + b"</style>")
                    elif name in _PLAIN:  # text as text; other content is left out
                        self._out.append(b"<%b>%b</%b>" % (name, content.replace(b"<", b"&lt;"), name))
                elif token["closed"]:
                    self._start_element(name, token)
        self._out.append(html[position:])
        return b"".join(self._out)

    def _start_element(self, name: bytes, token: re.Match[bytes]) -> None:
        if name in _ONCE:
            if name in self._seen:
                return
            self._seen.add(name)
        while self._open and self._open[-1] in _IMPLIED_ENDS.get(name, ()):
            self._close()
        in_formatting = self._formatting > 0 or name in _FORMATTING
        if len(self._open) >= MAX_DEPTH or (self._reopened > MAX_REOPENED and in_formatting):
            return
        tag = token[0]
        if len(token["attributes"]) >= 2 * MAX_ATTRIBUTES:
            first = _ATTRIBUTES.match(token["attributes"])
            tag = b"<%b%b>" % (token["start"], first[0] if first else b"")
        self._out.append(tag)
        if name in _VOID or name in _ONCE or (token[0].endswith(b"/>") and b"math" in self._open):
            return
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
