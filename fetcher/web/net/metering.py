"""Counts what a server sends around a body, which no limit on bodies sees.

Status lines, header fields, 1xx answers, the sizes and extensions of chunks, and trailers never reach
whoever reads a body: h11 takes them off. So bytes are counted where they come in. Until the answer's
head is complete, all of them are the head's. After that, what is not body is framing.
"""

import ssl
from collections.abc import Callable

import httpcore2

from fetcher.web.errors import NetworkFailed
from fetcher.web.net.network import Connection

MOST_HEAD_BYTES = 100 * 1024
"""The header section of an answer, together with all 1xx answers before it."""
HEAD_READ_BYTES = 16 * 1024
"""Read at a time until the head is complete: thousands of 1xx answers in one piece would hold up others."""
MOST_HEADER_LINES = 1000
"""Far more than any server sends; each line costs a multiple of its bytes."""
MOST_FRAMING_BYTES = 64 * 1024
"""Framing that any body may have; beyond it, as much framing as there is body."""


def overlong(part: str) -> NetworkFailed:
    """The error of an answer of which a part is too long; asking again would bring the same."""
    return NetworkFailed("The server's answer is malformed", error=f"{part} too long", retryable=False)


class Meter:
    """The bytes of one exchange; `on_request` is called when the request begins to go out."""

    def __init__(self, on_request: Callable[[], None]) -> None:
        self.on_request = on_request
        self._received = 0
        self._body: int | None = None

    def allowance(self) -> int:
        """How many bytes may be read next; raises where none may."""
        left = self._left()
        if left <= 0:
            raise overlong("header section" if self._body is None else "framing")
        return min(left, HEAD_READ_BYTES) if self._body is None else left

    def _left(self) -> int:
        if self._body is None:
            return MOST_HEAD_BYTES - self._received
        return MOST_HEAD_BYTES + MOST_FRAMING_BYTES + 2 * self._body - self._received

    def received(self, size: int) -> None:
        self._received += size

    def head_ended(self, header_lines: int) -> None:
        """The head has arrived, and the body follows."""
        if header_lines > MOST_HEADER_LINES:
            raise overlong("list of headers")
        self._body = 0

    def body_received(self, size: int) -> None:
        """Bytes of the body as they were sent, their content encoding not yet undone."""
        assert self._body is not None
        self._body += size


class MeteredConnection(httpcore2.AsyncNetworkStream):
    """A connection whose bytes are counted, inside TLS where there is any."""

    def __init__(self, connection: Connection, meter: Meter) -> None:
        self._connection = connection
        self._meter = meter

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109  # httpcore's signature
        data = await self._connection.read(min(max_bytes, self._meter.allowance()), timeout)
        self._meter.received(len(data))
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109  # httpcore's signature
        self._meter.on_request()
        await self._connection.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._connection.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109  # httpcore's signature
    ) -> Connection:
        secured = await self._connection.start_tls(ssl_context, server_hostname, timeout)
        return MeteredConnection(secured, self._meter)

    def get_extra_info(self, info: str) -> object:
        return self._connection.get_extra_info(info)
