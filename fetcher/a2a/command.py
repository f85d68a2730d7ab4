"""`python -m fetcher serve`: the agent for other agents."""

import argparse
import logging
import os
import signal
import sys
from typing import Any

from fetcher import configuration
from fetcher.a2a import settings as a2a_settings
from fetcher.agent import open_agent
from fetcher.clock import SystemClock
from fetcher.serving import is_loopback, listen, require_packages, url_of
from fetcher.settings import Settings
from fetcher.startup.parameters import with_parameters

EXTRA = ("a2a", "starlette", "sse_starlette", "uvicorn")
"""Packages that only the server needs."""


def add_to(commands: Any) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("serve", help="serve the agent over A2A")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default 127.0.0.1)")
    parser.add_argument("--port", type=int, default=9000, help="the port (default 9000)")
    parser.add_argument("-v", "--verbose", action="store_true", help="log every question, as JSON lines")
    parser.set_defaults(run=run)


async def run(options: argparse.Namespace, web: Settings) -> int:
    """Serve until a signal comes."""
    require_packages(EXTRA, extra="a2a")
    environ = with_parameters(os.environ)
    settings = a2a_settings.load(environ)
    settings.check_binding(options.host)
    web.require_unattended()
    web.webfetch.security.log_overrides()
    agent = configuration.load_agent(environ)

    host = options.host.strip("[]")
    listener = listen(host, options.port)
    _quiet_libraries()

    from fetcher.a2a.application import ServerSettings, load
    from fetcher.a2a.questions import Capacity
    from fetcher.a2a.server import Server, ServerApp

    port = listener.getsockname()[1]
    capacity = Capacity(settings.a2a_max_tasks, SystemClock())
    local = not settings.a2a_authentication and is_loopback(host)
    server_settings = ServerSettings(settings=settings, agent_settings=agent, port=port, local=local)
    loaded = load(server_settings, capacity, lambda: open_agent(agent, web))
    app = ServerApp(loaded, capacity, settings.a2a_shutdown_seconds)
    server = Server(app, listener, settings.a2a_shutdown_seconds)
    sys.stderr.write(f"Listening on {url_of(host, port)}\n")
    sys.stderr.flush()
    await server.run(signals=(signal.SIGINT, signal.SIGTERM))
    return 0


def _quiet_libraries() -> None:
    """Uvicorn's lines look like ours; the SDK's, which quote what it was sent, are left out."""
    uvicorn = logging.getLogger("uvicorn")
    uvicorn.handlers, uvicorn.propagate = list(logging.getLogger("fetcher").handlers), False
    uvicorn.setLevel(logging.WARNING)
    for name in ("a2a", "opentelemetry"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # Without an exporter its traces go nowhere, and take a quarter of the time of a request.
    os.environ.setdefault("OTEL_INSTRUMENTATION_A2A_SDK_ENABLED", "false")
