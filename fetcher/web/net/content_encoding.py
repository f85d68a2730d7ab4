"""Decodes gzip, deflate and brotli in bounded steps, and detects a stream that ends early.

A few hundred bytes can decode to a gigabyte. So a decoder yields at most `STEP` bytes at once, and its caller
may stop at any step.
"""

import zlib
from collections.abc import Iterator
from typing import Protocol

import brotli  # type: ignore[import-untyped]

from fetcher.web.errors import NetworkFailed

STEP = 256 * 1024

OFFERED = "gzip, deflate, br"
"""The `Accept-Encoding` of every request (SRD FR-WF-10b)."""


GZIP_MAGIC = b"\x1f\x8b"

MOST_GZIP_MEMBERS = 1000
"""Servers send one or a few; each one needs a new decoder, even if it is nearly empty."""


class Decoder(Protocol):
    @property
    def finished(self) -> bool:
        """Whether the encoded stream is complete."""

    @property
    def closed(self) -> bool:
        """Whether later data cannot add to the body."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Decode `data`, and yield the result piece by piece."""


class Identity:
    finished = True
    closed = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        yield data


class Gzip:
    """One or more gzip members; data after the last is ignored, as browsers do."""

    def __init__(self) -> None:
        self._inflate = _gunzip()
        self._members = 1
        self._after = b""
        self.finished = False
        self.closed = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data and not self.closed:
            if self.finished:
                data = self._after + data
                if len(data) < len(GZIP_MAGIC) and GZIP_MAGIC.startswith(data):
                    self._after = data
                    return
                if not data.startswith(GZIP_MAGIC):
                    self.closed = True
                    return
                self._members += 1
                if self._members > MOST_GZIP_MEMBERS:
                    raise NetworkFailed(
                        "The response is packed in too many pieces",
                        error="too many gzip members",
                        answered=True,
                    )
                self._inflate, self._after, self.finished = _gunzip(), b"", False
            yield from _drained(self._inflate, data)
            self.finished, data = self._inflate.eof, self._inflate.unused_data


class Deflate:
    """The zlib format of the standard, or the raw stream that many servers send instead."""

    def __init__(self) -> None:
        self._inflate: zlib._Decompress | None = None
        self._start = b""

    @property
    def finished(self) -> bool:
        return self._inflate is not None and self._inflate.eof

    closed = finished

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self._inflate is None:
            data = self._start = self._start + data
            if len(data) < 2:
                return
            # A zlib header (RFC 1950): method 8, and the first two bytes are a multiple of 31.
            has_header = data[0] & 0x0F == 8 and int.from_bytes(data[:2]) % 31 == 0
            self._inflate = zlib.decompressobj(zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS)
        yield from _drained(self._inflate, data)


class Brotli:
    def __init__(self) -> None:
        self._decompressor = brotli.Decompressor()

    @property
    def finished(self) -> bool:
        return bool(self._decompressor.is_finished())

    closed = finished

    def feed(self, data: bytes) -> Iterator[bytes]:
        while not self.finished:
            piece = self._decompressor.process(data, output_buffer_limit=STEP)
            data = b""
            if not piece:
                return
            yield piece


CODINGS: dict[str, type[Decoder]] = {
    "": Identity,
    "gzip": Gzip,
    "x-gzip": Gzip,
    "deflate": Deflate,
    "br": Brotli,
}

FAULTS = (zlib.error, brotli.error)
"""What the decoders raise on a damaged stream."""


def codings(header: str) -> tuple[str, ...]:
    """The codings that a `Content-Encoding` header names, without identity."""
    names = (name.strip().lower() for name in header.split(","))
    return tuple(name for name in names if name not in ("", "identity"))


def decoder(coding: str) -> Decoder:
    """A new decoder; a coding that was not offered is refused."""
    if coding not in CODINGS:
        raise NetworkFailed(
            "The server used a content encoding that was not offered",
            error="unexpected_content_encoding",
            answered=True,
        )
    return CODINGS[coding]()


def _gunzip() -> "zlib._Decompress":
    return zlib.decompressobj(zlib.MAX_WBITS | 16)


def _drained(inflate: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
    piece = inflate.decompress(data, STEP)
    while piece:
        yield piece
        piece = inflate.decompress(inflate.unconsumed_tail, STEP)
