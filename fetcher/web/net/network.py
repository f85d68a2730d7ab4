"""The engine's two interfaces to the network, `Resolver` and `Dialer`, and those of the operating system.

Tests and the playground give others. The guard sees only the resolver's answer, and the dialer gets only
addresses that the guard has approved.
"""

import asyncio
import errno
import socket
import threading
from contextlib import suppress
from ipaddress import IPv4Address, ip_address
from typing import Any, Protocol

import httpcore2

from fetcher.web.values import IPAddress

Connection = httpcore2.AsyncNetworkStream

NO_SUCH_NAME = frozenset({socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)})
"""The numbers of errors that say for certain that a name has no address; after others, it may have one."""
ANYWHERE = (ip_address("192.0.2.1"), ip_address("2001:db8::1"))
"""Addresses of documentation (RFC 5737, RFC 3849): only a default route leads to them."""


class Resolver(Protocol):
    async def resolve(self, host: str) -> list[IPAddress]:
        """Look up every address of a name; raises OSError if there is none."""


class Dialer(Protocol):
    async def dial(self, address: IPAddress, port: int) -> Connection:
        """Open a TCP connection to an approved address; raises a NetworkError, ProxyError or OSError."""


class SystemResolver:
    """The operating system's resolver, in threads of its own that are never joined.

    A DNS lookup cannot be cancelled. In a shared thread pool, a few lookups that hang would block all other
    work, and would keep the process alive after Ctrl-C.
    """

    def __init__(self, most_at_once: int = 64) -> None:
        self._slots = threading.BoundedSemaphore(most_at_once)

    async def resolve(self, host: str) -> list[IPAddress]:
        if not self._slots.acquire(blocking=False):
            raise OSError(errno.EAGAIN, "too many names are being looked up")
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def look_up() -> None:
            try:
                found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
                deliver, result = answer.set_result, found
            except (OSError, UnicodeError) as error:
                offline = socket.gaierror(socket.EAI_AGAIN, "this host has no route to the internet")
                failure = error if any(map(_source_towards, ANYWHERE)) else offline
                deliver, result = answer.set_exception, failure  # type: ignore[assignment]
            finally:
                self._slots.release()
            with suppress(RuntimeError):  # the loop is closed
                answer.get_loop().call_soon_threadsafe(lambda: answer.done() or deliver(result))

        try:
            threading.Thread(target=look_up, daemon=True).start()
        except RuntimeError as error:
            self._slots.release()
            raise OSError(errno.EAGAIN, "no thread is left to look the name up in") from error
        return [ip_address(str(entry[4][0]).partition("%")[0]) for entry in await answer]


class SystemDialer:
    """Plain TCP."""

    def __init__(self) -> None:
        self._backend = httpcore2.AnyIOBackend()

    async def dial(self, address: IPAddress, port: int) -> Connection:
        return await self._backend.connect_tcp(str(address), port)


def is_own_address(address: IPAddress) -> bool:
    """Whether an address belongs to this host: for those, the kernel chooses the same as the source."""
    return _source_towards(address) == address


def _source_towards(address: IPAddress) -> IPAddress | None:
    """The source that the kernel chooses for an address; None if this host has no route to it.

    Connecting a datagram socket sends nothing.
    """
    family = socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((str(address), 9))
            source = probe.getsockname()[0]
    except OSError:  # no route, or no such family on this host
        return None
    return ip_address(source.partition("%")[0])
