"""A dialer that uses the environment's proxy: it opens a tunnel to the approved address.

The proxy never gets a host name, which it could resolve to another address. It never gets the request
itself either, because it would have to replace its `Host` (RFC 9112 §3.2.2). So the proxy must allow CONNECT
to the ports that are fetched from.
"""

import base64
import urllib.request
from ipaddress import IPv6Address
from urllib.parse import unquote, urlsplit

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
        """Connect to the proxy, and open a tunnel to the address."""
        if self._proxy.scheme not in ("http", "https") or not self._proxy.hostname:
            raise httpcore2.ProxyError(f"{self._proxy.scheme} proxies are not supported")
        connection = await self._backend.connect_tcp(self._proxy.hostname, self._port)
        if self._proxy.scheme == "https":
            connection = await connection.start_tls(httpcore2.default_ssl_context(), self._proxy.hostname)
        try:
            target = f"[{address}]:{port}" if isinstance(address, IPv6Address) else f"{address}:{port}"
            head = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
            if self._proxy.username:
                credentials = f"{unquote(self._proxy.username)}:{unquote(self._proxy.password or '')}"
                encoded = base64.b64encode(credentials.encode()).decode("ascii")
                head.append(f"Proxy-Authorization: Basic {encoded}")
            await connection.write("\r\n".join([*head, "", ""]).encode("ascii"))
            answer = b""
            while b"\r\n\r\n" not in answer:
                # Byte by byte: the bytes after the head belong to the tunnel.
                piece = await connection.read(1)
                if not piece or len(answer) > LONGEST_ANSWER:
                    raise httpcore2.ProxyError("the proxy gave no answer")
                answer += piece
            words = answer.split(b" ", 2)
            if not answer.startswith(b"HTTP/") or len(words) < 3 or not words[1].isdigit():
                raise httpcore2.ProxyError("the proxy does not speak HTTP")
            if not 200 <= int(words[1]) <= 299:
                raise httpcore2.ProxyError(f"the proxy answered {int(words[1])}")
        except BaseException:
            await connection.aclose()
            raise
        return connection
