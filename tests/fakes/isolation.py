"""A wall around the test run: nothing in this process talks to another machine.

The rule is Python's own audit hook, which sees every name lookup and every connection before it
happens, whichever library asks. Looking up an address or `localhost` and connecting to loopback
are free; a datagram socket may be connected anywhere, for that alone sends nothing.
"""

import socket
import sys
from collections.abc import Callable
from ipaddress import ip_address
from typing import Any

from tests.fakes.network import is_address


class LeftTheMachine(AssertionError):
    """A test tried to reach the outside."""


def forbid_the_outside() -> None:
    """Puts up the wall; it stays for the life of the process."""
    sys.addaudithook(_judge)


def _judge(event: str, arguments: tuple[Any, ...]) -> None:
    if rule := RULES.get(event):
        rule(*arguments)


def _judge_lookup(host: str | bytes | None, *_: Any) -> None:
    name = host.decode() if isinstance(host, bytes) else host
    if name and name != "localhost" and not is_address(name):
        raise LeftTheMachine(f"a test asked the system for the address of {name}")


def _judge_connection(connection: socket.socket, address: Any) -> None:
    if connection.family not in (socket.AF_INET, socket.AF_INET6) or connection.type == socket.SOCK_DGRAM:
        return
    if not _is_loopback(address[0]):
        raise LeftTheMachine(f"a test connected to {address[0]}")


def _is_loopback(host: str) -> bool:
    return host == "localhost" or (is_address(host) and ip_address(host).is_loopback)


RULES: dict[str, Callable[..., None]] = {
    "socket.getaddrinfo": _judge_lookup,
    "socket.gethostbyname": _judge_lookup,
    "socket.connect": _judge_connection,
}
