"""The environment's proxy as a dialer: a tunnel to the address that was checked.

The proxy is never given a name, which it could resolve to something else, and never the request
itself, whose `Host` it would have to replace (RFC 9112 §3.2.2). So it must allow CONNECT to the
ports that are fetched from.
"""

import base64
import urllib.request
from ipaddress import IPv6Address
from urllib.parse import SplitResult, unquote, urlsplit

import httpcore2

from fetcher.web.net.network import Connection
from fetcher.web.values import CanonicalUrl, IPAddress

LONGEST_ANSWER = 16_384


def proxy_for(url: CanonicalUrl) -> "ProxyDialer | None":
    """The proxy that the environment names for a URL, if any (SRD FR-WF-10d)."""
    if urllib.request.proxy_bypass(url.host):
        return None
    named = urllib.request.getproxies()
    address = named.get(url.scheme) or named.get("all")
    return ProxyDialer(address) if address else None


class ProxyDialer:
    """Connects through an HTTP proxy."""

    def __init__(self, address: str) -> None:
        try:
            self._proxy = urlsplit(address if "://" in address else f"http://{address}")
            self._port = self._proxy.port or (443 if self._proxy.scheme == "https" else 80)
        except ValueError as error:
            raise httpcore2.ProxyError("the proxy's address is malformed") from error
        self._backend = httpcore2.AnyIOBackend()

    async def dial(self, address: IPAddress, port: int) -> Connection:
        connection = await self._connected()
        try:
            await self._open_tunnel(connection, address, port)
        except BaseException:
            await connection.aclose()
            raise
        return connection

    async def _connected(self) -> Connection:
        if self._proxy.scheme not in ("http", "https") or not self._proxy.hostname:
            raise httpcore2.ProxyError(f"{self._proxy.scheme} proxies are not supported")
        connection = await self._backend.connect_tcp(self._proxy.hostname, self._port)
        if self._proxy.scheme == "http":
            return connection
        return await connection.start_tls(httpcore2.default_ssl_context(), self._proxy.hostname)

    async def _open_tunnel(self, connection: Connection, address: IPAddress, port: int) -> None:
        target = f"[{address}]:{port}" if isinstance(address, IPv6Address) else f"{address}:{port}"
        head = [f"CONNECT {target} HTTP/1.1", f"Host: {target}", *_authorisation(self._proxy), "", ""]
        await connection.write("\r\n".join(head).encode("ascii"))
        status = await _status(connection)
        if not 200 <= status <= 299:
            raise httpcore2.ProxyError(f"the proxy answered {status}")


def _authorisation(proxy: SplitResult) -> list[str]:
    if not proxy.username:
        return []
    credentials = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return [f"Proxy-Authorization: Basic {base64.b64encode(credentials.encode()).decode('ascii')}"]


async def _status(connection: Connection) -> int:
    """The status of the proxy's answer, whose head ends where the tunnel begins."""
    answer = b""
    while b"\r\n\r\n" not in answer:
        # Byte by byte: what follows the head belongs to the tunnel.
        piece = await connection.read(1)
        if not piece or len(answer) > LONGEST_ANSWER:
            raise httpcore2.ProxyError("the proxy gave no answer")
        answer += piece
    words = answer.split(b" ", 2)
    if not answer.startswith(b"HTTP/") or len(words) < 3 or not words[1].isdigit():
        raise httpcore2.ProxyError("the proxy does not speak HTTP")
    return int(words[1])
