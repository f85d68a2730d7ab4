"""HTTP servers on loopback, for everything that is served on this machine alone."""

import contextlib
import io
import logging
import socket
import sys
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any, Self

log = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
MOST_CONNECTIONS = 1000
"""At a time; each has a thread. The next ones are closed at once."""
PAUSE_SECONDS = 0.05
"""After a connection that could not be accepted."""


class NotRunning(Exception):
    """A server has no port before it starts."""


class LocalHandler(BaseHTTPRequestHandler):
    """Serves HTTP/1.1 with exact lengths and writes nothing to the terminal."""

    protocol_version = "HTTP/1.1"
    timeout = 30
    longest: float | None = None
    """Seconds after which a connection ends, however slowly its bytes come."""
    wbufsize = -1
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        if self.longest is not None:
            self.rfile = io.BufferedReader(_BoundedReader(self.connection, self.longest))

    def handle(self) -> None:
        # A client may leave at any moment.
        with contextlib.suppress(ConnectionError, TimeoutError):
            super().handle()

    def finish(self) -> None:
        # What is still buffered cannot be sent to a client that has left.
        with contextlib.suppress(ConnectionError, TimeoutError):
            super().finish()

    def reply(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def pause(self, seconds: float) -> None:
        """Wait before the reply, but not longer than the server runs."""
        assert isinstance(self.server, _Server)
        self.server.stopping.wait(seconds)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # its name in the base class
        log.debug(format, *args)


class _BoundedReader(io.RawIOBase):
    """Reads from a connection until its time is over."""

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        self._connection = connection
        self._until = time.monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)
        return self._connection.recv_into(buffer)


class LocalServer:
    """Gives every connection a handler and a thread; `stop` first lets requests in work be answered."""

    def __init__(
        self,
        handler: type[BaseHTTPRequestHandler],
        *,
        name: str,
        host: str = LOOPBACK,
        port: int = 0,
        most_connections: int = MOST_CONNECTIONS,
    ) -> None:
        self._handler = handler
        self._most_connections = most_connections
        self._name = name
        self.host = host
        self._wanted_port = port
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def port(self) -> int:
        """Raises NotRunning before `start`."""
        if self._server is None:
            raise NotRunning(f"{self._name} has not been started")
        return int(self._server.server_address[1])

    def start(self) -> Self:
        """Raises OSError when the port is taken."""
        address = (self.host, self._wanted_port)
        self._server = _Server(address, self._handler, self._most_connections)
        self._thread = threading.Thread(target=self._server.accept, name=self._name, daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        if self._server is not None and self._thread is not None:
            self._server.stop_accepting()
            self._thread.join()
            self._server.end_connections()
            self._server.server_close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


class _Server(ThreadingHTTPServer):
    request_queue_size = 256

    def __init__(
        self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler], most_connections: int
    ) -> None:
        self._connections: dict[socket.socket, threading.Thread] = {}
        self._most_connections = most_connections
        self._lock = threading.Lock()
        self.stopping = threading.Event()
        super().__init__(address, handler)

    def server_bind(self) -> None:
        """Leaves out the reverse look-up of the base class, which can be slow."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    def accept(self) -> None:
        """Waits in `accept` itself: `serve_forever` would notice a stop only at its next poll.

        A flood may use up the files or the threads of the process; when it is over, the server serves again.
        """
        while not self.stopping.is_set():
            try:
                request, address = self.get_request()
            except OSError as error:
                log.warning("connection_not_accepted", extra={"fields": {"error": type(error).__name__}})
                self.stopping.wait(PAUSE_SECONDS)
                continue
            if self.stopping.is_set() or len(self._connections) >= self._most_connections:
                request.close()
                continue
            try:
                self.process_request(request, address)
            except RuntimeError as error:  # no thread can be started
                log.warning("connection_not_accepted", extra={"fields": {"error": type(error).__name__}})
                self.shutdown_request(request)

    def stop_accepting(self) -> None:
        """Ends `accept`; a last connection wakes it."""
        self.stopping.set()
        with contextlib.suppress(OSError):
            host, port = self.server_address[:2]
            socket.create_connection((str(host), port), timeout=1.0).close()

    def process_request(self, request: Any, client_address: Any) -> None:
        """As in the base class, which would wait in the end for a thread that could not be started."""
        thread = threading.Thread(target=self.process_request_thread, args=(request, client_address))
        with self._lock:
            self._connections[request] = thread
        thread.start()

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._connections.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        log.error("a request to a local server failed", exc_info=sys.exception())

    def end_connections(self) -> None:
        """Ends connections that wait for their next request, and waits for those that are being served."""
        with self._lock:
            threads = list(self._connections.values())
            for connection in self._connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RD)
        for thread in threads:
            thread.join()
