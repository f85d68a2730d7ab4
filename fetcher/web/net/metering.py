"""Counts the bytes that a server sends besides a body, which a limit on the body does not cover.

h11 removes status lines, header fields, 1xx responses, the sizes and extensions of chunks, and trailers. So
bytes are counted where they are received. Until the head of the response is complete, all bytes belong to the
head. After that, all that is not body is framing.
"""

import ssl
from collections.abc import Callable

import httpcore2

from fetcher.web.errors import NetworkFailed
from fetcher.web.net.network import Connection

MOST_HEAD_BYTES = 100 * 1024
"""The header section of a response, together with all 1xx responses before it."""
HEAD_READ_BYTES = 16 * 1024
"""Read at a time until the head is complete: thousands of 1xx responses at once would block the loop."""
MOST_HEADER_LINES = 1000
"""Far more than any server sends; each line takes several times its bytes in memory."""
MOST_FRAMING_BYTES = 64 * 1024
"""Framing that any body may have; above it, no more framing than body."""


def overlong(part: str) -> NetworkFailed:
    """The error of a response of which a part is too long."""
    return NetworkFailed("The server's answer is malformed", error=f"{part} too long", answered=True)


class Meter:
    """The bytes of one exchange; `on_request` is called when the request begins to be sent."""

    def __init__(self, on_request: Callable[[], None]) -> None:
        self.on_request = on_request
        self.received = 0
        self._body: int | None = None

    def allowance(self) -> int:
        """How many bytes may be read next; raises if none may."""
        most = MOST_HEAD_BYTES
        if self._body is not None:
            most += MOST_FRAMING_BYTES + 2 * self._body
        left = most - self.received
        if left <= 0:
            raise overlong("header section" if self._body is None else "framing")
        return min(left, HEAD_READ_BYTES) if self._body is None else left

    def end_head(self, header_lines: int) -> None:
        """Note that the head has arrived: what follows is body and framing."""
        if header_lines > MOST_HEADER_LINES:
            raise overlong("list of headers")
        self._body = 0

    def count_body(self, size: int) -> None:
        """Count bytes of the body before they are decoded."""
        assert self._body is not None
        self._body += size


class MeteredConnection(httpcore2.AsyncNetworkStream):
    """A connection whose bytes are counted, inside of TLS if it is used."""

    def __init__(self, connection: Connection, meter: Meter) -> None:
        self._connection = connection
        self._meter = meter

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109  # httpcore's signature
        data = await self._connection.read(min(max_bytes, self._meter.allowance()), timeout)
        self._meter.received += len(data)
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
