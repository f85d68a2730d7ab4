"""What a client of the official SDK sees of the server, the same over every transport."""

import json
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp_types import (
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    TextContent,
    TextResourceContents,
)

from tests.fetcher.web.net.test_guard import HOSTILE, literal

TOOLS = ["web_fetch", "fetch_url", "find_in_page", "export_table"]
PAGE = """<title>料金のご案内</title><main><h1>料金</h1>
<p>定期便は毎月お届けします。解約はいつでも無料です。</p>
<table><caption>豆の料金</caption><tr><th>豆</th><th>円</th></tr>
<tr><td>深煎り</td><td>1200</td></tr><tr><td>浅煎り</td><td>1500</td></tr></table>
<p>送料は全国一律で500円です。</p></main>"""
SPELLINGS = [
    "http://2130706433/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://user:secret@127.0.0.1/",
    "http://[::1%25eth0]/",
    "http:\\\\169.254.169.254/",
    "http://①②⑦.⓪.⓪.①/",
    "file:///etc/passwd",
    "gopher://10.0.0.1/",
]
"""Other ways to write an address inside a network, or a file."""
MORE: dict[str, dict[str, Any]] = {
    "find_in_page": {"query": "x"},
    "export_table": {"table": 1, "format": "csv"},
}
"""What tools need besides a URL."""
REFUSALS = {"ssrf_blocked", "port_blocked", "invalid_host", "invalid_url", "invalid_scheme"}


def texts(result: CallToolResult) -> list[str]:
    return [block.text for block in result.content if isinstance(block, TextContent)]


def files(result: CallToolResult) -> list[TextResourceContents | BlobResourceContents]:
    return [block.resource for block in result.content if isinstance(block, EmbeddedResource)]


def failure(result: CallToolResult) -> dict[str, Any]:
    """The error of a call, which is said in both forms."""
    assert result.is_error
    assert json.loads(texts(result)[0]) == result.structured_content
    error: dict[str, Any] = result.structured_content
    assert {"code", "message", "retryable"} <= error.keys() <= {"code", "message", "retryable", "details"}
    return error


async def call_every_tool(client: Client, url: str) -> None:
    """List the tools and call each of them on `PAGE`."""
    tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == TOOLS
    assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
    assert all(tool.input_schema["additionalProperties"] is False for tool in tools)

    read = await client.call_tool("fetch_url", {"url": url})
    assert not read.is_error
    page, tables, *_ = texts(read)
    assert page.startswith(f"料金のご案内\n{url}\n\n")
    assert "解約はいつでも無料です。" in page
    assert "1. 豆の料金: 2 rows" in tables

    fetched = await client.call_tool("web_fetch", {"url": url, "max_chunk_tokens": 128})
    assert fetched.structured_content == json.loads(texts(fetched)[0])
    assert fetched.structured_content["requested_url"] == url
    assert "送料は全国一律で500円です。" in fetched.structured_content["chunks"][0]["text"]

    found = await client.call_tool("find_in_page", {"url": url, "query": "送料はいくらですか"})
    assert "送料は全国一律で500円です。" in texts(found)[0]

    wanted = {"url": url, "table": 1, "sort": "円", "descending": True, "limit": 1}
    exported = await client.call_tool("export_table", wanted | {"format": "csv", "file_name": "豆"})
    [table] = files(exported)
    assert isinstance(table, TextResourceContents)
    assert (table.text, table.mime_type) == ("豆,円\r\n浅煎り,1500\r\n", "text/csv")
    [workbook] = files(await client.call_tool("export_table", wanted | {"format": "xlsx"}))
    assert isinstance(workbook, BlobResourceContents)
    assert workbook.blob.startswith("UEsDB")  # a zip archive


async def try_hostile_addresses(client: Client, *, every: int = 1) -> None:
    """No tool leads to an address that is not public, however it is written."""
    refused = []
    for number, url in enumerate([*map(literal, HOSTILE[::every]), *SPELLINGS]):
        tool = TOOLS[number % len(TOOLS)]
        error = failure(await client.call_tool(tool, {"url": url, **MORE.get(tool, {})}))
        assert "details" not in error or "blocked_ip" not in error["details"]
        refused.append(error["code"])
    assert set(refused) <= REFUSALS
    assert "ssrf_blocked" in refused


async def make_mistakes(client: Client, url: str) -> None:
    """Wrong arguments are errors of the tool; an unknown tool is one of the protocol."""
    rows: list[tuple[str, dict[str, Any], str]] = [
        ("web_fetch", {}, "url"),
        ("web_fetch", {"url": 7}, "url"),
        ("web_fetch", {"url": "  "}, "url"),
        ("web_fetch", {"url": url, "max_chunk_tokens": 5}, "max_chunk_tokens"),
        ("web_fetch", {"url": url, "no_cache": "yes"}, "no_cache"),
        ("fetch_url", {"url": url, "Start": 1}, "Start"),
        ("fetch_url", {"url": url, "start": True}, "start"),
        ("find_in_page", {"url": url}, "query"),
        ("export_table", {"url": url, "table": 1, "format": "pdf"}, "format"),
        ("export_table", {"url": url, "format": "csv", "where": [{"column": "x"}]}, "operator"),
    ]
    for tool, arguments, field in rows:
        error = failure(await client.call_tool(tool, arguments))
        assert (error["code"], error["details"]["field"], error["retryable"]) == ("bad_args", field, False)
    error = failure(await client.call_tool("export_table", {"url": url, "table": 9, "format": "csv"}))
    assert error["code"] == "no_such_table"
    with pytest.raises(MCPError, match="Unknown tool: read_through") as problem:
        await client.call_tool("read_through", {"url": url})
    assert problem.value.error.code == -32602
