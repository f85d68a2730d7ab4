"""The media type of a response, and which types a caller reads (SRD §3.4.2)."""

import re
from enum import Enum

from fetcher.web.errors import UnsupportedContentType

XHTML = "application/xhtml+xml"
PLAIN_TEXT = "text/plain"
HTML_TYPES = frozenset({"text/html", XHTML})

_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,127}"  # noqa: S105 - not a secret
"""A `token` of RFC 9110, as long as the name of a type may be (RFC 6838)."""
_MEDIA_TYPE = re.compile(rf"\s*({_TOKEN}/{_TOKEN})(?:[;,\s]|$)")
_CHARSET = re.compile(r"""[;,\s]charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^;,\s]*))""", re.IGNORECASE)
_XML_TYPE = re.compile(r"(?:text|application)/xml|.+\+xml")
TEXT_TYPE = re.compile(
    r"text/.+"
    r"|application/(?:json|xml|(?:x-)?yaml|(?:x-)?javascript|ecmascript)"
    r"|.+\+(?:json|xml|yaml)"
)
"""Types that are read as plain text."""

DOCUMENT_TYPE = re.compile(
    r"application/(?:pdf|zip|x-ole-storage|vnd\.ms-excel|vnd\.ms-excel\.sheet\.binary\.macroenabled\.12"
    r"|vnd\.openxmlformats-officedocument\.(?:spreadsheetml\.sheet|wordprocessingml\.document)"
    r"|vnd\.oasis\.opendocument\.spreadsheet)"
)
"""Types of documents that are read; a file of Office is a ZIP archive or an OLE storage."""
PDF, ZIP, OLE = "application/pdf", "application/zip", "application/x-ole-storage"

SNIFFED = 1024
"""Bytes that show what a body is."""
_SNIFFED = 512
"""As many as SRD FR-WF-10h looks at."""
MARKUP = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype|html)", re.IGNORECASE)

BINARY = (
    (0, b"%PDF-", PDF),
    (0, b"\x89PNG", "image/png"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (8, b"WEBPVP8", "image/webp"),
    (0, b"II*\x00", "image/tiff"),
    (0, b"PK\x03\x04", ZIP),
    (0, b"PK\x05\x06", ZIP),
    (0, b"\x1f\x8b\x08", "application/gzip"),
    (4, b"1AY&SY", "application/x-bzip2"),
    (0, b"\xfd7zXZ", "application/x-xz"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (0, b"\x28\xb5\x2f\xfd", "application/zstd"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLE),
    (0, b"MSCF\x00", "application/vnd.ms-cab-compressed"),
    (2, b"-lh", "application/x-lzh-compressed"),
    (257, b"ustar", "application/x-tar"),
    (0, b"\x7fELF", "application/x-elf"),
    (0, b"\x00asm", "application/wasm"),
    (0, b"\xca\xfe\xba\xbe", "application/x-executable"),
    (0, b"\xcf\xfa\xed\xfe", "application/x-executable"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
    (0, b"OggS\x00", "application/ogg"),
    (0, b"ID3\x03", "audio/mpeg"),
    (0, b"ID3\x04", "audio/mpeg"),
    (0, b"\xff\xfb", "audio/mpeg"),
    (0, b"fLaC\x00", "audio/flac"),
    (8, b"WAVEfmt ", "audio/wav"),
    (8, b"AVI LIST", "video/x-msvideo"),
    (0, b"wOFF\x00", "font/woff"),
    (0, b"wOF2\x00", "font/woff2"),
)
"""Offset, bytes and type of the signatures of SRD FR-WF-10h, and of others that do not occur in texts."""


ACCEPTED = "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.1"
"""The `Accept` header of every request for a page (SRD FR-WF-10b).

It is the same for every caller: a different one would tell a site which tool the model has chosen.
"""


class Accept(Enum):
    """The kinds of content that a caller reads."""

    WEB_FETCH = "web_fetch"
    """HTML and plain text (SRD FR-WF-10f)."""
    ALL_KINDS = "all_kinds"
    """All text, including JSON and source code, and documents."""

    def takes(self, media_type: str) -> bool:
        if media_type in HTML_TYPES or media_type == PLAIN_TEXT:
            return True
        readable = TEXT_TYPE.fullmatch(media_type) or DOCUMENT_TYPE.fullmatch(media_type)
        return self is Accept.ALL_KINDS and readable is not None

    def require(self, media_type: str) -> None:
        if not self.takes(media_type):
            raise UnsupportedContentType(content_type=media_type)


def declared_type(content_type: str | None) -> str:
    """The `type/subtype` of a Content-Type header in lower case; empty if it names none."""
    declared = _MEDIA_TYPE.match(content_type or "")
    return declared[1].lower() if declared else ""


def media_type(content_type: str | None, body: bytes) -> str:
    """The `type/subtype` of a response in lower case; found in the body if the header names none.

    Raises UnsupportedContentType if the body looks binary.
    """
    if declared := declared_type(content_type):
        return declared
    head = body[:_SNIFFED]
    for offset, signature, binary in BINARY:
        if head.startswith(signature, offset):
            raise UnsupportedContentType(content_type=binary)
    if b"\x00" in head:
        raise UnsupportedContentType(content_type="application/octet-stream")
    return "text/html" if MARKUP.match(head) else "text/plain"


def charset_parameter(content_type: str | None) -> str | None:
    """The charset that a Content-Type header names."""
    found = _CHARSET.search(content_type or "")
    label = "".join(part or "" for part in found.groups()).strip() if found else ""
    return label or None


def is_xml(media_type: str) -> bool:
    return _XML_TYPE.fullmatch(media_type) is not None
