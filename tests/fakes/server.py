"""A server on loopback, in a thread with a loop of its own, so that sync and async tests can use it.

A `LoopbackServer` listens on two ports, plain and TLS, and hands every connection to `attend` as a
`Conversation`; when `attend` is done it closes the connection. It owns each connection from the
moment it accepts it: whatever state a conversation is in, `cut_off` and `stop` end it and leave
no socket behind. What `attend` raises is kept for the test in `failures`.

A `FakeServer` is what tests hold in their hands: one that starts, stops, and forgets one test before
the next.
"""

import asyncio
import contextlib
import socket
import ssl
import struct
import threading
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import Any, Protocol, Self, TypeVar

from tests.fakes.conversation import Conversation
from tests.fakes.network import LOOPBACK

T = TypeVar("T")

PATIENCE = 10.0
"""Seconds to wait for the server's thread; only a defect uses them up."""
LONGEST_HEAD = 1 << 20
RESET_AT_CLOSE = struct.pack("ii", 1, 0)


Attend = Callable[[Conversation], Awaitable[None]]
ChooseContext = Callable[[str | None], ssl.SSLContext]


class LoopbackServer:
    """The thread, its listeners and its connections; `choose_context` answers a hello's name."""

    def __init__(self, attend: Attend, choose_context: ChooseContext) -> None:
        self.port = 0
        self.tls_port = 0
        self.failures: list[Exception] = []
        self._attend = attend
        self._choose_context = choose_context
        self._listeners: dict[str, socket.socket] = {}
        self._serving: set[asyncio.Task[None]] = set()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="loopback server", daemon=True)

    def start(self) -> None:
        self._thread.start()
        if not self._ready.wait(PATIENCE):
            raise RuntimeError("the server did not start")

    def stop(self) -> None:
        """Ends all conversations, and the thread."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join(PATIENCE)

    def cut_off(self) -> None:
        """Ends all conversations."""
        self._in_thread(self._cut_off())

    def all_hung_up(self, within: float) -> bool:
        """Whether all conversations end of themselves within some seconds."""
        return self._in_thread(self._all_hung_up(within))

    def _in_thread(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        with self._listen("http") as self.port, self._listen("https") as self.tls_port:
            self._ready.set()
            await self._stopping.wait()
        await self._cut_off()

    @contextlib.contextmanager
    def _listen(self, scheme: str) -> Iterator[int]:
        with socket.create_server((LOOPBACK, 0)) as listener:
            listener.setblocking(False)
            self._loop.add_reader(listener, self._accept, scheme, listener)
            self._listeners[scheme] = listener
            yield listener.getsockname()[1]
            del self._listeners[scheme]
            self._loop.remove_reader(listener)

    def _accept(self, scheme: str, listener: socket.socket) -> None:
        with contextlib.suppress(BlockingIOError):
            while True:
                self._take_on(scheme, listener.accept()[0])

    def _accept_all(self) -> None:
        """Takes on whoever has connected: they belong to this test and not to the next."""
        for scheme, listener in self._listeners.items():
            self._accept(scheme, listener)

    def _take_on(self, scheme: str, connection: socket.socket) -> None:
        connection.setblocking(False)
        task = self._loop.create_task(self._see_through(scheme, connection))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        # Not left to the task: one that is cancelled before its first step runs no `finally`.
        task.add_done_callback(lambda _: connection.close())

    async def _cut_off(self) -> None:
        self._accept_all()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    async def _all_hung_up(self, within: float) -> bool:
        self._accept_all()
        if self._serving:
            await asyncio.wait(self._serving, timeout=within)
        return not self._serving

    async def _see_through(self, scheme: str, connection: socket.socket) -> None:
        """Sees one connection through, and sorts its errors."""
        try:
            await self._converse(scheme, connection)
        except (ConnectionError, ssl.SSLError, asyncio.IncompleteReadError):
            pass  # the client has left, or refused our certificate
        except Exception as error:  # noqa: BLE001 - it belongs to the test
            self.failures.append(error)

    async def _converse(self, scheme: str, connection: socket.socket) -> None:
        name, reader, writer = await self._open(scheme, connection)
        try:
            await self._attend(Conversation(scheme=scheme, server_name=name, reader=reader, writer=writer))
            writer.close()
            await writer.wait_closed()
        except ConnectionResetError:
            _reset_at_close(connection)
        finally:
            with contextlib.suppress(
                AttributeError
            ):  # a transport that has been closed to its end has no loop any more
                writer.transport.abort()

    async def _open(
        self, scheme: str, connection: socket.socket
    ) -> tuple[str | None, asyncio.StreamReader, asyncio.StreamWriter]:
        heard: list[str | None] = [None]
        context = self._hearing_context(heard) if scheme == "https" else None
        reader = asyncio.StreamReader(limit=LONGEST_HEAD)
        protocol = asyncio.StreamReaderProtocol(reader)
        transport, _ = await self._loop.connect_accepted_socket(lambda: protocol, connection, ssl=context)
        return heard[-1], reader, asyncio.StreamWriter(transport, protocol, reader, self._loop)

    def _hearing_context(self, heard: list[str | None]) -> ssl.SSLContext:
        """A context that learns from the client's hello which certificate to show."""

        def choose(tls: ssl.SSLSocket | ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> None:
            heard.append(name)
            tls.context = self._choose_context(name)

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.sni_callback = choose
        return context


class Memory(Protocol):
    """A list, a dict, a set or a deque."""

    def clear(self) -> None: ...


def _no_tls(name: str | None) -> ssl.SSLContext:
    raise AssertionError("this fake is served without TLS")


class FakeServer(ABC):
    """The base of fakes that are servers; use it as a context manager, or call `start` and `stop`."""

    def __init__(self, *memories: Memory, choose_context: ChooseContext = _no_tls) -> None:
        self._memories = memories
        """What one test must not leave to the next."""
        self._server = LoopbackServer(self._attend, choose_context)

    @property
    def port(self) -> int:
        return self._server.port

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    def all_hung_up(self, within: float = 60) -> bool:
        """Whether every client closes its connection within some seconds."""
        return self._server.all_hung_up(within)

    def start(self) -> Self:
        self._server.start()
        return self

    def reset(self) -> None:
        """Ends the conversations that still run and forgets everything; raises what went wrong in them."""
        self._server.cut_off()
        for memory in self._memories:
            memory.clear()
        self._raise_failures()

    def stop(self) -> None:
        """Ends the conversations that still run, and the server; raises what went wrong in them."""
        self._server.stop()
        self._raise_failures()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @abstractmethod
    async def _attend(self, conversation: Conversation) -> None:
        """What is said to one client."""

    def _raise_failures(self) -> None:
        failures, self._server.failures = self._server.failures, []
        if failures:
            raise ExceptionGroup(f"conversations of {type(self).__name__} failed", failures)


def _reset_at_close(connection: socket.socket) -> None:
    if connection.fileno() >= 0:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_AT_CLOSE)
