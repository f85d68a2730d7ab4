"""The ASGI application that is there first: it answers `/ping` while the rest is still being loaded.

The SDK takes longer to import than everything else together, and a platform that starts a machine for a
question asks `/ping` at once. So the socket is opened first; every other request waits for the rest.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from fetcher.a2a.tasks.capacity import Capacity

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Asgi = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedApp:
    """The rest: the application, and what is to be done when it stops."""

    application: Asgi
    aclose: Callable[[], Awaitable[None]]


class ServerApp:
    """Answers `/ping`, and starts and stops the loaded application, which answers all other requests."""

    def __init__(self, load: Callable[[], LoadedApp], capacity: Capacity, shutdown_seconds: float) -> None:
        self._load = load
        self._capacity = capacity
        self._shutdown_seconds = shutdown_seconds
        self._stopped_at: float | None = None
        self._loading: asyncio.Task[LoadedApp] | None = None
        self.on_load_failure: Callable[[], None] = self.stop

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
            assert self._loading is not None
            loaded = await asyncio.shield(self._loading)
            await loaded.application(scope, receive, send)

    def stop(self) -> None:
        """Begin nothing new; what runs may end."""
        self._stopped_at = time.monotonic()
        self._capacity.close()

    def raise_load_failure(self) -> None:
        if self._loading is not None and self._loading.done():
            self._loading.result()

    async def _live(self, receive: Receive, send: Send) -> None:
        """The server's life, as ASGI tells it: load the rest, and close it when the server stops."""
        await receive()
        loading = self._loading = asyncio.create_task(asyncio.to_thread(self._load))
        loading.add_done_callback(lambda task: self.on_load_failure() if task.exception() else None)
        await send({"type": "lifespan.startup.complete"})
        await receive()
        if self._stopped_at is None:
            self.stop()
        assert self._stopped_at is not None
        await asyncio.wait([loading])
        if loading.exception() is None:
            left = self._stopped_at + self._shutdown_seconds - time.monotonic()
            await self._capacity.wait_until_free(max(0.0, left))
            await loading.result().aclose()
        await send({"type": "lifespan.shutdown.complete"})


async def send_json(content: Any, status: int, send: Send) -> None:
    """Send a whole response."""
    body = json.dumps(content, ensure_ascii=False).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
