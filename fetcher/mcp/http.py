"""The server over streamable HTTP: who may call, and how it is served."""

import hmac
from collections.abc import Sequence
from typing import Any

import uvicorn
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from fetcher.serving.connection import server_config

PATH = "/mcp"
SESSIONS = 100
"""Of clients with a protocol that has sessions; one that is idle for half an hour ends."""
CONNECTIONS = 200
STOP_SECONDS = 2
"""For calls that run when the server is told to stop; clients keep a stream open that never ends."""


def application(server: Server[Any], hosts: Sequence[str], key: str) -> ASGIApp:
    """The server as an ASGI application for clients that call it by these names, with the key if it has one.

    A web page must not call it with its visitor's hands. A page whose name was made to point here (DNS
    rebinding) calls by a name that is not ours; every other page sends its origin, and none is allowed.
    """
    names = [*hosts, *(f"{host}:*" for host in hosts)]
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_sessions=SESSIONS,
        transport_security=TransportSecuritySettings(allowed_hosts=names, allowed_origins=[]),
    )
    return KeyCheck(app, key) if key else app


class KeyCheck:
    """Lets only requests with the key through."""

    def __init__(self, app: ASGIApp, key: str) -> None:
        self._app = app
        self._key = key.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = [value for name, value in scope["headers"] if name == b"authorization"]
            scheme, _, token = given[0].partition(b" ") if len(given) == 1 else (b"", b"", b"")
            fits = hmac.compare_digest(token.strip(), self._key)
            if scheme.lower() != b"bearer" or not fits:
                refusal = Response(status_code=401, headers={"WWW-Authenticate": "Bearer"})
                return await refusal(scope, receive, send)
        return await self._app(scope, receive, send)


def uvicorn_server(app: ASGIApp) -> uvicorn.Server:
    """What serves an application until a signal comes."""
    config = server_config(app, limit_concurrency=CONNECTIONS, timeout_graceful_shutdown=STOP_SECONDS)
    return uvicorn.Server(config)
