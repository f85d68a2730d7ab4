"""Socket Mode: WebSocket connections that apps open, envelopes over them, acknowledgements back."""

import contextlib
import json
import logging
import secrets
import socket
import threading
from collections import deque
from concurrent.futures import Future, InvalidStateError
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlsplit

from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.sync.server import Server, ServerConnection, serve

from slackapp.playground.activity_log import ActivityLog
from slackapp.playground.events.transports import Kind, Outcome, OutgoingRequest
from slackapp.playground.values import App, Json

log = logging.getLogger(__name__)

PING_SECONDS = 0.5
"""Short, because the SDK ends or replaces a connection only between two messages that it receives."""


class SocketModeServer:
    """The connections of every app; it listens from the first ticket on."""

    def __init__(self, host: str, timeout: float, activity: ActivityLog) -> None:
        self._host = host
        self._timeout = timeout
        self._activity = activity
        self._lock = threading.Lock()
        self._tickets: dict[str, str] = {}
        self._connections: dict[str, deque[ServerConnection]] = {}
        self._unacknowledged: dict[str, Future[Json]] = {}
        """Envelopes by id; an acknowledgement may come over a newer connection than the envelope's."""
        self.refusing = False
        """Whether new connections are refused, as by a server that is about to start."""
        self.hello_seconds = 0.0
        """How long a new connection waits for Slack's greeting."""
        self._stopping = threading.Event()
        self._server: Server | None = None
        self._thread: threading.Thread | None = None

    def create_url(self, app: App) -> str:
        """Returns an address for one connection."""
        with self._lock:
            if self._server is None:
                self._server = serve(
                    self._serve_connection,
                    self._host,
                    0,
                    process_request=self._refuse_unknown_ticket,
                    compression=None,
                    logger=log,
                    ping_interval=PING_SECONDS,
                )
                run = self._server.serve_forever
                self._thread = threading.Thread(target=run, name="local slack sockets", daemon=True)
                self._thread.start()
            ticket = secrets.token_urlsafe(16)
            self._tickets[ticket] = app.app_id
            port = self._server.socket.getsockname()[1]
            return f"ws://{self._host}:{port}/link/?ticket={ticket}&app_id={app.app_id}"

    def count(self, app_id: str) -> int:
        """The number of an app's connections; the activity log records its changes."""
        return len(self._open_connections(app_id))

    def deliver(self, app: App, request: OutgoingRequest) -> Outcome:
        is_event = request.kind is Kind.EVENT
        envelope: Json = {
            "envelope_id": secrets.token_hex(16),
            "type": request.kind.value,
            "payload": request.payload,
            "accepts_response_payload": not is_event,
        }
        if is_event:
            envelope |= {"retry_attempt": request.retry_num, "retry_reason": request.retry_reason}
        answer = self._unacknowledged[envelope["envelope_id"]] = Future[Json]()
        try:
            with self._lock:
                connections = self._connections[app.app_id]
                connections.rotate(-1)  # the connections of an app take turns
                connection = connections[-1]
            connection.send(json.dumps(envelope))
            body = answer.result(self._timeout).get("payload") or {}
        except (LookupError, ConnectionClosed):
            return Outcome(error="connection_failed", transport="socket")
        except TimeoutError:
            return Outcome(error="http_timeout", transport="socket")
        finally:
            self._unacknowledged.pop(envelope["envelope_id"], None)
        text = json.dumps(body) if body else ""
        return Outcome(status=200, body=body, answer=text, transport="socket")

    def request_reconnect(self, app_id: str, reason: str) -> None:
        """Asks an app to replace its connections; the app closes the old ones."""
        notice = json.dumps({"type": "disconnect", "reason": reason, "debug_info": {"host": "local"}})
        for connection in self._open_connections(app_id):
            with contextlib.suppress(ConnectionClosed):
                connection.send(notice)

    def disconnect(self, app_id: str, *, abruptly: bool = False) -> None:
        """Ends an app's connections: with a closing handshake, or by ending TCP, as a lost server does."""
        for connection in self._open_connections(app_id):
            if abruptly:
                with contextlib.suppress(OSError):
                    connection.socket.shutdown(socket.SHUT_RDWR)
            else:
                connection.close()

    def stop(self) -> None:
        self._stopping.set()
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._thread.join()

    def _refuse_unknown_ticket(self, connection: ServerConnection, request: Request) -> Response | None:
        if self.refusing:
            return connection.respond(HTTPStatus.SERVICE_UNAVAILABLE, "no server\n")
        with self._lock:
            known = _ticket(request) in self._tickets
        return None if known else connection.respond(HTTPStatus.NOT_FOUND, "unknown ticket\n")

    def _serve_connection(self, connection: ServerConnection) -> None:
        assert connection.request is not None
        with self._lock:
            app_id = self._tickets.pop(_ticket(connection.request), "")
        if not app_id:
            return
        hello = {
            "type": "hello",
            "num_connections": self.count(app_id) + 1,
            "connection_info": {"app_id": app_id},
            "debug_info": {"host": "local", "build_number": 1, "approximate_connection_time": 18060},
        }
        try:
            with contextlib.suppress(ConnectionClosed):
                self._stopping.wait(self.hello_seconds)
                connection.send(json.dumps(hello))
                with self._lock:
                    self._connections.setdefault(app_id, deque()).append(connection)
                self._activity.record("socket", app_id=app_id, links=self.count(app_id))
                for text in connection:
                    # Anything else is a greeting, or an acknowledgement that comes too late.
                    with contextlib.suppress(ValueError, KeyError, TypeError, InvalidStateError):
                        message: Any = json.loads(text)
                        self._unacknowledged[message["envelope_id"]].set_result(message)
        finally:
            with self._lock, contextlib.suppress(KeyError, ValueError):
                self._connections[app_id].remove(connection)
            self._activity.record("socket", app_id=app_id, links=self.count(app_id))

    def _open_connections(self, app_id: str) -> tuple[ServerConnection, ...]:
        with self._lock:
            return tuple(self._connections.get(app_id, ()))


def _ticket(request: Request) -> str:
    return parse_qs(urlsplit(request.path).query).get("ticket", [""])[0]
