"""The tools as a server of the official SDK, for every transport."""

import base64
from urllib.parse import quote

from mcp.server import Server, ServerRequestContext
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

from fetcher import VERSION
from fetcher.agent.files.workbooks import XLSX
from fetcher.agent.safety.fencing import plain_label
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
