"""Requests and replies as values, and a server that routes them.

A request must name a loopback host, and must not come from a page of another origin. Otherwise any site that
is open in the same browser could reach the local Slack by a name that resolves to loopback.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from fetcher.loopback import LocalHandler, LocalServer

LOCAL_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
MAX_BODY_BYTES = 64 << 20
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
    """Writes ASCII, as Slack does: a browser may send half of a surrogate pair, which has no other form."""
    return Reply(
        status=status,
        body=json.dumps(body).encode(),
        content_type="application/json; charset=utf-8",
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )


def text_reply(text: str, status: int = 200) -> Reply:
    return Reply(status=status, body=text.encode())


class RoutingServer(LocalServer):
    """Gives each request to the route with the longest prefix of its path."""

    def __init__(self, host: str, port: int, routes: Mapping[str, Route]) -> None:
        self._routes = sorted(routes.items(), key=lambda item: -len(item[0]))

        class Handler(_Handler):
            answer = staticmethod(self.answer)

        super().__init__(Handler, name="local slack", host=host, port=port)

    @property
    def base_url(self) -> str:
        return f"http://{self.host}:{self.port}/"

    def answer(self, request: Request) -> Reply:
        host = request.headers.get("host", "")
        origin = request.headers.get("origin", f"http://{host}")
        try:
            local = urlsplit(f"//{host}").hostname in LOCAL_NAMES and urlsplit(origin).netloc == host
        except ValueError:
            local = False
        if not local:
            return text_reply("Forbidden", 403)
        for prefix, route in self._routes:
            if request.path.startswith(prefix):
                return route(request)
        return text_reply("Not found", 404)


class _Handler(LocalHandler):
    timeout = IDLE_SECONDS
    answer: Route

    def _serve(self) -> None:
        length = self.headers.get("Content-Length", "0")
        if not re.fullmatch("[0-9]{1,15}", length) or "Transfer-Encoding" in self.headers:
            self.close_connection = True
            return self._send(text_reply("Length required", 411))
        if int(length) > MAX_BODY_BYTES:
            self.close_connection = True
            return self._send(text_reply("Too large", 413))
        body = self.rfile.read(int(length))
        try:
            parts = urlsplit(self.path)
            query = dict(parse_qsl(parts.query, keep_blank_values=True))
        except ValueError:  # the path is not an address
            return self._send(text_reply("Bad request", 400))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(verb=self.command, path=parts.path, query=query, headers=headers, body=body)
        return self._send(self.answer(request))

    do_GET = do_HEAD = do_POST = _serve  # noqa: N815  # the base class has it so

    def _send(self, reply: Reply) -> None:
        if reply.dropped:
            self.close_connection = True
            return None
        headers = {"Content-Type": reply.content_type, **reply.headers}
        if reply.pieces is None:
            return self.reply(reply.status, headers, reply.body)
        self.send_response(reply.status)
        for name, value in {**headers, "Connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()
        for piece in reply.pieces:
            if self.command != "HEAD":
                self.wfile.write(piece)
                self.wfile.flush()
        return None

    def log_message(self, *args: Any) -> None:
        """Writes nothing: the activity log has every call, and paths may hold secrets."""
