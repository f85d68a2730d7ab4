"""HTTP on loopback: keep-alive, one thread a connection, nothing for strangers.

A request is for us only when it names a loopback host; one from a page of another origin is refused.
Otherwise any site open in the same browser could reach the local Slack by a name that resolves to loopback.
"""

import contextlib
import json
import logging
import re
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from fetcher.loopback import LocalHandler
from slackapp.playground.errors import NotRunning

log = logging.getLogger(__name__)

LOCAL_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
LARGEST_BODY = 64 << 20
IDLE_SECONDS = 75


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    verb: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    """By lower-case name."""
    body: bytes = b""

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    status: int = 200
    body: bytes = b""
    content_type: str = "text/plain; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)
    pieces: Iterable[bytes] | None = None
    """A body that is sent as it comes, until it ends or the client leaves."""
    dropped: bool = False
    """End the connection instead of answering."""


Route = Callable[[Request], Reply]


def json_reply(body: Any, status: int = 200, **headers: str) -> Reply:
    """In ASCII, as Slack's own: half of a surrogate pair, which a browser may send, has no other form."""
    text = json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=status, body=text, content_type="application/json; charset=utf-8", headers=named)


def text_reply(text: str, status: int = 200) -> Reply:
    return Reply(status=status, body=text.encode())


class HttpServer:
    """Routes by the longest prefix of the path; threads and sockets end with `stop`."""

    def __init__(self, host: str, port: int, routes: Mapping[str, Route]) -> None:
        self._address = host, port
        self._routes = sorted(routes.items(), key=lambda item: -len(item[0]))
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def base_url(self) -> str:
        if self._server is None:
            raise NotRunning("the local Slack has not been started")
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}/"

    def start(self) -> None:
        self._server = _Server(self._address, self.answer)
        self._thread = threading.Thread(target=self._server.accept, name="local slack", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        if self._server is not None and self._thread is not None:
            self._server.refuse()
            self._thread.join()
            self._server.hang_up()
            self._server.server_close()

    def answer(self, request: Request) -> Reply:
        if not _is_local(request):
            return text_reply("Forbidden", 403)
        for prefix, route in self._routes:
            if request.path.startswith(prefix):
                return route(request)
        return text_reply("Not found", 404)


def _is_local(request: Request) -> bool:
    host = request.headers.get("host", "")
    origin = request.headers.get("origin", f"http://{host}")
    try:
        return urlsplit(f"//{host}").hostname in LOCAL_NAMES and urlsplit(origin).netloc == host
    except ValueError:
        return False


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 256

    def __init__(self, address: tuple[str, int], answer: Route) -> None:
        self.answer = answer
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._refusing = False
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        """Without asking who the address belongs to, which can take its time."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    def accept(self) -> None:
        """Waits in `accept` itself: `serve_forever` looks up only now and then whether it should end."""
        while True:
            request, address = self.get_request()
            if self._refusing:
                return request.close()
            self.process_request(request, address)

    def refuse(self) -> None:
        """Ends `accept`, which a last connection wakes."""
        self._refusing = True
        with contextlib.suppress(OSError):
            host, port = self.server_address[:2]
            socket.create_connection((str(host), port), timeout=1.0).close()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        log.error("a request to the local Slack failed", exc_info=sys.exception())

    def hang_up(self) -> None:
        """Ends connections that wait for a next request."""
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RD)


class _Handler(LocalHandler):
    timeout = IDLE_SECONDS
    wbufsize = -1
    server: _Server

    def finish(self) -> None:
        # What was left to send has nobody to read it.
        with contextlib.suppress(ConnectionError, TimeoutError):
            super().finish()

    def _serve(self) -> None:
        length = self.headers.get("Content-Length", "0")
        if not re.fullmatch("[0-9]{1,15}", length) or "Transfer-Encoding" in self.headers:
            self.close_connection = True
            return self._send(text_reply("Length required", 411))
        if int(length) > LARGEST_BODY:
            self.close_connection = True
            return self._send(text_reply("Too large", 413))
        try:
            request = self._request(self.rfile.read(int(length)))
        except ValueError:  # an address that is none
            return self._send(text_reply("Bad request", 400))
        return self._send(self.server.answer(request))

    do_GET = do_HEAD = do_POST = _serve  # noqa: N815  # the base class has it so

    def _request(self, body: bytes) -> Request:
        parts = urlsplit(self.path)
        return Request(
            verb=self.command,
            path=parts.path,
            query=dict(parse_qsl(parts.query, keep_blank_values=True)),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=body,
        )

    def _send(self, reply: Reply) -> None:
        if reply.dropped:
            self.close_connection = True
            return
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.pieces is None:
            self.send_header("Content-Length", str(len(reply.body)))
        else:
            self.send_header("Connection", "close")
        self.end_headers()
        for piece in (reply.body,) if reply.pieces is None else reply.pieces:
            if self.command != "HEAD":
                self.wfile.write(piece)
                self.wfile.flush()
        self.wfile.flush()

    def log_message(self, *args: Any) -> None:
        """Every call is in the journal; a second log would only hold tokens."""
