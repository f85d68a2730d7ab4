"""What a body is, by its first bytes."""

import pytest

from fetcher.web.errors import UnsupportedContentType
from fetcher.web.net.content_kinds import kind_of, refuse_header
from fetcher.web.net.media_types import Accept

OFFICE = b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml"


@pytest.mark.parametrize(
    ("content_type", "head", "kind"),
    [
        ("text/html", b"%PDF-1.4", "application/pdf"),
        ("application/octet-stream", b"junk\n%PDF-1.4", "application/pdf"),
        ("text/plain", b"a text about %PDF-1.4", "text/plain"),
        ("application/pdf", b"<!doctype html><p>x", "text/html"),
        ("application/x-pdf", b"no PDF", "application/pdf"),
        ("application/vnd.oasis.opendocument.spreadsheet", b"no workbook", "application/zip"),
        (None, OFFICE, "application/zip"),
        ("application/zip", OFFICE, "application/zip"),
        ("application/octet-stream", "文章".encode("utf-16"), "text/plain"),
        ("text/csv", "a,b".encode("utf-16-le") * 20, "text/csv"),
        ("application/octet-stream", b"plain words", "text/plain"),
        ("text/markdown", b"# x", "text/markdown"),
        ("", b"", "text/plain"),
    ],
)
def test_the_first_bytes_decide(content_type, head, kind):
    assert kind_of(Accept.ALL_KINDS, content_type, head) == kind


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"PK\x03\x04" + bytes(26) + b"photo.jpg", "application/zip"),
        (b"PK\x05\x06" + bytes(18), "application/zip"),
        (b"\x1f\x8b\x08" + bytes(9), "application/gzip"),
        (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
        (b"Rar!\x1a\x07\x01\x00", "application/vnd.rar"),
        (b"xx-lh5-" + bytes(20), "application/x-lzh-compressed"),
        (bytes(257) + b"ustar\x00", "application/x-tar"),
        (b"MZ\x90\x00\x03" + bytes(60), "application/vnd.microsoft.portable-executable"),
        (b"\x7fELF\x02", "application/x-elf"),
        (b"\xca\xfe\xba\xbe\x00\x00", "application/x-executable"),
        (b"\x00asm\x01", "application/wasm"),
        (b"\x00\x00\x00\x18ftypmp42", "video/mp4"),
        (b"RIFF\x00\x00\x00\x00AVI LIST", "video/x-msvideo"),
        (b"ID3\x04\x00", "audio/mpeg"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "audio/wav"),
        (b"\x89PNG\r\n", "image/png"),
        (b"\x01\x02\x00\x03" * 30, "application/octet-stream"),
    ],
)
def test_what_cannot_be_read_is_refused_whatever_it_is_called(head, kind):
    for content_type in ("text/html", "application/octet-stream", None):
        with pytest.raises(UnsupportedContentType) as caught:
            kind_of(Accept.ALL_KINDS, content_type, head)
        assert caught.value.details["content_type"] == kind


@pytest.mark.parametrize("content_type", ["audio/mpeg", "video/mp4", "image/png", "font/woff2"])
def test_some_headers_are_enough(content_type):
    with pytest.raises(UnsupportedContentType):
        refuse_header(Accept.ALL_KINDS, content_type)


@pytest.mark.parametrize(
    "content_type", ["application/zip", "image/svg+xml", "application/octet-stream", None]
)
def test_other_headers_are_not(content_type):
    refuse_header(Accept.ALL_KINDS, content_type)


def test_the_srd_s_tool_goes_by_the_header():
    """It refuses what it refused before, and judges no bytes that a header names."""
    assert kind_of(Accept.WEB_FETCH, "text/plain", b"%PDF-1.4") == "text/plain"
    with pytest.raises(UnsupportedContentType):
        refuse_header(Accept.WEB_FETCH, "application/pdf")
