"""What well-meaning servers say."""

import asyncio
import gzip
import zlib

import brotli  # type: ignore[import-untyped]
import pytest

from tests.fakes.answers import (
    Headers,
    answer,
    brotli_body,
    chunked,
    deflate_body,
    gzip_body,
    nested_gzip,
    raw,
)
from tests.fakes.client import get, talk

URL = "http://shop.example/"


@pytest.fixture
def said(internet):
    """A function that puts a script on the web and returns what it says, byte by byte."""

    def said(script):
        internet.route(URL, script)
        return talk(internet.web.port, "shop.example")

    return said


@pytest.fixture
def received(internet):
    """A function that puts a script on the web and returns what an ordinary client receives."""

    def received(script):
        internet.route(URL, script)
        return asyncio.run(get(internet, URL))

    return received


def test_pieces_are_sent_as_they_are(said):
    """Raw pieces go over the wire untouched."""
    assert said(raw(b"\x00", b"\xff\r\n")) == b"\x00\xff\r\n"


def test_headers_are_sent_verbatim(said):
    """Headers may be doubled, oddly spelt or 8-bit; what is usual comes after them."""
    odd: Headers = [("x-A", "1"), ("x-A", "2"), ("X-Latin", "\u00e9"), (b"X-\xff", b"\x80\xfe")]
    assert said(answer("", headers=odd)) == (
        b"HTTP/1.1 200 OK\r\nx-A: 1\r\nx-A: 2\r\nX-Latin: \xe9\r\nX-\xff: \x80\xfe\r\n"
        b"Content-Type: text/html; charset=utf-8\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    )


def test_usual_headers_give_way(said):
    """A usual header that is given is not added, and one that is None is left out."""
    headers = {"content-type": "text/plain", "Content-Length": None, "Connection": None}
    assert said(answer("ok", headers=headers)) == b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nok"


@pytest.mark.parametrize(
    ("script", "line"),
    [
        (answer(status=404), b"HTTP/1.1 404 Not Found"),
        (answer(status=299), b"HTTP/1.1 299 "),
        (answer(status=500, reason="Oh dear"), b"HTTP/1.1 500 Oh dear"),
        (answer(version="HTTP/1.0"), b"HTTP/1.0 200 OK"),
    ],
)
def test_a_status_line_is_free(said, script, line):
    """Status, reason and version are what the test wants."""
    assert said(script).partition(b"\r\n")[0] == line


def test_http_1_0_is_understood(received):
    """An HTTP/1.0 answer without a length ends with its connection."""
    response = received(answer("old", version="HTTP/1.0", headers={"Content-Length": None}))
    assert response.content == b"old"
    assert response.extensions["http_version"] == b"HTTP/1.0"


def test_chunks_are_joined(received):
    """A chunked body arrives whole."""
    assert received(chunked("ab", b"c" * 300, end=b"0\r\nX-Trailer: t\r\n\r\n")).content == b"ab" + b"c" * 300


@pytest.mark.parametrize(
    ("script", "encoding", "unpack"),
    [
        (gzip_body("円"), b"gzip", gzip.decompress),
        (deflate_body("円"), b"deflate", zlib.decompress),
        (deflate_body("円", wrapped=False), b"deflate", lambda body: zlib.decompress(body, -zlib.MAX_WBITS)),
        (brotli_body("円"), b"br", brotli.decompress),
        (nested_gzip("円"), b"gzip, gzip", lambda body: gzip.decompress(gzip.decompress(body))),
    ],
)
def test_bodies_are_encoded_as_they_say(received, script, encoding, unpack):
    """A packed body names its encoding and unpacks to the text."""
    response = received(script)
    assert (b"Content-Encoding", encoding) in response.headers
    assert unpack(response.content).decode() == "円"
