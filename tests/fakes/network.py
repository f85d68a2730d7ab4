"""A resolver and a dialer that never leave this machine.

They stand behind the engine's two seams (`fetcher.web.net.network`). The resolver answers from a
table, so no test asks the system's DNS (SRD T-WF-INFRA-01). The dialer carries chosen public
addresses to servers on loopback, so the guard works on public addresses with every rule switched
on. Both write down what they were asked, before they answer or fail. The dialer is a canary as
well: being asked for an address that is not public is an error in the engine, and it says so
loudly.
"""

import asyncio
import socket
from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from typing import NoReturn

import httpcore2

from fetcher.web.net.network import Connection
from fetcher.web.values import IPAddress

LOOPBACK = "127.0.0.1"

Answer = list[IPAddress] | int | None
"""Addresses, an error of getaddrinfo, or silence."""


class FakeResolver:
    """Names and their made-up addresses; a name that was never added does not exist."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._answers: dict[str, list[Answer]] = {}

    def add(self, name: str, *addresses: str) -> None:
        """Gives a name its addresses, in this order."""
        self.answers(name, addresses)

    def answers(self, name: str, *successive: Sequence[str]) -> None:
        """Gives a name a different answer each time it is asked for (rebinding); the last one stays."""
        self._answers[_key(name)] = [[ip_address(text) for text in answer] for answer in successive]

    def fail(self, name: str, error: int = socket.EAI_AGAIN) -> None:
        """Lets a name fail with an error of getaddrinfo."""
        self._answers[_key(name)] = [error]

    def stall(self, name: str) -> None:
        """Lets questions for a name wait until the asker gives up."""
        self._answers[_key(name)] = [None]

    async def resolve(self, host: str) -> list[IPAddress]:
        self.asked.append(host)
        answer = self._next_answer(host)
        if answer is None:
            await _for_ever()
        if isinstance(answer, int):
            raise socket.gaierror(answer, f"{host} does not resolve in this test")
        return list(answer)

    def _next_answer(self, host: str) -> Answer:
        successive = self._answers.get(_key(host), [socket.EAI_NONAME])
        return successive.pop(0) if len(successive) > 1 else successive[0]


class FakeDialer:
    """Public addresses that are served on loopback; every other address refuses."""

    def __init__(self, *, strict: bool = True) -> None:
        self.attempts: list[tuple[str, int]] = []
        self.forbidden: list[tuple[str, int]] = []
        """Attempts at addresses that are not public; stays empty in a sound engine."""
        self._strict = strict
        self._ways: dict[tuple[IPAddress, int], int] = {}
        self._refused: set[IPAddress] = set()
        self._stalled: set[IPAddress] = set()
        self._backend = httpcore2.AnyIOBackend()

    def carry(
        self,
        address: str,
        ports: Mapping[int, int] | None = None,
        *,
        http: int | None = None,
        https: int | None = None,
    ) -> None:
        """Leads ports of an address to ports on loopback; `http` and `https` stand for 80 and 443."""
        ways = {80: http, 443: https, **(ports or {})}
        for port, loopback_port in ways.items():
            if loopback_port is not None:
                self._ways[ip_address(address), port] = loopback_port

    def refuse(self, address: str) -> None:
        """Lets connections to an address be refused, though it is carried."""
        self._refused.add(ip_address(address))

    def stall(self, address: str) -> None:
        """Lets connections to an address wait until the caller gives up."""
        self._stalled.add(ip_address(address))

    async def dial(self, address: IPAddress, port: int) -> Connection:
        self._record(address, port)
        if address in self._stalled:
            await _for_ever()
        way = self._ways.get((address, port))
        if way is None or address in self._refused:
            raise httpcore2.ConnectError(f"connection refused: {address} port {port}")
        return await self._backend.connect_tcp(LOOPBACK, way)

    def _record(self, address: IPAddress, port: int) -> None:
        attempt = (str(address), port)
        self.attempts.append(attempt)
        if self._strict and not is_public(address):
            self.forbidden.append(attempt)
            raise AssertionError(f"a forbidden address was dialled: {address} port {port}")


def is_public(address: IPAddress) -> bool:
    """Python's own opinion, which is coarser than the guard's and independent of it."""
    return address.is_global and not address.is_multicast


def is_address(host: str) -> bool:
    """Whether a host is an IP address and no name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _key(name: str) -> str:
    return name.lower().rstrip(".")


async def _for_ever() -> NoReturn:
    await asyncio.Event().wait()
    raise AssertionError("nobody sets this event")
