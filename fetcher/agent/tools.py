"""The tools that the model may use, each a definition and a function.

What a tool gives the model of a page is a `search_result` of small passages, so that the API can cite
them; what goes wrong is a typed error that says whether to try again (A8).
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fetcher import messages_ja
from fetcher.agent.desk import Desk, OpenPage
from fetcher.agent.errors import ToolRefused
from fetcher.agent.fencing import plain_label, search_result
from fetcher.agent.file_names import distinct
from fetcher.agent.files import FilePolicy, make_file, table_file
from fetcher.agent.model import Block
from fetcher.agent.passages import rank
from fetcher.agent.values import GeneratedFile
from fetcher.codes import AgentCode, Note, ReadingMode
from fetcher.settings import WebFetchSettings
from fetcher.web import tool as web_fetch
from fetcher.web.errors import FetchError, contained
from fetcher.web.fetch_url import LONGEST_TEXT, QUICK
from fetcher.web.jobs import Want
from fetcher.web.values import Chunk, Table

WEB_FETCH_CHARS = 24_000
"""How much of a long page the model is given at once; the rest is found with `find_in_page`."""

PASSAGES_FOUND = 8

TABLES_LISTED = 20

INCOMPLETE = {
    Note.BROWSER_UNAVAILABLE_USED_HTTP: "This page's scripts could not be run: parts of it may be missing.",
    Note.BROWSER_TIMEOUT_DOM_PARTIAL: "This page was still loading when it was read: parts may be missing.",
    Note.BROWSER_DOM_TRUNCATED: "This page was too large: its end is missing.",
}
"""What of a page's notes the model must know, lest it take a part for the whole."""

_URL = {"type": "string", "description": "The page's http or https URL, as it stands in the conversation"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSettings:
    """What the tools may do, resolved from all settings."""

    web: WebFetchSettings
    files: FilePolicy
    max_files: int


class Toolbox:
    """The tools at work on one question."""

    def __init__(self, desk: Desk, settings: ToolSettings) -> None:
        self._desk = desk
        self._settings = settings
        self.files: list[GeneratedFile] = []
        self._refused: dict[str, ToolRefused] = {}

    @property
    def refusals(self) -> list[ToolRefused]:
        """What was not done, and was not done later either."""
        return list(self._refused.values())

    @property
    def titles(self) -> Mapping[str, str]:
        return self._desk.titles

    async def show(self, content: Any) -> None:
        """What of a result really goes to the model: the links in it may be fetched from now on."""
        await self._desk.show("\n\n".join(_texts(content)))

    async def run(self, call: Block) -> Block:
        """The `tool_result` of a `tool_use`; nothing that a tool meets ends the conversation."""
        try:
            with contained(ToolRefused):
                content = await self._perform(call["name"], call["input"])
        except ToolRefused as refusal:
            self._refused[_aim(call)] = refusal
            return failed(call, refusal.code, refusal.message, retryable=refusal.retryable)
        except FetchError as error:
            return failed(call, error.code, messages_ja.failure(error), retryable=error.retryable)
        self._refused.pop(_aim(call), None)
        return {"type": "tool_result", "tool_use_id": call["id"], "content": content}

    async def _perform(self, name: str, arguments: Any) -> list[Block]:
        tool = TOOLS.get(name)
        if tool is None:
            raise ToolRefused(AgentCode.TOOL_UNKNOWN, f"There is no tool called {plain_label(name)}")
        if name != web_fetch.NAME:  # which checks its own, as the SRD has it
            _check(arguments, tool.definition["input_schema"])
        return await tool.function(self, arguments)

    async def _fetch_url(self, arguments: Mapping[str, Any]) -> list[Block]:
        return _shown(await self._desk.open(arguments["url"], QUICK), LONGEST_TEXT)

    async def _web_fetch(self, arguments: Mapping[str, Any]) -> list[Block]:
        request = web_fetch.checked(arguments)
        want = Want(
            mode=ReadingMode.ARTICLE,
            timeout_seconds=self._settings.web.timeout_seconds,
            max_bytes=self._settings.web.max_download_bytes,
            no_cache=request.get("no_cache", False),
            force_browser=request.get("force_browser", False),
        )
        return _shown(await self._desk.open(request["url"], want), WEB_FETCH_CHARS)

    async def _find_in_page(self, arguments: Mapping[str, Any]) -> list[Block]:
        page = self._desk.page(arguments["url"])
        texts = [passage.text for passage in page.passages]
        found = await asyncio.to_thread(rank, arguments["query"], texts, most=PASSAGES_FOUND)
        if not found:
            return [_text("Nothing on this page bears on the query.")]
        return [_result(page, [page.passages[index] for index in sorted(found)])]

    async def _export_table(self, arguments: Mapping[str, Any]) -> list[Block]:
        page = self._desk.page(arguments["url"])
        number = arguments["table"]
        if not 1 <= number <= len(page.tables):
            raise ToolRefused(AgentCode.NO_SUCH_TABLE, f"This page has {len(page.tables)} tables")
        table = page.tables[number - 1]
        kind = arguments["format"]
        name = arguments.get("file_name") or table.caption or page.title
        file = await asyncio.to_thread(table_file, table, kind=kind, name=name, policy=self._settings.files)
        return self._keep(file, f"{len(table.rows)} rows")

    async def _create_file(self, arguments: Mapping[str, Any]) -> list[Block]:
        name, kind, content = (arguments[field] for field in ("file_name", "mime_type", "content"))
        file = await asyncio.to_thread(
            make_file, name, kind, content, self._settings.files, allowed=self._desk.urls
        )
        return self._keep(file, f"{file.size_bytes} bytes")

    def _keep(self, file: GeneratedFile, size: str) -> list[Block]:
        if len(self.files) >= self._settings.max_files:
            raise ToolRefused(AgentCode.FILE_LIMIT, f"At most {self._settings.max_files} files can be made")
        name = distinct(file.file_name, {kept.file_name for kept in self.files})
        self.files.append(replace(file, file_name=name))
        return [_text(f"The file {name} ({size}) will be delivered with your answer.")]


@dataclass(frozen=True, slots=True)
class Tool:
    definition: Block
    function: Callable[[Toolbox, Any], Awaitable[list[Block]]]


def _tool(
    function: Callable[[Toolbox, Any], Awaitable[list[Block]]],
    description: str,
    properties: dict[str, Any],
    optional: tuple[str, ...] = (),
) -> Tool:
    schema = {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }
    name = function.__name__.removeprefix("_")
    return Tool({"name": name, "description": description, "input_schema": schema}, function)


TOOLS: dict[str, Tool] = {
    tool.definition["name"]: tool
    for tool in (
        _tool(
            Toolbox._fetch_url,
            "Reads a web page or text file quickly. Prefer this for a first look. Long pages are cut.",
            {"url": _URL},
        ),
        Tool(
            {
                "name": web_fetch.NAME,
                "description": (
                    f"{web_fetch.DESCRIPTION}. Use it when fetch_url was cut or failed, for long pages, "
                    "for a fresh copy (no_cache) or for pages that scripts fill (force_browser)."
                ),
                "input_schema": web_fetch.PARAMETERS,
            },
            Toolbox._web_fetch,
        ),
        _tool(
            Toolbox._find_in_page,
            "Finds the passages of a page already read which bear on a query. Use it for long pages.",
            {
                "url": _URL,
                "query": {"type": "string", "description": "Words to look for, in the page's language"},
            },
        ),
        _tool(
            Toolbox._export_table,
            "Makes a file of a table of a page that was already read, exactly as it stands there. "
            "Always prefer this to retyping a table with create_file.",
            {
                "url": _URL,
                "table": {
                    "type": "integer",
                    "description": "The table's number in the list that came with the page",
                },
                "format": {"type": "string", "enum": ["csv", "json"]},
                "file_name": {"type": "string", "description": "A name for the file, without path"},
            },
            optional=("file_name",),
        ),
        _tool(
            Toolbox._create_file,
            "Makes a file of text that you composed, when the user asked for a file.",
            {
                "file_name": {"type": "string"},
                "mime_type": {"type": "string", "description": "text/csv, application/json or text/plain"},
                "content": {"type": "string"},
            },
        ),
    )
}

JSON_TYPES: dict[str, type] = {"string": str, "integer": int}


def _check(arguments: Any, schema: Mapping[str, Any]) -> None:
    """Refuses arguments that the schema does not have; models make mistakes like anybody."""
    properties = schema["properties"]
    if not isinstance(arguments, dict) or not properties.keys() >= arguments.keys() >= set(
        schema["required"]
    ):
        raise ToolRefused(AgentCode.TOOL_ARGUMENTS, f"The arguments must be {', '.join(properties)}")
    for name, value in arguments.items():
        kind, choices = JSON_TYPES[properties[name]["type"]], properties[name].get("enum")
        if type(value) is not kind or (choices and value not in choices):
            raise ToolRefused(
                AgentCode.TOOL_ARGUMENTS, f"{name} must be {choices or properties[name]['type']}"
            )


def _shown(page: OpenPage, most_chars: int) -> list[Block]:
    """The beginning of a page, what is missing of it, and its tables by number."""
    kept: list[Chunk] = []
    size = 0
    for passage in page.passages:
        size += len(passage.text)
        if kept and size > most_chars:
            break
        kept.append(passage)
    warnings = [_text(words) for note, words in INCOMPLETE.items() if note in page.notes]
    if not kept:
        return [_text("The page has no readable text. A browser may be needed (force_browser)."), *warnings]
    blocks = [_result(page, kept), *warnings]
    if len(kept) < len(page.passages):
        share = round(100 * len(kept) / len(page.passages))
        blocks.append(_text(f"Only the first {share}% of the page. Use find_in_page for the rest."))
    return [*blocks, *_table_list(page)]


def _table_list(page: OpenPage) -> list[Block]:
    if not page.tables:
        return []
    lines = [
        f"{number}. {_table_name(table)}: {len(table.rows)} rows"
        for number, table in enumerate(page.tables[:TABLES_LISTED], 1)
    ]
    return [_text("\n".join(["Tables that export_table can export:", *lines]))]


def _table_name(table: Table) -> str:
    return plain_label(table.caption or " / ".join(table.header), longest=80)


def _result(page: OpenPage, passages: list[Chunk]) -> Block:
    return search_result(str(page.url), page.title, [passage.text for passage in passages])


def _texts(content: Any) -> Iterator[str]:
    """The words of a result's blocks."""
    for block in content if isinstance(content, list) else ():
        yield from (piece["text"] for piece in block.get("content", [block]))


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _aim(call: Block) -> str:
    """What a call is after: a second one for the same file, with other content, is the same."""
    arguments = call["input"] if isinstance(call["input"], dict) else {}
    return json.dumps([call["name"], {key: arguments[key] for key in arguments if key != "content"}])


def failed(call: Block, code: str, message: str, *, retryable: bool = False) -> Block:
    """The `tool_result` of a call that came to nothing, as a typed error."""
    error = {"error": code, "message": message, "retryable": retryable}
    content = json.dumps(error, ensure_ascii=False)
    return {"type": "tool_result", "tool_use_id": call["id"], "content": content, "is_error": True}
