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
from functools import partial

import httpcore2

from fetcher.web.errors import NetworkFailed, ResponseTooLarge
from fetcher.web.net import content_encoding, metering
from fetcher.web.net.deadline import Deadline
from fetcher.web.net.metering import Meter, MeteredConnection
from fetcher.web.net.network import Connection, Dialer
from fetcher.web.net.politeness import HostSlots
from fetcher.web.net.proxy import proxy_for
from fetcher.web.values import ApprovedTarget, CanonicalUrl, Headers, IPAddress

# It logs whole URLs and Location headers, queries included (SRD FR-WF-19b).
logging.getLogger("httpcore2").setLevel(logging.WARNING)

ATTEMPT_SECONDS = 3.0
"""How long an address may keep us waiting while another one is left to try."""

OVERLONG = 431
"""The hint that h11 gives when a chunk's head or the trailers do not end within its buffer."""

PIECES_A_TURN = 250
"""Pieces of a body that are taken before others have their turn: thousands of tiny chunks arrive at once."""

ENCODING_OVERHEAD = 64 * 1024
"""Encoded bytes that a body may have beyond its limit: what cannot be packed grows a little by packing."""


class Pinned(httpcore2.AsyncNetworkBackend):
    """Connects to approved addresses, in order, whatever name it is asked for."""

    def __init__(self, dialer: Dialer, addresses: tuple[IPAddress, ...], meter: Meter) -> None:
        self._dialer = dialer
        self._addresses = addresses
        self._meter = meter
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
        return MeteredConnection(self._dialled[-1], self._meter)

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
    _meter: Meter

    async def body(self, *, max_bytes: int, cut: bool = False) -> tuple[bytes, bool]:
        """The decoded body and whether it was cut; a longer one is refused unless `cut` is asked for."""
        codings = content_encoding.codings(self.headers.joined("content-encoding"))
        if len(codings) > 1:
            # No server on the open web means it; it is how small bombs hide large ones.
            raise ResponseTooLarge(size=max_bytes + 1, max_bytes=max_bytes, error="nested_content_encoding")
        decoder = content_encoding.decoder(codings[0] if codings else "")
        with _translated():
            async with self._deadline.phase("body"):
                return await self._decoded(decoder, max_bytes=max_bytes, cut=cut)

    async def _decoded(
        self, decoder: content_encoding.Decoder, *, max_bytes: int, cut: bool
    ) -> tuple[bytes, bool]:
        body, encoded, pieces = bytearray(), 0, 0
        async for data in self._response.aiter_stream():
            encoded += len(data)
            pieces += 1
            if pieces % PIECES_A_TURN == 0:
                await asyncio.sleep(0)
            self._meter.body_received(len(data))
            for piece in decoder.feed(data):
                body += piece
                if len(body) > max_bytes:
                    break
            # Encoded bytes count too: gigabytes of empty blocks make no body at all.
            if len(body) > max_bytes or encoded > max_bytes + ENCODING_OVERHEAD:
                if cut:
                    return bytes(body[:max_bytes]), True
                raise ResponseTooLarge(size=max(len(body), encoded), max_bytes=max_bytes)
            if decoder.closed:
                break
        if encoded and not decoder.finished:
            raise NetworkFailed("The response ended early", error="truncated_content_encoding")
        return bytes(body), False


class Transport:
    """Sends requests without a body to approved targets."""

    def __init__(
        self, *, dialer: Dialer, ssl_context: ssl.SSLContext | None = None, use_system_proxy: bool = False
    ) -> None:
        self._dialer = dialer
        self._ssl_context = ssl_context
        self._use_system_proxy = use_system_proxy
        self._slots = HostSlots()

    @asynccontextmanager
    async def open(
        self, target: ApprovedTarget, headers: Headers, deadline: Deadline, *, method: str = "GET"
    ) -> AsyncIterator[OpenResponse]:
        """Sends one request over a connection of its own and yields the answer."""
        async with AsyncExitStack() as stack:
            with _translated():
                async with deadline.phase("queue"):
                    await stack.enter_async_context(self._slots.hold(target.url.host))
                async with deadline.phase("connect") as phase:
                    meter = Meter(on_request=partial(phase.rename, "headers"))
                    backend = await stack.enter_async_context(aclosing(self._backend(target, meter)))
                    pool = await stack.enter_async_context(self._pool(backend))
                    response = await pool.handle_async_request(_request(method, target.url, headers))
            stack.push_async_callback(response.aclose)
            meter.head_ended(len(response.headers))
            yield OpenResponse(
                response.status, _reason(response), _fields(response), response, deadline, meter
            )

    def _backend(self, target: ApprovedTarget, meter: Meter) -> Pinned:
        proxy = proxy_for(target.url) if self._use_system_proxy else None
        return Pinned(proxy or self._dialer, target.addresses, meter)

    def _pool(self, backend: Pinned) -> httpcore2.AsyncConnectionPool:
        if self._ssl_context is None:
            self._ssl_context = httpcore2.default_ssl_context()
        return httpcore2.AsyncConnectionPool(ssl_context=self._ssl_context, network_backend=backend)


def _request(method: str, url: CanonicalUrl, headers: Headers) -> httpcore2.Request:
    authority = url.origin.partition("://")[2]
    return httpcore2.Request(
        method,
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
def _translated() -> Iterator[None]:
    """Turns what httpcore2, the decoders and the system raise into our errors."""
    try:
        yield
    except httpcore2.TimeoutException as error:
        raise NetworkFailed("The connection timed out", error=_named(error)) from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.UnsupportedProtocol) as error:
        raise _explained(error) from error
    except (httpcore2.ProxyError, OSError, *content_encoding.FAULTS) as error:
        raise NetworkFailed("The connection failed", error=_named(error)) from error


def _explained(error: Exception) -> NetworkFailed:
    cause = error.__cause__ or error.__context__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return NetworkFailed("The server's certificate is not valid", error="tls_validation_failed")
    if getattr(cause, "error_status_hint", None) == OVERLONG:
        return metering.overlong("framing")
    return NetworkFailed("The connection failed", error=_named(error))


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".rstrip(": ")
