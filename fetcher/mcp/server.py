"""The tools as a server of the official SDK, for every transport; over streamable HTTP also who may call."""

import base64
import hmac
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import uvicorn
from mcp.server import Server, ServerRequestContext
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    BlobResourceContents,
    CallToolRequestParams,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    TextResourceContents,
    Tool,
    ToolAnnotations,
)
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from fetcher import VERSION
from fetcher.agent.files.workbooks import XLSX
from fetcher.agent.safety.fencing import plain_label
from fetcher.mcp.page_tools import DEFINITIONS, INSTRUCTIONS, PageTools
from fetcher.serving.connection import server_config

NAME = "slack-web-reader"
READS_ONLY = ToolAnnotations(read_only_hint=True, open_world_hint=True)
PATH = "/mcp"
SESSIONS = 100
"""Of clients with a protocol that has sessions; one that is idle for half an hour ends."""
CONNECTIONS = 200
STOP_SECONDS = 2
"""For calls that run when the server is told to stop; clients keep a stream open that never ends."""


def build_server(tools: PageTools) -> Server[None]:
    """A server for one client or many: it keeps nothing between calls."""

    async def list_tools(_: ServerRequestContext[None], __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(
            tools=[Tool(name=name, annotations=READS_ONLY, **tool) for name, tool in tools.advertised.items()]
        )

    async def call_tool(_: ServerRequestContext[None], params: CallToolRequestParams) -> CallToolResult:
        if params.name not in DEFINITIONS:  # the specification wants a protocol error for this one
            raise MCPError(code=INVALID_PARAMS, message=f"Unknown tool: {plain_label(params.name)}")
        outcome = await tools.call(params.name, params.arguments or {})
        content: list[ContentBlock] = [TextContent(text=text) for text in outcome.texts]
        for file in outcome.files:  # inside the result, since the server keeps none
            uri, kind = f"export:///{quote(file.file_name)}", file.mime_type
            resource: TextResourceContents | BlobResourceContents
            if kind == XLSX:
                blob = base64.b64encode(file.content).decode()
                resource = BlobResourceContents(uri=uri, mime_type=kind, blob=blob)
            else:
                resource = TextResourceContents(
                    uri=uri, mime_type=kind, text=file.content.decode("utf-8-sig")
                )
            content.append(EmbeddedResource(resource=resource))
        return CallToolResult(
            content=content,
            structured_content=outcome.data,
            is_error=outcome.failed,
        )

    return Server(
        NAME, version=VERSION, instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool
    )


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
