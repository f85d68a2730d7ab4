"""One HTTP exchange with an approved target: no redirects, no cookies, no second look at DNS.

The name in the URL serves for `Host`, SNI and the certificate; the connection itself goes to
the addresses that the guard approved and to nothing else. `httpcore2` speaks the protocol:
its request target is bytes, so what goes over the wire is the canonical URL to the letter.
"""

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass

import httpcore2

from fetcher.web import content_encoding
from fetcher.web.deadline import Deadline
from fetcher.web.errors import FetchError, NetworkFailed, ResponseTooLarge
from fetcher.web.network import Connection, Dialer
from fetcher.web.politeness import HostSlots
from fetcher.web.proxy import proxy_for
from fetcher.web.values import ApprovedTarget, CanonicalUrl, Headers, IPAddress

# It logs whole URLs and Location headers, queries included (SRD FR-WF-19b).
logging.getLogger("httpcore2").setLevel(logging.WARNING)

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
            except (httpcore2.NetworkError, httpcore2.ProxyError, OSError):
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
    _deadline: Deadline

    async def body(self, *, max_bytes: int, cut: bool = False) -> tuple[bytes, bool]:
        """The decoded body and whether it was cut; a longer one is refused unless `cut` is asked for."""
        codings = content_encoding.codings(self.headers.joined("content-encoding"))
        if len(codings) > 1:
            # No server on the open web means it; it is how small bombs hide large ones.
            raise ResponseTooLarge(size=max_bytes + 1, max_bytes=max_bytes, error="nested_content_encoding")
        decoder = content_encoding.decoder(codings[0] if codings else "")
        with _translated(self._deadline, "body"):
            async with self._deadline.phase("body"):
                return await self._decoded(decoder, max_bytes=max_bytes, cut=cut)

    async def _decoded(
        self, decoder: content_encoding.Decoder, *, max_bytes: int, cut: bool
    ) -> tuple[bytes, bool]:
        body, received = bytearray(), False
        async for data in self._response.aiter_stream():
            received = True
            for piece in decoder.feed(data):
                body += piece
                if len(body) > max_bytes:
                    if cut:
                        return bytes(body[:max_bytes]), True
                    raise ResponseTooLarge(size=len(body), max_bytes=max_bytes)
            if decoder.closed:
                break
        if received and not decoder.finished:
            raise NetworkFailed("The response ended early", error="truncated_content_encoding")
        return bytes(body), False


class Transport:
    """Sends GET requests to approved targets."""

    def __init__(
        self, *, dialer: Dialer, ssl_context: ssl.SSLContext | None = None, use_system_proxy: bool = False
    ) -> None:
        self._dialer = dialer
        self._ssl_context = ssl_context
        self._use_system_proxy = use_system_proxy
        self._slots = HostSlots()

    @asynccontextmanager
    async def open(
        self, target: ApprovedTarget, headers: Headers, deadline: Deadline
    ) -> AsyncIterator[OpenResponse]:
        """Sends one request over a connection of its own and yields the answer."""
        async with AsyncExitStack() as stack:
            with _translated(deadline, "headers"):
                async with deadline.phase("connect"):
                    await stack.enter_async_context(self._slots.hold(target.url.host))
                    backend = await stack.enter_async_context(aclosing(self._backend(target)))
                    pool = await stack.enter_async_context(self._pool(backend))
                    response = await pool.handle_async_request(_request(target.url, headers))
            stack.push_async_callback(response.aclose)
            yield OpenResponse(response.status, _reason(response), _fields(response), response, deadline)

    def _backend(self, target: ApprovedTarget) -> Pinned:
        proxy = proxy_for(target.url) if self._use_system_proxy else None
        return Pinned(proxy or self._dialer, target.addresses)

    def _pool(self, backend: Pinned) -> httpcore2.AsyncConnectionPool:
        if self._ssl_context is None:
            self._ssl_context = httpcore2.default_ssl_context()
        return httpcore2.AsyncConnectionPool(ssl_context=self._ssl_context, network_backend=backend)


def _request(url: CanonicalUrl, headers: Headers) -> httpcore2.Request:
    authority = url.origin.partition("://")[2]
    return httpcore2.Request(
        "GET",
        httpcore2.URL(
            scheme=url.scheme.encode(),
            # SNI and certificates know names without the dot of the root (RFC 6066, section 3).
            host=url.host.strip("[]").removesuffix(".").encode(),
            port=url.port,
            target=url.target.encode(),
        ),
        headers=[("Host", authority), *headers, ("Accept-Encoding", content_encoding.OFFERED)],
    )


def _reason(response: httpcore2.Response) -> str:
    reason = response.extensions.get("reason_phrase", b"")
    return bytes(reason).decode("latin-1")


def _fields(response: httpcore2.Response) -> Headers:
    return Headers(
        (key.decode("latin-1").lower(), value.decode("latin-1")) for key, value in response.headers
    )


@contextmanager
def _translated(deadline: Deadline, phase: str) -> Iterator[None]:
    """Turns what httpcore2, the decoders and the system raise into our errors."""
    try:
        yield
    except httpcore2.TimeoutException as error:
        raise NetworkFailed("The connection timed out", error=_named(error)) from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.UnsupportedProtocol) as error:
        raise _explained(error, deadline, phase) from error
    except (httpcore2.ProxyError, OSError, *content_encoding.FAULTS) as error:
        raise NetworkFailed("The connection failed", error=_named(error)) from error


def _explained(error: Exception, deadline: Deadline, phase: str) -> FetchError:
    cause = error.__cause__ or error.__context__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return NetworkFailed("The server's certificate is not valid", error="tls_validation_failed")
    if getattr(cause, "error_status_hint", None) == HEADER_TOO_LONG:
        # A head, a chunk's or the trailers, that does not end would only end at the deadline.
        return deadline.expired(phase)
    return NetworkFailed("The connection failed", error=_named(error))


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".rstrip(": ")
