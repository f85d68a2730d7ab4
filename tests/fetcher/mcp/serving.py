"""The server over HTTP on a free port of loopback, in a thread."""

import asyncio
import http.client
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fetcher.mcp.page_tools import PageTools
from fetcher.mcp.server import application, build_server, uvicorn_server
from fetcher.mcp.settings import McpSettings
from fetcher.serving import listen
from fetcher.settings import AgentSettings, Settings
from tests.engine import engine
from tests.fakes.internet import FakeInternet

PATIENCE = 30.0
"""Seconds to wait for the server's thread; only a defect uses them up."""


@contextmanager
def serving(internet: FakeInternet, key: str = "", host: str = "127.0.0.1") -> Iterator[int]:
    """The port of a server whose web is the fake internet."""
    settings = McpSettings.model_validate({"mcp_server_key": key})
    with listen("127.0.0.1", 0) as listener:
        running: list[Any] = []
        started = threading.Event()

        async def serve() -> None:
            tools = PageTools(engine(internet), Settings().for_unattended(), AgentSettings())
            app = application(build_server(tools), settings.hosts_on(host), key)
            running.append(uvicorn_server(app))
            started.set()
            await running[0].serve(sockets=[listener])

        thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
        thread.start()
        assert started.wait(PATIENCE)
        try:
            yield listener.getsockname()[1]
        finally:
            running[0].should_exit = True
            thread.join(PATIENCE)
            assert not thread.is_alive()


def post(port: int, headers: Mapping[str, str], *, host: str = "127.0.0.1") -> int:
    """The status with which the server answers an opening request that has these headers."""
    who = {"name": "test", "version": "1"}
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who}
    call = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    usual = {
        "Host": f"{host}:{port}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("POST", "/mcp", json.dumps(call), usual | dict(headers))
        return connection.getresponse().status
    finally:
        connection.close()
