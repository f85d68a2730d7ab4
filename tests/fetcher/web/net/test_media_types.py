"""Which kind of content a response holds, and who reads it."""

import pytest

from fetcher.web.errors import UnsupportedContentType
from fetcher.web.net.media_types import Accept, charset_parameter, media_type


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("text/html", "text/html"),
        ("  Text/HTML ; charset=utf-8", "text/html"),
        ("TEXT/PLAIN;format=flowed", "text/plain"),
        ("application/xhtml+xml", "application/xhtml+xml"),
        ("text/html charset=utf-8", "text/html"),
        ("text/html, text/html", "text/html"),
        ("application/pdf", "application/pdf"),
    ],
)
def test_it_wf_http_07_parameters_do_not_choose_the_type(header, expected):
    """IT-WF-HTTP-07: only `type/subtype` counts, in any case and with any parameters."""
    assert media_type(header, b"%PDF-1.7") == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"<!DOCTYPE html><p>", "text/html"),
        (b"<!doctype HTML>", "text/html"),
        (b"<HTML lang=ja>", "text/html"),
        (b"\xef\xbb\xbf \r\n\t<html>", "text/html"),
        (b"plain <html>", "text/plain"),
        (b"", "text/plain"),
        (b"ID3 tags explained", "text/plain"),
        (b"GIF88a", "text/plain"),
        (b"x" * 512 + b"\x00", "text/plain"),
    ],
)
def test_a_missing_header_is_made_up_for_by_the_bytes(body, expected):
    """FR-WF-10h: a missing or unreadable Content-Type is sniffed from 512 bytes."""
    for header in (None, "", " ", "text", "/html", ";charset=utf-8", f"text/{'x' * 128}"):
        assert media_type(header, body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"%PDF-1.7", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"PK\x03\x04", "application/zip"),
        (b"\x00\x00\x00\x1cftypmp42", "video/mp4"),
        (b"\x00\x00\x00\x20ftypisom", "video/mp4"),
        (b"RIFF\x10\x20\x30\x40WEBPVP8 ", "image/webp"),
        (b"\x1f\x8b\x08\x08", "application/gzip"),
        (b"\x7fELF", "application/x-elf"),
        (b"II*\x00\x08", "image/tiff"),
        (b"PK\x05\x06\x00", "application/zip"),
        (b"BZh91AY&SY", "application/x-bzip2"),
        (b"\xfd7zXZ\x00", "application/x-xz"),
        (b"7z\xbc\xaf\x27\x1c\x00", "application/x-7z-compressed"),
        (b"Rar!\x1a\x07\x01", "application/vnd.rar"),
        (b"\x28\xb5\x2f\xfd\x04", "application/zstd"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
        (b"\x1aE\xdf\xa3\x9f", "video/webm"),
        (b"OggS\x00\x02", "application/ogg"),
        (b"ID3\x03\x00", "audio/mpeg"),
        (b"ID3\x04\x00", "audio/mpeg"),
        (b"wOFF\x00\x01", "font/woff"),
        (b"wOF2\x00\x01", "font/woff2"),
        (b"x" * 511 + b"\x00", "application/octet-stream"),
        (b"<html>\x00", "application/octet-stream"),
    ],
)
def test_binaries_are_refused_by_their_bytes(body, expected):
    """FR-WF-10h: a signature or a NUL byte is no text."""
    with pytest.raises(UnsupportedContentType) as refused:
        media_type(None, body)
    assert refused.value.details == {"content_type": expected}


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("text/html; charset=Shift_JIS", "Shift_JIS"),
        ('text/html; foo=bar;Charset = "utf-8"; x=y', "utf-8"),
        ("text/html;charset='euc-jp'", "euc-jp"),
        ("text/html charset=utf-8", "utf-8"),
        ("text/html; charset=", None),
        ('text/html; charset=""', None),
        ("text/html; xcharset=utf-8", None),
        ("text/html", None),
        (None, None),
    ],
)
def test_reads_the_charset_parameter(header, expected):
    """FR-WF-10i: the header's charset is read in all the ways servers write it."""
    assert charset_parameter(header) == expected


TEXT = ["text/markdown", "text/csv", "application/json", "application/ld+json", "application/xml"]
TEXT += [
    "image/svg+xml",
    "application/yaml",
    "application/x-yaml",
    "application/javascript",
    "text/javascript",
]


@pytest.mark.parametrize("kind", ["text/html", "application/xhtml+xml", "text/plain"])
def test_everybody_reads_pages_and_plain_text(kind):
    """FR-WF-10f: HTML and plain text are read by all."""
    assert Accept.WEB_FETCH.takes(kind)
    assert Accept.ALL_KINDS.takes(kind)


@pytest.mark.parametrize("kind", TEXT)
def test_only_all_kinds_reads_other_text(kind):
    """FR-WF-10g: `web_fetch` refuses JSON and its like, which the quick read takes."""
    assert not Accept.WEB_FETCH.takes(kind)
    assert Accept.ALL_KINDS.takes(kind)


@pytest.mark.parametrize("kind", ["application/pdf", "application/zip", "application/vnd.ms-excel"])
def test_only_all_kinds_reads_documents(kind):
    """The SRD's tool refuses documents, which all other callers read."""
    assert not Accept.WEB_FETCH.takes(kind)
    assert Accept.ALL_KINDS.takes(kind)


@pytest.mark.parametrize("kind", ["application/gzip", "image/png", "video/mp4", "application/octet-stream"])
def test_nobody_reads_binaries(kind):
    """FR-WF-10g: what is no text is refused."""
    assert not Accept.WEB_FETCH.takes(kind)
    assert not Accept.ALL_KINDS.takes(kind)
