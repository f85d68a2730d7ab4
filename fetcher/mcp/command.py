"""`python -m fetcher mcp`: the engine's tools for programs that speak MCP."""

import argparse
import logging
import os
import signal
import sys
from typing import Any

from fetcher import configuration
from fetcher.mcp import settings as mcp_settings
from fetcher.serving import listen, require_packages, url_of
from fetcher.settings import Settings
from fetcher.startup.command_line import tell
from fetcher.startup.parameters import with_parameters
from fetcher.web.pipeline import Pipeline

log = logging.getLogger(__name__)

EXTRA = ("mcp", "starlette", "uvicorn")
"""Packages that only the server needs."""


def add_to(commands: Any) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("mcp", help="offer the tools over MCP, on standard input and output")
    parser.add_argument("--http", action="store_true", help="over streamable HTTP instead")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default 127.0.0.1)")
    parser.add_argument("--port", type=int, default=9100, help="the port (default 9100)")
    parser.add_argument("-v", "--verbose", action="store_true", help="log every fetch to stderr")
    # Clients start the server in the directory of any project. Its `.env` must not switch protections off.
    parser.set_defaults(run=run, reads_dotenv=False)


async def run(options: argparse.Namespace, web: Settings) -> int:
    """Serve until standard input closes, or until a signal comes."""
    require_packages(EXTRA, extra="mcp")
    web.require_unattended()
    environ = with_parameters(os.environ)
    settings, agent = mcp_settings.load(environ), configuration.load_agent(environ)
    host = options.host.strip("[]")
    hosts = settings.hosts_on(host) if options.http else ()

    from fetcher.mcp import server as mcp_server
    from fetcher.mcp.page_tools import PageTools

    for name in ("mcp", "uvicorn", "opentelemetry"):  # their lines quote what they were sent
        logging.getLogger(name).setLevel(logging.CRITICAL)
    server = mcp_server.build_server(PageTools(Pipeline(web), web, agent))
    if options.http:
        app = mcp_server.application(server, hosts, settings.mcp_server_key.get_secret_value())
        listener = listen(host, options.port)
        tell(f"Listening on {url_of(host, listener.getsockname()[1])}{mcp_server.PATH}")
        await mcp_server.uvicorn_server(app).serve(sockets=[listener])
    else:
        from mcp.server.stdio import stdio_server

        # A cancelled task would wait for the thread that reads the next line, so signals end the process.
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(each) is not signal.SIG_IGN:
                signal.signal(each, signal.SIG_DFL)
        try:
            async with stdio_server() as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())
        except* BrokenPipeError:  # the client has left without a word
            log.warning("client_left")
            # What is not written yet fails again when its stream is freed; Python 3.13 tells that on stderr.
            sys.unraisablehook = lambda _: None
    return 0
