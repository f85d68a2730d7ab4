"""The two seams between the engine and the network, and the system's own side of each.

Tests and the playground put their own behind them; the guard sees only what the resolver
answers, and the dialer gets only addresses that the guard has approved.
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


class Resolver(Protocol):
    async def resolve(self, host: str) -> list[IPAddress]:
        """Every address of a name; raises OSError when there is none."""


class Dialer(Protocol):
    async def dial(self, address: IPAddress, port: int) -> Connection:
        """A TCP connection to an approved address; raises a NetworkError, ProxyError or OSError."""


class SystemResolver:
    """The operating system's resolver, in threads that nobody waits for.

    A question to DNS cannot be called back. In a pool that is shared or joined, a few that hang
    would hold up everything else and outlive Ctrl-C.
    """

    def __init__(self, most_at_once: int = 64) -> None:
        self._places = threading.BoundedSemaphore(most_at_once)

    async def resolve(self, host: str) -> list[IPAddress]:
        if not self._places.acquire(blocking=False):
            raise OSError(errno.EAGAIN, "too many names are being looked up")
        answer = asyncio.get_running_loop().create_future()
        try:
            threading.Thread(target=self._look_up, args=(host, answer), daemon=True).start()
        except RuntimeError as error:
            self._places.release()
            raise OSError(errno.EAGAIN, "there is no thread to look the name up in") from error
        return [ip_address(str(entry[4][0]).partition("%")[0]) for entry in await answer]

    def _look_up(self, host: str, answer: "asyncio.Future[Any]") -> None:
        try:
            found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
            deliver, result = answer.set_result, found
        except (OSError, UnicodeError) as error:
            deliver, result = answer.set_exception, error  # type: ignore[assignment]
        finally:
            self._places.release()
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            answer.get_loop().call_soon_threadsafe(lambda: answer.done() or deliver(result))


class SystemDialer:
    """Plain TCP."""

    def __init__(self) -> None:
        self._backend = httpcore2.AnyIOBackend()

    async def dial(self, address: IPAddress, port: int) -> Connection:
        return await self._backend.connect_tcp(str(address), port)


def is_own_address(address: IPAddress) -> bool:
    """Whether an address belongs to this host.

    Connecting a datagram socket sends nothing; for an address of its own the kernel
    chooses that same address as the source.
    """
    family = socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((str(address), 9))
            source = probe.getsockname()[0]
    except OSError:  # no route, or no such family on this host
        return False
    return bool(ip_address(source.partition("%")[0]) == address)
