"""Listeners on loopback that nobody may find: whoever contacts one has got out.

Each nest of a `Canary` is one port, on TCP and on UDP, for one attempt to get out, so that a
contact names the attempt whatever it says. A TCP visitor is told a secret; should the secret turn
up in an output, an answer has got in as well. One nest may listen to questions that are put to the
whole local network (mDNS), where the words of a question tell it from the neighbours'.
"""

import selectors
import socket
import struct
import threading
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Self

from tests.fakes.network import LOOPBACK

SECRET = "LEAKED_INTERNAL_DATA"
ANSWER = (
    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nAccess-Control-Allow-Origin: *\r\n"
    f"Content-Length: {len(SECRET)}\r\nConnection: close\r\n\r\n{SECRET}"
).encode()
WORD = 2.0
"""Seconds within which a visitor must have said something; one who does not is a contact as well."""
ATTEMPTS = 50
MDNS = ("224.0.0.251", 5353)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """Somebody was there."""

    nest: str
    transport: str
    said: bytes


class Canary:
    """All nests, served by one thread; use it as a context manager."""

    def __init__(self) -> None:
        self._contacts: list[Contact] = []
        self._selector = selectors.DefaultSelector()
        self._stack = ExitStack()
        self._stopping = threading.Event()
        self._heard = threading.Condition()
        self._thread = threading.Thread(target=self._watch, name="canary", daemon=True)

    @property
    def contacts(self) -> list[Contact]:
        return list(self._contacts)

    @property
    def visited(self) -> set[str]:
        """The nests that were contacted."""
        return {contact.nest for contact in self._contacts}

    def nest(self, name: str) -> int:
        """A port for one attempt."""
        tcp, udp = _pair()
        for transport, listener in (("tcp", tcp), ("udp", udp)):
            listener.setblocking(False)
            self._stack.enter_context(listener)
            self._selector.register(listener, selectors.EVENT_READ, (name, transport, b""))
        port: int = tcp.getsockname()[1]
        return port

    def nest_on_the_local_network(self, name: str, word: bytes) -> None:
        """For questions that name a word and are put to all neighbours."""
        listener = self._stack.enter_context(_neighbour())
        self._selector.register(listener, selectors.EVENT_READ, (name, "mdns", word))

    def wait_for(self, name: str, within: float) -> bool:
        """Whether a nest is contacted within some seconds."""
        with self._heard:
            return self._heard.wait_for(lambda: name in self.visited, within)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()
        self._selector.close()
        self._stack.close()

    def _watch(self) -> None:
        while not self._stopping.is_set():
            for key, _ in self._selector.select(0.02):
                name, transport, word = key.data
                assert isinstance(key.fileobj, socket.socket)
                said = _attended(key.fileobj) if transport == "tcp" else _received(key.fileobj)
                if word in said:
                    with self._heard:
                        self._contacts.append(Contact(nest=name, transport=transport, said=said))
                        self._heard.notify_all()


def _pair() -> tuple[socket.socket, socket.socket]:
    """A TCP and a UDP socket that share a port number."""
    for _ in range(ATTEMPTS):
        tcp = socket.create_server((LOOPBACK, 0))
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            udp.bind(tcp.getsockname())
        except OSError:  # somebody else's UDP port
            tcp.close()
            udp.close()
            continue
        return tcp, udp
    raise RuntimeError("no port is free on both TCP and UDP")


def _neighbour() -> socket.socket:
    """A socket that hears what is asked on every network that this machine is part of."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.setblocking(False)
    for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
        listener.setsockopt(socket.SOL_SOCKET, option, 1)
    listener.bind(MDNS)
    for number, _ in socket.if_nameindex():
        with suppress(OSError):  # a network without multicast
            member = struct.pack("=4s4si", socket.inet_aton(MDNS[0]), bytes(4), number)
            listener.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
    return listener


def _received(listener: socket.socket) -> bytes:
    return listener.recvfrom(2048)[0]


def _attended(listener: socket.socket) -> bytes:
    connection, _ = listener.accept()
    with connection, suppress(OSError):
        connection.settimeout(WORD)
        said = connection.recv(2048)
        connection.sendall(ANSWER)
        return said
    return b""
