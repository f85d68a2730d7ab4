"""The way to DynamoDB, where things go wrong as told: a forwarding server on loopback."""

import http.client
import json
import socket
import threading
import time
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


class Wire:
    """Forwards to an endpoint; each entry of `plan` befalls one request, or one of its operation in `plans`.

    `lose`: the request is done, its answer lost. `drop`: the connection ends. `hang`: no answer while the
    wire stands. A number is an answer of that status without sense; any other word is DynamoDB's name of an
    error.
    """

    def __init__(self, upstream: str = "") -> None:
        self.upstream = urlsplit(upstream).netloc
        self.plan: deque[str | int] = deque()
        self.plans: dict[str, deque[str | int]] = {}
        self.operations: list[str] = []
        self.over = threading.Event()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def saw(self, requests: int) -> bool:
        """Whether so many requests arrive within some seconds: a client that gave up can be ahead of them."""
        until = time.monotonic() + 10
        while len(self.operations) < requests and time.monotonic() < until:
            time.sleep(0.01)
        return len(self.operations) == requests

    def next(self, operation: str) -> str | int:
        """What befalls the next request."""
        plan = self.plans.get(operation) or self.plan
        return plan.popleft() if plan else ""

    def __enter__(self) -> "Wire":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, wire: Wire) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.wire = wire


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        operation = self.headers["X-Amz-Target"].rpartition(".")[2]
        self.server.wire.operations.append(operation)
        fate = self.server.wire.next(operation)
        if fate in ("drop", "hang"):
            if fate == "hang":
                self.server.wire.over.wait()
            self._cut()
        elif isinstance(fate, int):
            self._answer(fate, b"<not json>")
        elif fate in ("", "lose"):
            status, content, request_id = self._forwarded(body)
            self._cut() if fate else self._answer(status, content, request_id)
        else:
            error = {"__type": f"com.amazonaws.dynamodb.v20120810#{fate}", "message": "x"}
            self._answer(500 if fate == "InternalServerError" else 400, json.dumps(error).encode())

    def _forwarded(self, body: bytes) -> tuple[int, bytes, str]:
        connection = http.client.HTTPConnection(self.server.wire.upstream, timeout=5)
        connection.request("POST", "/", body, dict(self.headers.items()))
        response = connection.getresponse()
        answer = response.read()
        connection.close()
        return response.status, answer, response.headers["x-amzn-RequestId"]

    def _answer(self, status: int, content: bytes, request_id: str = "") -> None:
        self.send_response(status)
        if request_id:
            self.send_header("x-amzn-RequestId", request_id)
        self.send_header("Content-Type", "application/x-amz-json-1.0")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _cut(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_: object) -> None:
        """Silent."""
