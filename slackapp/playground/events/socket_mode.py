"""Socket Mode: WebSocket links that apps open, envelopes over them, acknowledgements back."""

import contextlib
import json
import logging
import secrets
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
from slackapp.playground.events.transports import Outcome, OutgoingRequest
from slackapp.playground.values import App, Json

log = logging.getLogger(__name__)

PING_SECONDS = 0.5
"""Often, for the SDK ends or replaces a connection only between two things that it receives."""


class Sockets:
    """The links of every app; a server that starts with the first ticket."""

    def __init__(self, host: str, timeout: float, journal: ActivityLog) -> None:
        self._host = host
        self._timeout = timeout
        self._journal = journal
        self._lock = threading.Lock()
        self._tickets: dict[str, str] = {}
        self._links: dict[str, deque[ServerConnection]] = {}
        self._waiting: dict[str, Future[Json]] = {}
        """Envelopes without an acknowledgement; it may come over a younger link than they went out by."""
        self._server: Server | None = None
        self._thread: threading.Thread | None = None

    def ticket(self, app: App) -> str:
        """An address that can be used once."""
        with self._lock:
            server = self._server or self._start()
            ticket = secrets.token_urlsafe(16)
            self._tickets[ticket] = app.app_id
            port = server.socket.getsockname()[1]
            return f"ws://{self._host}:{port}/link/?ticket={ticket}&app_id={app.app_id}"

    def count(self, app_id: str) -> int:
        """How many links an app has; a change of it is told to the journal."""
        with self._lock:
            return len(self._links.get(app_id, ()))

    def carry(self, app: App, parcel: OutgoingRequest) -> Outcome:
        envelope, answer = _envelope(parcel), Future[Json]()
        self._waiting[envelope["envelope_id"]] = answer
        try:
            self._next(app.app_id).send(json.dumps(envelope))
            body = answer.result(self._timeout).get("payload") or {}
        except (LookupError, ConnectionClosed):
            return Outcome(error="connection_failed", transport="socket")
        except TimeoutError:
            return Outcome(error="http_timeout", transport="socket")
        finally:
            self._waiting.pop(envelope["envelope_id"], None)
        text = json.dumps(body) if body else ""
        return Outcome(status=200, body=body, answer=text, transport="socket")

    def refresh(self, app_id: str, reason: str) -> None:
        """Asks for every link of an app to be replaced; the app closes the old ones."""
        notice = json.dumps({"type": "disconnect", "reason": reason, "debug_info": {"host": "local"}})
        for link in self._open(app_id):
            with contextlib.suppress(ConnectionClosed):
                link.send(notice)

    def cut(self, app_id: str) -> None:
        for link in self._open(app_id):
            link.close()

    def stop(self) -> None:
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._thread.join()

    def _start(self) -> Server:
        self._server = serve(
            self._attend,
            self._host,
            0,
            process_request=self._admit,
            compression=None,
            logger=log,
            ping_interval=PING_SECONDS,
        )
        run = self._server.serve_forever
        self._thread = threading.Thread(target=run, name="local slack sockets", daemon=True)
        self._thread.start()
        return self._server

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        with self._lock:
            known = _ticket(request) in self._tickets
        return None if known else connection.respond(HTTPStatus.NOT_FOUND, "unknown ticket\n")

    def _attend(self, link: ServerConnection) -> None:
        assert link.request is not None
        with self._lock:
            app_id = self._tickets.pop(_ticket(link.request), "")
        if app_id:
            try:
                with contextlib.suppress(ConnectionClosed):
                    link.send(json.dumps(_hello(app_id, self.count(app_id) + 1)))
                    self._joined(app_id, link)
                    for text in link:
                        self._acknowledged(text)
            finally:
                self._left(app_id, link)

    def _joined(self, app_id: str, link: ServerConnection) -> None:
        with self._lock:
            self._links.setdefault(app_id, deque()).append(link)
        self._journal.note("socket", app_id=app_id, links=self.count(app_id))

    def _left(self, app_id: str, link: ServerConnection) -> None:
        with self._lock, contextlib.suppress(KeyError, ValueError):
            self._links[app_id].remove(link)
        self._journal.note("socket", app_id=app_id, links=self.count(app_id))

    def _acknowledged(self, text: str | bytes) -> None:
        # Anything else is a greeting, or an acknowledgement that comes too late.
        with contextlib.suppress(ValueError, KeyError, TypeError, InvalidStateError):
            message: Any = json.loads(text)
            self._waiting[message["envelope_id"]].set_result(message)

    def _open(self, app_id: str) -> tuple[ServerConnection, ...]:
        with self._lock:
            return tuple(self._links.get(app_id, ()))

    def _next(self, app_id: str) -> ServerConnection:
        """The link whose turn it is; several share the work. Raises LookupError when there is none."""
        with self._lock:
            links = self._links[app_id]
            links.rotate(-1)
            return links[-1]


def _ticket(request: Request) -> str:
    return parse_qs(urlsplit(request.path).query).get("ticket", [""])[0]


def _hello(app_id: str, number: int) -> Json:
    return {
        "type": "hello",
        "num_connections": number,
        "connection_info": {"app_id": app_id},
        "debug_info": {"host": "local", "build_number": 1, "approximate_connection_time": 18060},
    }


def _envelope(parcel: OutgoingRequest) -> Json:
    envelope: Json = {
        "envelope_id": secrets.token_hex(16),
        "type": parcel.kind.value,
        "payload": parcel.payload,
        "accepts_response_payload": parcel.kind.value != "events_api",
    }
    if parcel.kind.value == "events_api":
        envelope |= {"retry_attempt": parcel.retry_num, "retry_reason": parcel.retry_reason}
    return envelope
