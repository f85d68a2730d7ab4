"""The tools as a server of the official SDK, for every transport."""

import base64
from collections.abc import Sequence
from urllib.parse import quote

from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    BlobResourceContents,
    CallToolRequestParams,
    CallToolResult,
    EmbeddedResource,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    TextResourceContents,
    Tool,
    ToolAnnotations,
)

from fetcher import VERSION
from fetcher.agent.files.workbooks import XLSX
from fetcher.agent.safety.fencing import plain_label
from fetcher.agent.values import GeneratedFile
from fetcher.mcp.definitions import DEFINITIONS, INSTRUCTIONS
from fetcher.mcp.page_tools import PageTools

NAME = "slack-web-reader"
READS_ONLY = ToolAnnotations(read_only_hint=True, open_world_hint=True)


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
        return CallToolResult(
            content=[*(TextContent(text=text) for text in outcome.texts), *_resources(outcome.files)],
            structured_content=outcome.data,
            is_error=outcome.failed,
        )

    return Server(
        NAME, version=VERSION, instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool
    )


def _resources(files: Sequence[GeneratedFile]) -> list[EmbeddedResource]:
    """Files inside the result, since the server keeps none: as text if they are text, else in Base64."""
    resources = []
    for file in files:
        uri, content, kind = f"export:///{quote(file.file_name)}", file.content, file.mime_type
        resource: TextResourceContents | BlobResourceContents
        if kind == XLSX:
            resource = BlobResourceContents(uri=uri, mime_type=kind, blob=base64.b64encode(content).decode())
        else:
            resource = TextResourceContents(uri=uri, mime_type=kind, text=content.decode("utf-8-sig"))
        resources.append(EmbeddedResource(resource=resource))
    return resources
