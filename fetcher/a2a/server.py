"""The server as a process runs it: `/ping`, the life of the application, uvicorn and signals."""

import asyncio
import json
import signal
import socket
import time
from collections.abc import Awaitable, Callable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn

from fetcher.a2a.questions import Capacity
from fetcher.serving.connection import server_config

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Asgi = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]
KEEP_ALIVE_SECONDS = 75
"""Longer than load balancers keep idle connections, so that it is they who close them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedApp:
    """The application, and what is to be done when it stops."""

    application: Asgi
    aclose: Callable[[], Awaitable[None]]


class ServerApp:
    """Answers `/ping`, and hands all other requests to the application; ends it when the server stops."""

    def __init__(self, loaded: LoadedApp, capacity: Capacity, shutdown_seconds: float) -> None:
        self._loaded = loaded
        self._capacity = capacity
        self._shutdown_seconds = shutdown_seconds
        self._stopped_at: float | None = None

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        names = {name for name, _ in scope["headers"]}
        if b"transfer-encoding" in names and (b"content-length" in names or scope["http_version"] == "1.0"):
            # A proxy in front may see the body's end elsewhere, and a request behind it (RFC 9112, 6.1).
            headers = [(b"content-length", b"0"), (b"connection", b"close")]
            await send({"type": "http.response.start", "status": 400, "headers": headers})
            await send({"type": "http.response.body", "body": b""})
        elif scope["path"] == "/ping" and scope["method"] in ("GET", "HEAD"):
            await send_json(self._capacity.health, 200, send)
        else:
            await self._loaded.application(scope, receive, send)

    def stop(self) -> None:
        """Begin nothing new; what runs may end."""
        self._stopped_at = self._stopped_at or time.monotonic()
        self._capacity.close()

    async def _live(self, receive: Receive, send: Send) -> None:
        """The server's life, as ASGI tells it: when it stops, what runs may end, and the agent is closed."""
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self.stop()
        assert self._stopped_at is not None
        left = self._stopped_at + self._shutdown_seconds - time.monotonic()
        await self._capacity.wait_until_free(max(0.0, left))
        await self._loaded.aclose()
        await send({"type": "lifespan.shutdown.complete"})


async def send_json(content: Any, status: int, send: Send) -> None:
    """Send a whole response."""
    body = json.dumps(content, ensure_ascii=False).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class _Uvicorn(uvicorn.Server):
    """Leaves signals to us: uvicorn would send the one that stopped it to itself once more."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Server:
    """Serves until it is told to stop; then questions that run have some seconds to end."""

    def __init__(self, app: ServerApp, listener: socket.socket, shutdown_seconds: int) -> None:
        self._app = app
        self._listener = listener
        self._uvicorn = _Uvicorn(
            server_config(
                app,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=shutdown_seconds,
            )
        )

    async def run(self, signals: Sequence[signal.Signals] = ()) -> None:
        """Serve until stopped."""
        loop = asyncio.get_running_loop()
        for number in signals:
            loop.add_signal_handler(number, self.stop)
        try:
            await self._uvicorn.serve(sockets=[self._listener])
        finally:
            for number in signals:
                loop.remove_signal_handler(number)

    def stop(self) -> None:
        """Stop; a second call stops at once."""
        self._uvicorn.force_exit = self._uvicorn.should_exit
        self._uvicorn.should_exit = True
        self._app.stop()
