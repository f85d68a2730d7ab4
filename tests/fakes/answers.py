"""What the servers of `FakeWeb` say when they mean well.

A script is an async generator function of a `Request`: it yields just the bytes that go over the
wire, in the pieces in which they go, and at its end the connection is closed. Raising
`ConnectionResetError` resets the connection instead. Every function here makes one script:
`web.route(url, gzip_body("<p>..."))`. `tests.fakes.misbehaviour` has the ill-meaning ones.
"""

import asyncio
import functools
import gzip
import http
import zlib
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import dataclass

import brotli  # type: ignore[import-untyped]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request as it arrived; header names keep their spelling."""

    method: str
    scheme: str
    host: str
    """The `Host` header: with the port where it is not the scheme's own."""
    target: str
    headers: tuple[tuple[str, str], ...]
    peer: tuple[str, int]
    server_name: str | None = None
    """The name that the TLS handshake asked for (SNI)."""
    body: bytes = b""

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}{self.target}"

    def header(self, name: str) -> str | None:
        """The first value of a header, whatever its spelling, or None."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


Script = Callable[[Request], AsyncGenerator[bytes, None]]
Text = str | bytes
Headers = Mapping[str, Text | None] | Iterable[tuple[Text, Text | None]]


def raw(*pieces: bytes, delay: float = 0) -> Script:
    """These bytes as they are, with a pause after each piece."""

    async def script(request: Request) -> AsyncGenerator[bytes, None]:
        for piece in pieces:
            yield piece
            await asyncio.sleep(delay)

    return script


def answer(
    body: Text = b"",
    *,
    status: int = 200,
    reason: str | None = None,
    headers: Headers = (),
    version: str = "HTTP/1.1",
) -> Script:
    """A whole answer.

    Headers are sent as they are given: twice, in odd case, as bytes of any kind. `Content-Type`,
    `Content-Length` and `Connection` are added unless given; given as None, they are left out.
    """
    encoded = utf8(body)
    return raw(head(status, reason, headers, length=len(encoded), version=version) + encoded)


def redirect(to: Text, status: int = 302) -> Script:
    return answer(status=status, headers={"Location": to})


def chunked(*pieces: Text, headers: Headers = (), end: bytes = b"0\r\n\r\n") -> Script:
    """A chunked body, each piece a chunk; trailers go before the last line break of `end`."""
    return raw(chunked_head(headers), *(chunk(utf8(piece)) for piece in pieces), end)


def gzip_body(body: Text, headers: Headers = ()) -> Script:
    return coded("gzip", gzip.compress(utf8(body)), headers)


def deflate_body(body: Text, headers: Headers = (), *, wrapped: bool = True) -> Script:
    """`deflate` as the standard has it, inside zlib's wrapper, or bare as some servers send it."""
    packer = zlib.compressobj(wbits=zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)
    return coded("deflate", packer.compress(utf8(body)) + packer.flush(), headers)


def brotli_body(body: Text, headers: Headers = ()) -> Script:
    return coded("br", brotli.compress(utf8(body)), headers)


def nested_gzip(body: Text, headers: Headers = (), *, depth: int = 2) -> Script:
    """A body that was packed several times over, and says so."""
    packed = functools.reduce(lambda inner, _: gzip.compress(inner), range(depth), utf8(body))
    return coded(", ".join(["gzip"] * depth), packed, headers)


def coded(encoding: str, packed: bytes, headers: Headers = ()) -> Script:
    """A body that is encoded already, or claims to be."""
    return answer(packed, headers=[*_pairs(headers), ("Content-Encoding", encoding)])


def head(
    status: int = 200,
    reason: str | None = None,
    headers: Headers = (),
    *,
    length: int | None,
    version: str = "HTTP/1.1",
) -> bytes:
    """Status line and headers; see `answer` for the headers that are added."""
    pairs = _pairs(headers)
    given = {_latin(name).lower() for name, _ in pairs}
    usual = [pair for pair in _usual_headers(length) if _latin(pair[0]).lower() not in given]
    phrase = _phrase(status) if reason is None else reason
    fields = [_latin(name) + b": " + _latin(value) for name, value in pairs + usual if value is not None]
    return b"\r\n".join([_latin(f"{version} {status} {phrase}"), *fields, b"", b""])


def chunked_head(headers: Headers = ()) -> bytes:
    return head(headers=[*_pairs(headers), ("Transfer-Encoding", "chunked")], length=None)


def chunk(piece: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(piece), piece)


def utf8(text: Text) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def _latin(text: Text) -> bytes:
    return text if isinstance(text, bytes) else text.encode("latin-1")


def _pairs(headers: Headers) -> list[tuple[Text, Text | None]]:
    return list(headers.items() if isinstance(headers, Mapping) else headers)


def _usual_headers(length: int | None) -> list[tuple[Text, Text | None]]:
    return [
        ("Content-Type", "text/html; charset=utf-8"),
        ("Content-Length", None if length is None else str(length)),
        ("Connection", "close"),
    ]


def _phrase(status: int) -> str:
    return http.HTTPStatus(status).phrase if status in set(http.HTTPStatus) else ""
