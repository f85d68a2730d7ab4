"""A plain HTTP server on loopback, for what is served on this machine alone."""

import contextlib
import logging
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

log = logging.getLogger(__name__)

CLOSED_WITHIN = 0.05
"""Seconds that closing may take: how often the server looks whether it is to end."""


class LocalHandler(BaseHTTPRequestHandler):
    """HTTP/1.1 with exact lengths, without a word in the terminal."""

    protocol_version = "HTTP/1.1"
    timeout = 30
    disable_nagle_algorithm = True

    def handle(self) -> None:
        # A client that leaves in the middle is no news.
        with contextlib.suppress(ConnectionError, TimeoutError):
            super().handle()

    def reply(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # its name in the base class
        log.debug(format, *args)


class LocalServer:
    """Gives every connection a handler in a thread of its own, while it is entered."""

    def __init__(self, handler: type[LocalHandler], *, name: str) -> None:
        self._server = _Server(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(CLOSED_WITHIN,), name=name, daemon=True
        )

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
