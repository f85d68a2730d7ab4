"""The two seams between the engine and the network, and the system's own side of each.

Tests and the playground put their own behind them; the guard sees only what the resolver
answers, and the dialer gets only addresses that the guard has approved.
"""

import asyncio
import socket
from ipaddress import IPv4Address, ip_address
from typing import Protocol

import httpcore2

from fetcher.web.values import IPAddress

Connection = httpcore2.AsyncNetworkStream


class Resolver(Protocol):
    async def resolve(self, host: str) -> list[IPAddress]:
        """Every address of a name; raises OSError when there is none."""


class Dialer(Protocol):
    async def dial(self, address: IPAddress, port: int) -> Connection:
        """A TCP connection to an approved address; raises httpcore2.ConnectError or OSError."""


class SystemResolver:
    """The operating system's resolver."""

    async def resolve(self, host: str) -> list[IPAddress]:
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        return [ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]


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
