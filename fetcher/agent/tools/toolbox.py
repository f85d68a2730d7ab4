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
from fetcher.agent.errors import ToolRefused
from fetcher.agent.files.answer_files import FilePolicy, make_file, table_file
from fetcher.agent.files.file_names import distinct
from fetcher.agent.model.contract import Block
from fetcher.agent.model.turn_assembly import NOT_AN_OBJECT
from fetcher.agent.offline.ranking import rank
from fetcher.agent.safety.fencing import plain_label
from fetcher.agent.tools import incomplete
from fetcher.agent.tools.open_pages import OpenPage, OpenPages
from fetcher.agent.tools.results import failed, passages, shown, succeeded, text, warnings
from fetcher.agent.values import GeneratedFile
from fetcher.codes import AgentCode, ReadingMode
from fetcher.settings import WebFetchSettings
from fetcher.web import tool as web_fetch
from fetcher.web.errors import FetchError, SchemaViolated, contained
from fetcher.web.fetch_job import FetchOptions
from fetcher.web.fetch_url import LONGEST_TEXT, quick, unhurried
from fetcher.web.values import Chunk, Table

WEB_FETCH_CHARS = 24_000
"""How much of a long page the model is given at once; the rest is found with `find_in_page`."""

PASSAGES_FOUND = 8
PASSAGES_BESIDE = 3
"""The same for what stands beside the main text, where menus are."""

_URL = {"type": "string", "description": "The page's http or https URL, as it stands in the conversation"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSettings:
    """What the tools may do, resolved from all settings."""

    web: WebFetchSettings
    files: FilePolicy
    max_files: int


class Toolbox:
    """The tools at work on one question."""

    def __init__(self, desk: OpenPages, settings: ToolSettings) -> None:
        self._desk = desk
        self._settings = settings
        self.files: list[GeneratedFile] = []
        self._refused: dict[str, ToolRefused] = {}
        self._rereading = asyncio.Lock()
        self._files_cut: list[str] = []

    @property
    def refusals(self) -> list[ToolRefused]:
        """What was not done, and was not done later either."""
        return list(self._refused.values())

    @property
    def shortfalls(self) -> list[str]:
        """What is missing of the pages that were read and of the files made of them, for the asker."""
        return [*incomplete.for_people(self._desk.incomplete), *map(messages_ja.file_cut, self._files_cut)]

    @property
    def titles(self) -> Mapping[str, str]:
        return self._desk.titles

    async def show(self, content: Any) -> None:
        """What of a result really goes to the model: the links in it may be fetched from now on."""
        await self._desk.show("\n\n".join(_texts(content)))

    async def run(self, call: Block) -> Block:
        """The `tool_result` of a `tool_use`; nothing that a tool meets ends the conversation."""
        try:
            with web_fetch.named(call["input"]), contained(ToolRefused):
                content = await self._perform(call["name"], call["input"])
        except ToolRefused as refusal:
            self._refused[_aim(call)] = refusal
            return failed(call, refusal)
        except FetchError as error:
            return failed(call, error)
        self._refused.pop(_aim(call), None)
        return succeeded(call, content)

    async def _perform(self, name: str, arguments: Any) -> list[Block]:
        tool = TOOLS.get(name)
        if tool is None:
            raise ToolRefused(AgentCode.TOOL_UNKNOWN, f"There is no tool called {plain_label(name)}")
        with web_fetch.failures_logged():
            checked = _checked(arguments, tool.definition["input_schema"])
        return await tool.function(self, checked)

    async def _fetch_url(self, arguments: Mapping[str, Any]) -> list[Block]:
        return shown(await self._desk.open(arguments["url"], quick(self._settings.web)), LONGEST_TEXT)

    async def _web_fetch(self, arguments: Mapping[str, Any]) -> list[Block]:
        with web_fetch.failures_logged():
            request = web_fetch.checked(arguments)
        want = FetchOptions(
            mode=ReadingMode.ARTICLE,
            timeout_seconds=self._settings.web.timeout_seconds,
            max_bytes=self._settings.web.max_download_bytes,
            cut=True,
            no_cache=request.get("no_cache", False),
            force_browser=request.get("force_browser", False),
        )
        return shown(await self._desk.open(request["url"], want), WEB_FETCH_CHARS)

    async def _find_in_page(self, arguments: Mapping[str, Any]) -> list[Block]:
        page = self._desk.page(arguments["url"])
        found = await _bearing(arguments["query"], page.passages, PASSAGES_FOUND)
        beside = page.beside  # what is short is shown: a telephone number does not say that it is one
        if len(beside) > PASSAGES_BESIDE:
            beside = await _bearing(arguments["query"], beside, PASSAGES_BESIDE)
        told = [passages(page, found)] if found else [text("Nothing in the main text bears on the query.")]
        if beside:
            told += [text("Beside the main text (headers, side columns, footers):"), passages(page, beside)]
        return [*told, *warnings(page)]

    async def _export_table(self, arguments: Mapping[str, Any]) -> list[Block]:
        page, table = await self._table(arguments["url"], arguments["table"])
        kind = arguments["format"]
        name = arguments.get("file_name") or table.caption or page.title
        made = await asyncio.to_thread(table_file, table, kind=kind, name=name, policy=self._settings.files)
        file = self._keep(made)
        told = [_delivered(file, f"{len(table.rows)} rows")]
        if incomplete.may_lack_rows(table, page.tables, page_cut=page.cut):
            self._files_cut.append(file.file_name)
            told.append(text(incomplete.ROWS_MISSING))
        return told

    async def _table(self, url: str, number: int) -> tuple[OpenPage, Table]:
        """A table of an open page; where the page was cut, more of it is read first."""
        page = self._desk.page(url)
        if not 1 <= number <= len(page.tables):
            raise ToolRefused(AgentCode.NO_SUCH_TABLE, f"This page has {len(page.tables)} tables")
        table = page.tables[number - 1]
        if not page.cut:
            return page, table
        try:
            async with self._rereading:  # a second export of the same page finds it read
                longer = await self._desk.open(url, unhurried(self._settings.web))
        except (FetchError, ToolRefused):
            return page, table
        again = incomplete.found_again(table, number, longer.tables)
        return (longer, again) if again else (page, table)

    async def _create_file(self, arguments: Mapping[str, Any]) -> list[Block]:
        name, kind, content = (arguments[field] for field in ("file_name", "mime_type", "content"))
        file = await asyncio.to_thread(
            make_file, name, kind, content, self._settings.files, allowed=self._desk.urls
        )
        return [_delivered(self._keep(file), f"{file.size_bytes} bytes")]

    def _keep(self, file: GeneratedFile) -> GeneratedFile:
        if len(self.files) >= self._settings.max_files:
            raise ToolRefused(AgentCode.FILE_LIMIT, f"At most {self._settings.max_files} files can be made")
        name = distinct(file.file_name, {kept.file_name for kept in self.files})
        self.files.append(replace(file, file_name=name))
        return self.files[-1]


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


def _without(schema: dict[str, Any], name: str) -> dict[str, Any]:
    """A schema with one property less: the model gets passages of our own size, whatever it asks for."""
    return schema | {"properties": {key: row for key, row in schema["properties"].items() if key != name}}


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
                "input_schema": _without(web_fetch.PARAMETERS, "max_chunk_tokens"),
            },
            Toolbox._web_fetch,
        ),
        _tool(
            Toolbox._find_in_page,
            "Finds the passages of a page already read which bear on a query. Use it for long pages, and for "
            "what the page's main text lacks: it also looks in headers, side columns and footers.",
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


async def _bearing(query: str, chunks: tuple[Chunk, ...], most: int) -> tuple[Chunk, ...]:
    """The passages that bear on a query, in the page's order."""
    found = await asyncio.to_thread(rank, query, [chunk.text for chunk in chunks], most=most)
    return tuple(chunks[index] for index in sorted(found))


def _checked(arguments: Any, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, if the schema has them; models make mistakes like anybody. Raises `bad_args`."""
    if isinstance(arguments, dict) and NOT_AN_OBJECT in arguments:
        raise SchemaViolated("must be a JSON object, and are not")
    return web_fetch.matching(arguments, schema)


def _texts(content: Any) -> Iterator[str]:
    """The words of a result's blocks."""
    for block in content if isinstance(content, list) else ():
        yield from (piece["text"] for piece in block.get("content", [block]))


def _delivered(file: GeneratedFile, size: str) -> Block:
    return text(f"The file {file.file_name} ({size}) will be delivered with your answer.")


def _aim(call: Block) -> str:
    """What a call is after: a second one for the same file, with other content, is the same."""
    arguments = call["input"] if isinstance(call["input"], dict) else {}
    return json.dumps([call["name"], {key: arguments[key] for key in arguments if key != "content"}])
