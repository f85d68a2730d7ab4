"""What servers of `FakeWeb` do that no server should.

Scripts as in `tests.fakes.answers`: slow ones, endless ones, broken ones, silent ones and bombs.
A `delay` is the period in seconds at which a script goes on; 0 goes on as fast as the client reads.
"""

import asyncio
import functools
import struct
import zlib
from collections.abc import AsyncGenerator

import brotli  # type: ignore[import-untyped]

from tests.fakes.answers import (
    Headers,
    Request,
    Script,
    Text,
    answer,
    chunk,
    chunked,
    chunked_head,
    coded,
    head,
    raw,
    utf8,
)

ZEROS = bytes(1 << 20)
BROTLI_STRETCH = 16 << 20
"""The most that brotli describes at once."""
GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"


def slow_drip(body: Text, delay: float, headers: Headers = (), *, size: int = 1) -> Script:
    """The head at once, then `size` bytes of the body at a time."""
    encoded = utf8(body)
    drops = (encoded[start : start + size] for start in range(0, len(encoded), size))
    return raw(head(headers=headers, length=len(encoded)), *drops, delay=delay)


def slow_head(delay: float, body: Text = b"") -> Script:
    """The whole answer byte by byte, beginning with its status line."""
    whole = head(length=len(utf8(body))) + utf8(body)
    return raw(*(whole[at : at + 1] for at in range(len(whole))), delay=delay)


def endless_headers(delay: float = 0) -> Script:
    """A head that never ends."""
    return _endless(b"HTTP/1.1 200 OK\r\n", b"X-More: and more\r\n", delay)


def endless_body(delay: float = 0, headers: Headers = (), *, piece: bytes = b"x" * 65_536) -> Script:
    """A chunked body that never ends."""
    return _endless(chunked_head(headers), chunk(piece), delay)


def endless_coding(coding: str, opening: bytes, piece: bytes, delay: float = 0) -> Script:
    """A body in a content encoding that never ends."""
    return _endless(chunked_head({"Content-Encoding": coding}) + chunk(opening), chunk(piece), delay)


EMPTY_BLOCKS = {
    "deflate": ("deflate", b"\x78\x9c", b"\x00\x00\x00\xff\xff" * 13_000),
    "bare deflate": ("deflate", b"\x00\x00\x00\xff\xff", b"\x00\x00\x00\xff\xff" * 13_000),
    "gzip": ("gzip", GZIP_HEADER, b"\x00\x00\x00\xff\xff" * 13_000),
    "gzip comment": ("gzip", b"\x1f\x8b\x08\x10\x00\x00\x00\x00\x00\xff", b"x" * 65_000),
    "brotli": ("br", b"\x0c", b"\x06" * 65_000),
}
"""Codings, their openings and what may follow without end and without adding a byte to the body.

RFC 1951 §3.2.4: stored blocks of no bytes. RFC 1952 §2.3: a comment. RFC 7932 §9.2: metadata of no bytes.
"""


def informational_forever(delay: float = 0) -> Script:
    """`100 Continue`, again and again, and no answer."""
    return _endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n", delay)


def endless_chunks(piece: bytes) -> Script:
    """A chunked body of such chunks, without end."""
    return _endless(chunked_head(), piece, 0)


def truncated_chunked(body: Text = b"", headers: Headers = ()) -> Script:
    """A chunked body whose connection closes inside a chunk."""
    return chunked(body, headers=headers, end=b"400\r\nonly the beginning")


def wrong_length(body: Text, declared: int) -> Script:
    """A body that is shorter or longer than its `Content-Length`."""
    return answer(body, headers={"Content-Length": str(declared)})


def close_before_answer() -> Script:
    """Reads the request and closes the connection without a word."""
    return raw()


def reset_before_answer() -> Script:
    """Reads the request and resets the connection."""
    return _reset


def stall() -> Script:
    """Reads the request and never answers."""
    return _silence


def stall_body(body: Text, headers: Headers = ()) -> Script:
    """The head and the beginning of a long body, and then nothing more."""

    async def script(request: Request) -> AsyncGenerator[bytes, None]:
        yield head(headers=headers, length=100_000_000) + utf8(body)
        await asyncio.Event().wait()

    return script


def garbage(noise: bytes = b"\x00\xff\x16 this is no HTTP\r\n\r\n") -> Script:
    """Something that is not HTTP."""
    return raw(noise)


def brotli_bomb(size: int = 1 << 30) -> Script:
    """A gigabyte of zeros, or `size` bytes, in less than a kilobyte."""
    return coded("br", brotli_zeros(size))


def gzip_bomb(size: int = 1 << 30) -> Script:
    """A gigabyte of zeros, or `size` bytes, in a thousandth of that."""
    return coded("gzip", gzip_zeros(size))


def brotli_zeros(size: int) -> bytes:
    """At least `size` zeros as brotli."""
    first, following, end = _brotli_stretches()
    return first + following * (_times(size, BROTLI_STRETCH) - 1) + end


@functools.cache
def _brotli_stretches() -> tuple[bytes, bytes, bytes]:
    """A long stretch of zeros, one more, and the end.

    A flush ends a stretch on a whole byte, and every stretch after the first is described in the
    same words: so it may be repeated, and nobody has to compress a gigabyte.
    """
    packer = brotli.Compressor(quality=5, lgwin=24)
    first, following = (
        b"".join(packer.process(ZEROS) for _ in range(BROTLI_STRETCH // len(ZEROS))) + packer.flush()
        for _ in range(2)
    )
    return first, following, packer.finish()


@functools.cache
def gzip_zeros(size: int) -> bytes:
    """At least `size` zeros as gzip, made in the same way; only the checksum reads them all."""
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    stretch = packer.compress(ZEROS) + packer.flush(zlib.Z_FULL_FLUSH)
    times = _times(size, len(ZEROS))
    checksum = functools.reduce(lambda so_far, _: zlib.crc32(ZEROS, so_far), range(times), 0)
    trailer = struct.pack("<II", checksum, times * len(ZEROS) % 2**32)
    return GZIP_HEADER + stretch * times + packer.flush() + trailer


def _times(size: int, stretch: int) -> int:
    """How many stretches it takes."""
    return max(1, -(-size // stretch))


def _endless(opening: bytes, piece: bytes, delay: float) -> Script:
    async def script(request: Request) -> AsyncGenerator[bytes, None]:
        yield opening
        while True:
            yield piece
            await asyncio.sleep(delay)

    return script


async def _silence(request: Request) -> AsyncGenerator[bytes, None]:
    await asyncio.Event().wait()
    yield b""


async def _reset(request: Request) -> AsyncGenerator[bytes, None]:
    yield b""
    raise ConnectionResetError
