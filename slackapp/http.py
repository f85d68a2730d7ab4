"""The Bolt app behind a plain HTTP server: what the playground and the tests send Slack's requests to."""

import contextlib
import logging
import re
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from slack_bolt import App, BoltRequest, BoltResponse

log = logging.getLogger(__name__)

Headers = dict[str, str | Sequence[str]]

MAX_BODY_BYTES = 1024 * 1024
"""More than Slack ever sends."""
CLOSED_WITHIN = 0.05
"""Seconds that closing may take: how often the server looks whether it is to end."""


class HttpServer:
    """Serves an app on loopback until it is closed."""

    def __init__(self, app: App, *, host: str = "127.0.0.1", port: int = 0) -> None:
        self._server = _Server((host, port), _handler_of(app))
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(CLOSED_WITHIN,), name="slack-http", daemon=True
        )

    @property
    def url(self) -> str:
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}/slack/events"

    def __enter__(self) -> "HttpServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def _handler_of(app: App) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 30
        disable_nagle_algorithm = True

        def handle(self) -> None:
            # A client that leaves in the middle is no news.
            with contextlib.suppress(ConnectionError, TimeoutError):
                super().handle()

        def do_POST(self) -> None:
            body = self._body()
            self._answer(
                dispatch(app, body, self._headers()) if body is not None else BoltResponse(status=413)
            )

        def _headers(self) -> Headers:
            return {name.lower(): value for name, value in self.headers.items()}

        def _body(self) -> str | None:
            """What was sent; None when it is too long to be Slack's."""
            length = self.headers.get("Content-Length", "")
            if not re.fullmatch("[0-9]{1,9}", length) or int(length) > MAX_BODY_BYTES:
                self.close_connection = True
                return None
            return self.rfile.read(int(length)).decode("utf-8", "replace")

        def _answer(self, response: BoltResponse) -> None:
            content = response.body.encode()
            self.send_response(response.status)
            for name, value in response.first_headers_without_set_cookie().items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # its name in the base class
            log.debug(format, *args)

    return Handler


def dispatch(app: App, body: str, headers: Headers) -> BoltResponse:
    """The app's response; what cannot be parsed never reaches it."""
    try:
        request = BoltRequest(body=body, headers=headers)
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
        log.warning("unreadable_request", extra={"fields": {"bytes": len(body)}})
        return BoltResponse(status=400, body="")
    return app.dispatch(request)
