"""One HTTP exchange with an approved target: no redirects, no cookies, no second DNS lookup.

The host name of the URL is used for `Host`, SNI and the certificate. The connection goes only to the
addresses that the guard approved. `httpcore2` implements the protocol: its request target is bytes, so the
canonical URL is sent exactly as it is.
"""

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial

import httpcore2

from fetcher.web.errors import NetworkFailed, ResponseTooLarge
from fetcher.web.net import content_encoding, metering
from fetcher.web.net.deadline import Deadline
from fetcher.web.net.media_types import SNIFFED
from fetcher.web.net.metering import Meter, MeteredConnection
from fetcher.web.net.network import Connection, Dialer
from fetcher.web.net.politeness import HostSlots
from fetcher.web.net.proxy import proxy_for
from fetcher.web.values import ApprovedTarget, Headers, IPAddress

# httpcore2 would log whole URLs and Location headers with their queries (SRD FR-WF-19b).
logging.getLogger("httpcore2").setLevel(logging.WARNING)

ATTEMPT_SECONDS = 3.0
"""How long an attempt to connect may take while another address is left to try."""

OVERLONG = 431
"""The hint that h11 gives if a chunk's head or the trailers are longer than its buffer."""

PIECES_A_TURN = 250
"""Pieces of a body that are read before other tasks run: thousands of tiny chunks can arrive at once."""

ENCODING_OVERHEAD = 64 * 1024
"""Encoded bytes that a body may have beyond its limit: data that cannot be compressed grows a little."""


JudgeBody = Callable[[bytes], tuple[int, bool] | None]
"""Called with the beginning of a body; returns other `max_bytes` and `cut` for it, or raises to refuse it."""


@dataclass(slots=True)
class BodyLimits:
    """How much of a body is read, which its beginning may change."""

    max_bytes: int
    cut: bool
    judge: JudgeBody | None

    def look_at(self, body: bytearray, *, ended: bool = False) -> None:
        """Have the beginning judged, once there is enough of it."""
        if self.judge and (ended or len(body) >= SNIFFED):
            judge, self.judge = self.judge, None
            self.max_bytes, self.cut = judge(bytes(body[:SNIFFED])) or (self.max_bytes, self.cut)


class PinnedBackend(httpcore2.AsyncNetworkBackend):
    """Connects to the approved addresses, in order, and ignores the host name that it is given."""

    def __init__(self, dialer: Dialer, addresses: tuple[IPAddress, ...], meter: Meter) -> None:
        self._dialer = dialer
        self._addresses = addresses
        self._meter = meter
        self._dialled: list[Connection] = []

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  # the backend's signature; `Deadline` limits the time
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> Connection:
        *first, last = self._addresses
        for address in first:
            try:
                async with asyncio.timeout(ATTEMPT_SECONDS):
                    connection = await self._dialer.dial(address, port)
                    break
            except (httpcore2.NetworkError, httpcore2.ProxyError, OSError):
                continue
        else:
            connection = await self._dialer.dial(last, port)
        self._dialled.append(connection)
        return MeteredConnection(connection, self._meter)

    async def aclose(self) -> None:
        """Close the connections: a cancelled handshake leaves its connection open."""
        for connection in self._dialled:
            await connection.aclose()


@dataclass(frozen=True, slots=True)
class OpenResponse:
    """A response whose headers have arrived and whose body can be read."""

    status: int
    reason: str
    headers: Headers
    _response: httpcore2.Response
    _deadline: Deadline
    _meter: Meter

    async def body(
        self, *, max_bytes: int, cut: bool = False, judge: JudgeBody | None = None
    ) -> tuple[bytes, bool]:
        """Read the decoded body; returns it and whether it was cut. Without `cut`, a long one is refused.

        `judge` sees the body's beginning, and may give it other limits.
        """
        codings = content_encoding.codings(self.headers.joined("content-encoding"))
        if len(codings) > 1:
            # Real servers do not nest encodings; attackers do, to hide large bombs in small ones.
            raise NetworkFailed(
                "The server nested content encodings", error="nested_content_encoding", answered=True
            )
        decoder = content_encoding.decoder(codings[0] if codings else "")
        body, encoded, pieces, limits = bytearray(), 0, 0, BodyLimits(max_bytes, cut, judge)
        with _translated_errors():
            async with self._deadline.phase("body"):
                async for data in self._response.aiter_stream():
                    encoded += len(data)
                    pieces += 1
                    if pieces % PIECES_A_TURN == 0:
                        await asyncio.sleep(0)
                    self._meter.count_body(len(data))
                    for piece in decoder.feed(data):
                        body += piece
                        limits.look_at(body)
                        if len(body) > limits.max_bytes:
                            break
                    # Encoded bytes count too: gigabytes of empty blocks decode to an empty body.
                    if len(body) > limits.max_bytes or encoded > limits.max_bytes + ENCODING_OVERHEAD:
                        if limits.cut:
                            return bytes(body[: limits.max_bytes]), True
                        raise ResponseTooLarge(size=max(len(body), encoded), max_bytes=limits.max_bytes)
                    if decoder.closed:
                        break
                limits.look_at(body, ended=True)
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
        """Send one request over a new connection, and yield the response."""
        url = target.url
        request = httpcore2.Request(
            method,
            httpcore2.URL(
                scheme=url.scheme.encode(),
                # In SNI and certificates, names are without the final dot (RFC 6066, section 3).
                host=url.host.strip("[]").removesuffix(".").encode(),
                port=url.port,
                target=url.target.encode(),
            ),
            headers=[
                ("Host", url.origin.partition("://")[2]),
                *headers,
                ("Accept-Encoding", content_encoding.OFFERED),
            ],
        )
        async with AsyncExitStack() as stack:
            with _translated_errors():
                async with deadline.phase("queue"):
                    await stack.enter_async_context(self._slots.hold(url.host))
                async with deadline.phase("connect") as phase:
                    meter = Meter(on_request=partial(phase.rename, "headers"))
                    proxy = proxy_for(url) if self._use_system_proxy else None
                    backend = PinnedBackend(proxy or self._dialer, target.addresses, meter)
                    await stack.enter_async_context(aclosing(backend))
                    self._ssl_context = self._ssl_context or httpcore2.default_ssl_context()
                    pool = await stack.enter_async_context(
                        httpcore2.AsyncConnectionPool(ssl_context=self._ssl_context, network_backend=backend)
                    )
                    response = await pool.handle_async_request(request)
            stack.push_async_callback(response.aclose)
            meter.end_head(len(response.headers))
            reason = bytes(response.extensions.get("reason_phrase", b"")).decode("latin-1")
            fields = Headers(
                (key.decode("latin-1").lower(), value.decode("latin-1")) for key, value in response.headers
            )
            yield OpenResponse(response.status, reason, fields, response, deadline, meter)


@contextmanager
def _translated_errors() -> Iterator[None]:
    """Turn the exceptions of httpcore2, the decoders and the system into FetchErrors."""
    try:
        yield
    except httpcore2.TimeoutException as error:
        raise NetworkFailed("The connection timed out", error=_named(error)) from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.UnsupportedProtocol) as error:
        cause = error.__cause__ or error.__context__
        if isinstance(cause, ssl.SSLCertVerificationError):
            raise NetworkFailed(
                "The server's certificate is not valid", error="tls_validation_failed"
            ) from error
        if getattr(cause, "error_status_hint", None) == OVERLONG:
            raise metering.overlong("framing") from error
        raise NetworkFailed("The connection failed", error=_named(error)) from error
    except (httpcore2.ProxyError, OSError, *content_encoding.FAULTS) as error:
        raise NetworkFailed("The connection failed", error=_named(error)) from error


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".rstrip(": ")
