"""One HTTP exchange with an approved target: no redirects, no cookies, no second look at DNS.

The name in the URL serves for `Host`, SNI and the certificate; the connection itself goes to
the addresses that the guard approved and to nothing else. `httpcore2` speaks the protocol:
its request target is bytes, so what goes over the wire is the canonical URL to the letter.
"""

import asyncio
import ssl
import urllib.request
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass

import httpcore2

from fetcher.web import content_encoding
from fetcher.web.errors import FetchError, NetworkFailed, ResponseTooLarge, Timeout
from fetcher.web.network import Connection, Dialer
from fetcher.web.politeness import HostSlots
from fetcher.web.values import ApprovedTarget, CanonicalUrl, IPAddress

Headers = tuple[tuple[str, str], ...]

ATTEMPT_SECONDS = 3.0
"""How long an address may keep us waiting while another one is left to try."""

HEADER_TOO_LONG = 431
"""The hint that h11 gives when a header section does not end within its buffer."""


class Pinned(httpcore2.AsyncNetworkBackend):
    """Connects to approved addresses, in order, whatever name it is asked for."""

    def __init__(self, dialer: Dialer, addresses: tuple[IPAddress, ...]) -> None:
        self._dialer = dialer
        self._addresses = addresses
        self._dialled: list[Connection] = []

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  # the backend's signature; our deadline is elsewhere
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> Connection:
        self._dialled.append(await self._first_to_answer(port))
        return self._dialled[-1]

    async def _first_to_answer(self, port: int) -> Connection:
        *first, last = self._addresses
        for address in first:
            try:
                async with asyncio.timeout(ATTEMPT_SECONDS):
                    return await self._dialer.dial(address, port)
            except (httpcore2.ConnectError, OSError):
                continue
        return await self._dialer.dial(last, port)

    async def aclose(self) -> None:
        """Closes what was dialled: a handshake that is cancelled leaves its connection open."""
        for connection in self._dialled:
            await connection.aclose()


@dataclass(frozen=True, slots=True)
class OpenResponse:
    """An answer whose headers have arrived and whose body may be read."""

    status: int
    reason: str
    headers: Headers
    _response: httpcore2.Response

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key == name), None)

    async def body(self, *, max_bytes: int, cut: bool = False) -> tuple[bytes, bool]:
        """The decoded body and whether it was cut; a longer one is refused unless `cut` is asked for."""
        codings = content_encoding.codings(self.header("content-encoding"))
        if len(codings) > 1:
            # No server on the open web means it; it is how small bombs hide large ones.
            raise ResponseTooLarge(size=max_bytes + 1, max_bytes=max_bytes, error="nested_content_encoding")
        decoder = content_encoding.decoder(codings[0] if codings else "")
        with _translated():
            body, cut = await self._decoded(decoder, max_bytes=max_bytes, cut=cut)
        if body and not cut and not decoder.finished:
            raise NetworkFailed("The response ended early", error="truncated_content_encoding")
        return body, cut

    async def _decoded(
        self, decoder: content_encoding.Decoder, *, max_bytes: int, cut: bool
    ) -> tuple[bytes, bool]:
        body = bytearray()
        async for data in self._response.aiter_stream():
            for piece in decoder.feed(data):
                body += piece
                if len(body) > max_bytes:
                    if cut:
                        return bytes(body[:max_bytes]), True
                    raise ResponseTooLarge(size=len(body), max_bytes=max_bytes)
        return bytes(body), False


class Transport:
    """Sends GET and HEAD requests to approved targets."""

    def __init__(
        self, *, dialer: Dialer, ssl_context: ssl.SSLContext | None = None, use_system_proxy: bool = False
    ) -> None:
        self._dialer = dialer
        self._ssl_context = ssl_context
        self._use_system_proxy = use_system_proxy
        self._slots = HostSlots()

    @asynccontextmanager
    async def open(
        self, target: ApprovedTarget, headers: Headers, *, method: str = "GET"
    ) -> AsyncIterator[OpenResponse]:
        """Sends one request over a connection of its own and yields the answer."""
        fields = [("Host", _authority(target.url)), *headers, ("Accept-Encoding", content_encoding.OFFERED)]
        backend = Pinned(self._dialer, target.addresses)
        async with self._slots.hold(target.url.host), aclosing(backend), self._pool(target, backend) as pool:
            with _translated():
                request = httpcore2.Request(
                    method,
                    self._wire_url(target),
                    headers=fields,
                    extensions={"sni_hostname": _name(target.url)},
                )
                response = await pool.handle_async_request(request)
            try:
                yield OpenResponse(response.status, _reason(response), _fields(response), response)
            finally:
                await response.aclose()

    def _pool(self, target: ApprovedTarget, backend: Pinned) -> httpcore2.AsyncConnectionPool:
        if self._ssl_context is None:
            self._ssl_context = httpcore2.default_ssl_context()
        if proxy := self._proxy(target.url):
            return httpcore2.AsyncHTTPProxy(proxy_url=proxy, ssl_context=self._ssl_context)
        return httpcore2.AsyncConnectionPool(ssl_context=self._ssl_context, network_backend=backend)

    def _proxy(self, url: CanonicalUrl) -> str | None:
        """The environment's proxy for a URL, when settings allow it (SRD FR-WF-10d)."""
        if not self._use_system_proxy or urllib.request.proxy_bypass(url.host):
            return None
        return urllib.request.getproxies().get(url.scheme)

    def _wire_url(self, target: ApprovedTarget) -> httpcore2.URL:
        """The URL as httpcore sees it; through a proxy the host is the approved address itself."""
        url = target.url
        host = str(target.addresses[0]) if self._proxy(url) else _name(url)
        return httpcore2.URL(
            scheme=url.scheme.encode(), host=host.encode(), port=url.port, target=url.target.encode()
        )


def _name(url: CanonicalUrl) -> str:
    return url.host.strip("[]")


def _authority(url: CanonicalUrl) -> str:
    return url.origin.partition("://")[2]


def _reason(response: httpcore2.Response) -> str:
    reason = response.extensions.get("reason_phrase", b"")
    return bytes(reason).decode("latin-1")[:100]


def _fields(response: httpcore2.Response) -> Headers:
    return tuple((key.decode("latin-1").lower(), value.decode("latin-1")) for key, value in response.headers)


@contextmanager
def _translated() -> Iterator[None]:
    """Turns what httpcore2, the decoders and the system raise into our errors."""
    try:
        yield
    except httpcore2.TimeoutException as error:
        raise NetworkFailed("The connection timed out", error=_named(error)) from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.UnsupportedProtocol) as error:
        raise _explained(error) from error
    except (
        httpcore2.ProxyError,
        httpcore2.ConnectionNotAvailable,
        OSError,
        *content_encoding.FAULTS,
    ) as error:
        raise NetworkFailed("The connection failed", error=_named(error)) from error


def _explained(error: Exception) -> FetchError:
    cause = error.__cause__ or error.__context__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return NetworkFailed("The server's certificate is not valid", error="tls_validation_failed")
    if getattr(cause, "error_status_hint", None) == HEADER_TOO_LONG:
        # Headers that do not end would only end at the deadline; we do not wait for it.
        return Timeout(timeout_ms=0, phase="headers")
    return NetworkFailed("The connection failed", error=_named(error))


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".rstrip(": ")[:200]
