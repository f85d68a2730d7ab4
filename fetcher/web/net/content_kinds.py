"""What a body really is: its first bytes decide, since headers and names of files are often wrong.

`web_fetch` keeps to the SRD, where the header decides (`media_types.py`). All other callers read every kind
that this project can read, and refuse the rest before the body is downloaded.
"""

import re

from fetcher.web.errors import UnsupportedContentType
from fetcher.web.net.media_types import (
    BINARY,
    MARKUP,
    OLE,
    PDF,
    SNIFFED,
    ZIP,
    Accept,
    declared_type,
    media_type,
)

CSV, TSV = "text/csv", "text/tab-separated-values"
FEED = "application/atom+xml"
_OCTETS = "application/octet-stream"

_UNTOLD = re.compile(
    r"(?:application|binary)/(?:octet-stream|(?:x-|force-)?download|x-unknown|unknown)|unknown/unknown|text/plain"
)
"""Types with which servers send what they do not know."""
_SAYS_DOCUMENT = re.compile(
    r"application/(?:pdf|x-pdf|msword|(?:x-)?(?:ms)?excel|vnd\.(?:ms-|openxmlformats-|oasis\.).+)"
)
_SAYS_SHEET = re.compile(
    r"application/(?:csv|(?:x-)?(?:ms)?excel|vnd\.ms-excel)|text/(?:x-)?(?:csv|comma-separated-values)"
)
_NEVER_READ = re.compile(r"(?:audio|video|font)/.+|image/(?!svg\+xml).+")
_OFFICE_PART = re.compile(
    rb"\[Content_Types\]\.xml|_rels/|docProps/|xl/|word/|ppt/|customXml/|META-INF/|mimetype"
    rb"|(?:content|meta|settings|styles)\.xml|Configurations2/|Thumbnails/|Pictures/"
)
"""How the name of the first file in a document of Office or LibreOffice begins."""
_NAME_AT = 30
"""Where a ZIP archive has the name of its first file."""
_FEED_ROOT = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.{0,400}?-->\s*|<\?.{0,200}?\?>\s*|<!DOCTYPE[^>\[]*>\s*)*"
    rb"<(?:\w+:)?(?:rss|feed|RDF)[\s>]",
    re.DOTALL,
)
_XML = re.compile(r"(?:text|application)/(?:.+\+)?xml|text/(?:html|plain)")
_TEXT_MARKS = (b"\xff\xfe", b"\xfe\xff")
_TABLE = re.compile(rb"\s*<table[\s>]", re.IGNORECASE)


def refuse_header(accept: Accept, content_type: str | None) -> None:
    """Refuse a response by its header alone, where its body cannot change the verdict."""
    if accept is Accept.WEB_FETCH:
        accept.require(media_type(content_type, b""))
    elif _NEVER_READ.fullmatch(declared := declared_type(content_type)):
        raise UnsupportedContentType(content_type=declared)


def kind_of(accept: Accept, content_type: str | None, body: bytes, url: str = "") -> str:
    """The kind of a body, of which the beginning is enough; raises UnsupportedContentType."""
    head, declared = body[:SNIFFED], declared_type(content_type)
    says_nothing = not declared or _UNTOLD.fullmatch(declared) is not None
    name = url.partition("?")[0].partition("#")[0].lower()
    if accept is Accept.WEB_FETCH:
        kind = media_type(content_type, body)
    elif binary := _binary(head, declared):
        kind = binary
    elif _FEED_ROOT.match(head) and (says_nothing or _XML.fullmatch(declared)):
        kind = FEED
    elif MARKUP.match(head) and (says_nothing or _SAYS_DOCUMENT.fullmatch(declared)):
        kind = "text/html"  # often a page that says why the document is missing
    elif _SAYS_SHEET.fullmatch(declared):
        kind = "text/html" if _TABLE.match(head) else CSV
    elif says_nothing and name.endswith((".csv", ".tsv")):
        kind = CSV if name.endswith(".csv") else TSV
    elif _SAYS_DOCUMENT.fullmatch(declared):
        kind = PDF if declared.endswith("pdf") else ZIP  # its reader will say that it is damaged
    else:
        kind = "text/plain" if says_nothing else declared
    accept.require(kind)
    return kind


def _binary(head: bytes, declared: str) -> str:
    """The type of a body that is not text; empty for text."""
    if b"%PDF-" in head and (head.startswith(b"%PDF-") or not declared.startswith("text/")):
        return PDF
    for offset, signature, binary in BINARY:
        if head.startswith(signature, offset):
            if binary == ZIP and not (
                _OFFICE_PART.match(head, _NAME_AT) or _SAYS_DOCUMENT.fullmatch(declared)
            ):
                raise UnsupportedContentType(content_type=ZIP)
            return binary
    # In UTF-16, every second byte is the first half of a character of ASCII, and no other is a control.
    if (
        b"\x00" in head
        and not head.startswith(_TEXT_MARKS)
        and not any(
            head[at::2].count(0) > 0.3 * len(head) / 2 and min(head[1 - at :: 2], default=0) >= ord("\t")
            for at in (0, 1)
        )
    ):
        executable = head.startswith(b"MZ")
        return "application/vnd.microsoft.portable-executable" if executable else _OCTETS
    return ""


def is_document(kind: str) -> bool:
    """Whether a kind is read by the readers of documents, within limits of their own."""
    return kind in (PDF, ZIP, OLE)
