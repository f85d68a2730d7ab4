"""Plain clients for the fake internet, without any of the engine's rules.

`get` shows what a server of `FakeWeb` says as an ordinary client understands it: httpcore's own
connection pool over a network backend of a few lines. `talk` shows the bytes themselves.
"""

import contextlib
import socket
from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

import httpcore2

from tests.fakes.internet import FakeInternet
from tests.fakes.network import LOOPBACK, FakeDialer, FakeResolver, is_address


class FakeBackend(httpcore2.AsyncNetworkBackend):
    """Looks a name up in the resolver and dials its first address."""

    def __init__(self, resolver: FakeResolver, dialer: FakeDialer) -> None:
        self._resolver = resolver
        self._dialer = dialer
        self._dialled: list[httpcore2.AsyncNetworkStream] = []

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's own signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        found = [ip_address(host)] if is_address(host) else await self._resolver.resolve(host)
        self._dialled.append(await self._dialer.dial(found[0], port))
        return self._dialled[-1]

    async def aclose(self) -> None:
        """Closes what was dialled: httpcore leaves a connection open whose TLS handshake is cancelled."""
        for connection in self._dialled:
            await connection.aclose()


async def get(net: FakeInternet, url: str) -> httpcore2.Response:
    """Fetches a URL; redirects are not followed and bodies not decoded."""
    backend = FakeBackend(net.resolver, net.dialer)
    pool = httpcore2.AsyncConnectionPool(ssl_context=net.ssl_context, network_backend=backend)
    async with contextlib.aclosing(backend), pool:
        # Left to itself, httpcore takes the brackets off an IPv6 address.
        return await pool.request("GET", url, headers={"Host": urlsplit(url).netloc})


def talk(port: int, host: str, target: str = "/", *, until: bytes | None = None) -> bytes:
    """Asks the plain port for a target, and returns all bytes that come, or those up to a mark."""
    with socket.create_connection((LOOPBACK, port), timeout=5) as connection:
        connection.sendall(f"GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        heard = b""
        while until is None or until not in heard:
            piece = connection.recv(65_536)
            if not piece:
                break
            heard += piece
        return heard
