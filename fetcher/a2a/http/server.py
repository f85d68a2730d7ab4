"""The server as a process runs it: a socket, uvicorn, the application, and signals."""

import asyncio
import signal
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import uvicorn

from fetcher.a2a.http.asgi_app import ServerApp
from fetcher.serving.connection import server_config

KEEP_ALIVE_SECONDS = 75
"""Longer than load balancers keep idle connections, so that it is they who close them."""


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
        app.on_load_failure = self.stop
        self._uvicorn = _Uvicorn(
            server_config(
                app,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=shutdown_seconds,
            )
        )

    async def run(self, signals: Sequence[signal.Signals] = ()) -> None:
        """Serve until stopped; raises what kept the application from loading."""
        loop = asyncio.get_running_loop()
        for number in signals:
            loop.add_signal_handler(number, self.stop)
        try:
            await self._uvicorn.serve(sockets=[self._listener])
        finally:
            for number in signals:
                loop.remove_signal_handler(number)
        self._app.raise_load_failure()

    def stop(self) -> None:
        """Stop; a second call stops at once."""
        self._uvicorn.force_exit = self._uvicorn.should_exit
        self._uvicorn.should_exit = True
        self._app.stop()
