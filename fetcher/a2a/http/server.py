"""The server as a process runs it: a socket, uvicorn, the application, and signals."""

import asyncio
import signal
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import uvicorn

from fetcher.a2a.http.asgi_app import ServerApp
from fetcher.a2a.http.connection import Connection
from fetcher.settings import ConfigurationError

KEEP_ALIVE_SECONDS = 75
"""Longer than load balancers keep idle connections, so that it is they who close them."""


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket; raises ConfigurationError."""
    if not 0 <= port < 65536:
        raise ConfigurationError(f"Configuration error: {port} is no port")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named because asyncio sends at once (TCP_NODELAY) only on sockets that name it.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(1024)
        return listener
    except (OSError, TypeError) as error:  # TypeError: a name that no machine can have
        listener.close()
        raise ConfigurationError(f"Configuration error: cannot listen on {host}:{port}: {error}") from None


def url_of(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


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
            uvicorn.Config(
                app,
                loop="asyncio",
                http=Connection,
                ws="none",
                lifespan="on",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
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
