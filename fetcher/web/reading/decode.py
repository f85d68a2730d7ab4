"""Decodes a response's bytes: finds their charset, and gives their text (SRD FR-WF-10i).

A byte order mark comes first, as in browsers; then the header's charset, then the page's own declaration
(SRD FR-WF-CHARSET-02). An unknown label means UTF-8 with replacement and the `charset_fallback` note. Without
a declaration the charset is detected from the bytes.
"""

import re
from dataclasses import replace

from fetcher.web.net.media_types import charset_parameter, is_xml
from fetcher.web.reading import charsets
from fetcher.web.reading.charsets import REPLACEMENT, decode_as, encoding_of
from fetcher.web.reading.charsets.detection import detect, is_surely_utf8
from fetcher.web.values import DecodedText, ReadingContext

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))

_DECLARATIONS_WITHIN = 1024
"""Where the HTML Standard expects a page to declare its charset."""
_LATE_DECLARATIONS_WITHIN = 8192
"""How far down pages declare it nevertheless."""
_UNREAD = re.compile(
    rb"<!--.*?(?:-->|\Z)|<(script|style|title|textarea|noscript)\b.*?(?:</\1|\Z)", re.IGNORECASE | re.DOTALL
)
_META = re.compile(rb"""<meta[\s/]((?>"[^"]*"|'[^']*'|[^<>"']++)*+)>""", re.IGNORECASE)
_ATTRIBUTE = re.compile(rb"""(?<![^\s"'/=])([^\s"'/=]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"']++))""")
_CONTENT_CHARSET = re.compile(rb"""charset\s*=\s*["']?([^\s"';]+)""", re.IGNORECASE)
_XML_DECLARATION = re.compile(rb"""\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"'>]+)""")

_INSTEAD = {"utf-16be": "utf-8", "utf-16le": "utf-8", "x-user-defined": "windows-1252"}


def decode_text(body: bytes, context: ReadingContext) -> DecodedText:
    """The text of a body that is not a page, and whose kind is known."""
    declared = _xml_encoding(body) if is_xml(context.media_type) else None
    label = charset_parameter(context.content_type) or _as_declared(declared)
    decoded = _decode(body, label, context.media_type)
    return replace(decoded, text=decoded.text.replace("\x00", REPLACEMENT))


def decode_html(body: bytes, header_charset: str | None) -> DecodedText:
    """The text of a page; its own declaration counts if the header names no charset."""
    return _decode(body, header_charset or _declared_in_page(body), "text/html")


def html_as_utf8(body: bytes, *, doubted: bool = False) -> bytes:
    """A page in UTF-8; a page that is in UTF-8 already is returned unchanged."""
    return page_as_utf8(body, None, doubted=doubted)[0]


def page_as_utf8(body: bytes, header_charset: str | None, *, doubted: bool = False) -> tuple[bytes, bool]:
    """A page in UTF-8, and whether its charset was unknown or guessed.

    `doubted` does not believe a page that declares another charset and is in UTF-8: many were converted by a
    server or an archive, and still say what they were.
    """
    encoding, guessed, start = _encoding(body, header_charset or _declared_in_page(body))
    if doubted and not header_charset and encoding != "utf-8" and start == 0 and is_surely_utf8(body):
        encoding, guessed = "utf-8", True
    text = body[start:]
    return (text if encoding == "utf-8" else decode_as(encoding, text).encode()), guessed


def _decode(body: bytes, label: str | None, kind: str) -> DecodedText:
    encoding, guessed, start = _encoding(body, label)
    text = decode_as(encoding, body[start:])
    return DecodedText(text=text, media_type=kind, charset=encoding, fallback=guessed)


def _encoding(body: bytes, label: str | None) -> tuple[str, bool, int]:
    """The encoding, whether it is a guess, and where the text begins."""
    for mark, marked in _MARKS:
        if body.startswith(mark):
            return marked, False, len(mark)
    if not label:
        return *detect(body), 0
    encoding = encoding_of(label)
    return encoding or "utf-8", encoding is None, 0


def _declared_in_page(body: bytes) -> str | None:
    if label := _xml_encoding(body):
        return _as_declared(label)
    for tag in _META.finditer(_UNREAD.sub(b"", body[:_DECLARATIONS_WITHIN])):
        attributes = {name.lower(): b"".join(value) for name, *value in _ATTRIBUTE.findall(tag[1])}
        named = attributes.get(b"charset")
        if named is None and attributes.get(b"http-equiv", b"").lower() == b"content-type":
            found = _CONTENT_CHARSET.search(attributes.get(b"content", b""))
            named = found[1] if found else None
        if named and named.strip():
            return _as_declared(named.decode("ascii", "replace").strip())
    # A lenient reader looks at `<meta>` tags further down, and at badly written ones. It gets only whole
    # tags: on a tag without an end, bs4's expressions take time cubic in its length.
    head = _UNREAD.sub(b"", body[:_LATE_DECLARATIONS_WITHIN])
    tags = b"".join(tag[0] for tag in _META.finditer(head) if _CONTENT_CHARSET.search(tag[1]))
    if not tags:
        return None
    from bs4.dammit import EncodingDetector

    label = EncodingDetector.find_declared_encoding(tags, is_html=True, search_entire_document=True)
    return _as_declared(label)


def _as_declared(label: str | None) -> str | None:
    """The HTML Standard: a page that declares its charset in ASCII is not in UTF-16."""
    return _INSTEAD.get(encoding_of(label) or "", label) if label else None


def _xml_encoding(body: bytes) -> str | None:
    found = _XML_DECLARATION.match(body, 0, _DECLARATIONS_WITHIN)
    return found[1].decode("ascii", "replace") if found else None


def load() -> None:
    """Loads the modules that few pages need: a reader process cannot open files while it reads."""
    import bs4.dammit  # noqa: F401 - takes 70 ms, so only reader processes load it

    charsets.load()
