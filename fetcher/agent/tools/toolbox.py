"""Runs the tools that the model may use (`definitions.py`).

The model gets a page as a `search_result` of small passages, so that the API can cite them. It gets a failure
as a typed error that says whether to try again (A8).
"""

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from fetcher import wording
from fetcher.agent.errors import ToolRefused
from fetcher.agent.files.answer_files import FilePolicy, make_file, table_file, workbook_file
from fetcher.agent.files.file_names import distinct_name, distinct_names
from fetcher.agent.files.table_selection import Condition, Selection, selected
from fetcher.agent.model.contract import Block
from fetcher.agent.model.turn_assembly import NOT_AN_OBJECT
from fetcher.agent.safety.allowed_links import AllowedLinks
from fetcher.agent.safety.fencing import plain_label
from fetcher.agent.search.find import PageIndex, find, indexed
from fetcher.agent.tools import incomplete
from fetcher.agent.tools.arguments import known_fields, understood
from fetcher.agent.tools.definitions import DEFINITIONS, SEARCH_WEB
from fetcher.agent.tools.long_pages import MakesNotes, NotedPage, noted, parts_of
from fetcher.agent.tools.open_pages import OpenPage, OpenPages
from fetcher.agent.tools.results import (
    failed,
    found_blocks,
    linked_blocks,
    page_blocks,
    succeeded,
    text_block,
    warning_blocks,
)
from fetcher.agent.tools.searches import Searches
from fetcher.agent.values import GeneratedFile
from fetcher.codes import AgentCode, ReadingMode
from fetcher.settings import AgentSettings, WebFetchSettings
from fetcher.web import tool as web_fetch
from fetcher.web.errors import FetchError, SchemaViolated, contained
from fetcher.web.fetch_job import FetchOptions
from fetcher.web.fetch_url import quick, unhurried
from fetcher.web.values import CanonicalUrl, Table

PASSAGES_FOUND = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSettings:
    """What the tools may do, resolved from all settings."""

    web: WebFetchSettings
    files: FilePolicy
    max_files: int
    page_chars: int = 42_000
    """How much of a page the model is shown at once."""
    max_page_parts: int = 8
    """Parts of a page of which notes are made."""
    opens_pages: bool = False
    """Whether a tool opens the page that it needs, for callers whose calls stand alone."""

    @classmethod
    def of(cls, agent: AgentSettings, web: WebFetchSettings) -> Self:
        return cls(
            web=web,
            files=FilePolicy(max_bytes=agent.agent_max_file_bytes, types=agent.agent_file_types),
            max_files=agent.agent_max_files,
            page_chars=agent.agent_page_chars,
            max_page_parts=agent.agent_max_page_parts,
        )

    @property
    def read(self) -> FetchOptions:
        """Options of a first look: the quick read, with all the bytes that settings allow."""
        return replace(quick(self.web), max_bytes=self.web.max_download_bytes)


class Toolbox:
    """The tools at work on one question."""

    def __init__(
        self,
        pages: OpenPages,
        settings: ToolSettings,
        notes: MakesNotes | None = None,
        searches: Searches | None = None,
    ) -> None:
        self._pages = pages
        self._settings = settings
        self._notes = notes
        self._tools: dict[str, Callable[[Mapping[str, Any]], Awaitable[list[Block]]]] = {
            "fetch_url": self._fetch_url,
            web_fetch.NAME: self._web_fetch,
            "read_through": self._read_through,
            "find_in_page": self._find_in_page,
            "export_table": self._export_table,
            "create_file": self._create_file,
        }
        if searches:
            self._tools[SEARCH_WEB] = searches.run
        self.files: list[GeneratedFile] = []
        self._refused: dict[str, ToolRefused] = {}
        self._rereading = asyncio.Lock()
        self._files_cut: list[str] = []
        self._noted: dict[str, int] = {}
        self._noting: dict[CanonicalUrl, tuple[OpenPage, asyncio.Task[NotedPage]]] = {}
        """The notes that are made of pages, or were; a second call gets the same."""
        self._indexes: dict[CanonicalUrl, tuple[OpenPage, PageIndex]] = {}

    @property
    def names(self) -> list[str]:
        """The tools that there are, in the order in which the model is told of them."""
        return [name for name in DEFINITIONS if name in self._tools]

    @property
    def refusals(self) -> list[ToolRefused]:
        """Refusals of calls that did not succeed later either."""
        return list(self._refused.values())

    @property
    def shortfalls(self) -> list[str]:
        """What is missing of the pages that were read and of the files made of them, for the asker."""
        partly = [(title, percent) for title, percent in self._noted.items() if percent < 100]
        return [
            *incomplete.for_people(self._pages.incomplete),
            *(wording.page_partly_noted(title, percent) for title, percent in partly),
            *map(wording.file_cut, self._files_cut),
            *self._pages.files.failures,
            *itertools.starmap(wording.scans_left_out, self._pages.unread_scans.items()),
        ]

    @property
    def titles(self) -> Mapping[str, str]:
        return self._pages.titles

    @property
    def pictures(self) -> Mapping[str, str]:
        """The pictures that the model was shown."""
        return self._pages.pictures

    async def show(self, content: Any) -> None:
        """Let the links of a result be fetched from now on, since the model is shown them."""
        blocks = content if isinstance(content, list) else []
        texts = (piece.get("text", "") for block in blocks for piece in block.get("content", [block]))
        await asyncio.to_thread(self._pages.provenance.show, "\n\n".join(texts))

    async def run(self, call: Block) -> Block:
        """Run a `tool_use` and return its `tool_result`; a failing tool does not end the conversation."""
        arguments = call["input"]
        try:
            with web_fetch.named(arguments), contained(ToolRefused):
                name = understood(call["name"], self._tools)
                if name is None:
                    shown = plain_label(call["name"])
                    raise ToolRefused(AgentCode.TOOL_UNKNOWN, f"There is no tool called {shown}")
                with web_fetch.failures_logged():
                    if isinstance(arguments, dict) and NOT_AN_OBJECT in arguments:
                        raise SchemaViolated("must be a JSON object, and are not")
                    schema = DEFINITIONS[name]["input_schema"]
                    checked = web_fetch.matching(known_fields(arguments, schema["properties"]), schema)
                content = await self._tools[name](checked)
        except ToolRefused as refusal:
            self._refused[_aim(call)] = refusal
            return failed(call, refusal)
        except FetchError as error:
            return failed(call, error)
        self._refused.pop(_aim(call), None)
        return succeeded(call, content)

    async def _fetch_url(self, arguments: Mapping[str, Any]) -> list[Block]:
        page = await self._pages.open(arguments["url"], self._settings.read)
        return self._blocks(page, arguments)

    async def _web_fetch(self, arguments: Mapping[str, Any]) -> list[Block]:
        with web_fetch.failures_logged():
            request = web_fetch.checked({key: arguments[key] for key in arguments if key != "start"})
        options = FetchOptions(
            mode=ReadingMode.ARTICLE,
            timeout_seconds=self._settings.web.timeout_seconds,
            max_bytes=self._settings.web.max_download_bytes,
            cut=True,
            no_cache=request.get("no_cache", False),
            force_browser=request.get("force_browser", False),
        )
        return self._blocks(await self._pages.open(request["url"], options), arguments)

    def _blocks(self, page: OpenPage, arguments: Mapping[str, Any]) -> list[Block]:
        start, notes = arguments.get("start", 0), self._notes is not None
        return page_blocks(page, self._settings.page_chars, start, has_notes=notes)

    async def _read_through(self, arguments: Mapping[str, Any]) -> list[Block]:
        page, settings = self._pages.page(arguments["url"]), self._settings
        parts = parts_of(page, settings.page_chars)
        if len(parts) <= 1 or self._notes is None:
            return page_blocks(page, settings.page_chars)
        noted_page, making = self._noting.get(page.url, (None, None))
        if making is None or noted_page is not page or making.cancelled():
            # Once for each reading of a page, whatever comes of it: every part is a call of the model.
            most, focus = settings.max_page_parts, arguments["focus"]
            making = asyncio.create_task(noted(page, parts, self._notes, focus=focus, most_parts=most))
            self._noting[page.url] = page, making
        made = await making
        self._noted[page.title] = made.percent
        return list(made.blocks)

    async def _page(self, url: str) -> OpenPage:
        """The page that a tool works on: one that is open, unless tools open pages."""
        if self._settings.opens_pages:
            return await self._pages.open(url, self._settings.read)
        return self._pages.page(url)

    async def _find_in_page(self, arguments: Mapping[str, Any]) -> list[Block]:
        page = await self._page(arguments["url"])
        searched, index = self._indexes.get(page.url, (None, None))
        if index is None or searched is not page:  # the page was read once more, and may be another one
            index = await asyncio.to_thread(indexed, page.document)
            self._indexes[page.url] = page, index
        query = arguments["query"]
        found = await asyncio.to_thread(find, query, index, PASSAGES_FOUND)
        linked = await asyncio.to_thread(linked_blocks, page, query)
        return [*found_blocks(page, found), *linked, *warning_blocks(page)]

    async def _export_table(self, arguments: Mapping[str, Any]) -> list[Block]:
        numbers = arguments.get("tables") or [arguments[key] for key in ("table",) if key in arguments]
        if not numbers:
            raise ToolRefused(AgentCode.NO_SUCH_TABLE, "Say which table, by its number")
        selection = Selection(
            columns=tuple(arguments.get("columns", ())),
            where=tuple(Condition(**condition) for condition in arguments.get("where", ())),
            sort=arguments.get("sort", ""),
            descending=arguments.get("descending", False),
            limit=arguments.get("limit"),
        )
        chosen = [
            (number, *await self._read_table(arguments["url"], number)) for number in dict.fromkeys(numbers)
        ]
        together = [chosen] if arguments["format"] == "xlsx" else [[one] for one in chosen]
        return [block for group in together for block in await self._export(group, selection, arguments)]

    async def _export(
        self, group: Sequence[tuple[int, OpenPage, Table]], selection: Selection, arguments: Mapping[str, Any]
    ) -> list[Block]:
        """Make one file of some tables; several are sheets of a workbook."""
        _, page, first = group[0]
        name = arguments.get("file_name") or first.caption or page.title
        parts = [await asyncio.to_thread(selected, table, selection) for _, _, table in group]
        policy = self._settings.files
        if len(parts) > 1:
            names = distinct_names([table.caption or str(number) for number, _, table in group])
            sheets = dict(zip(names, parts, strict=True))
            made = await asyncio.to_thread(workbook_file, sheets, name, policy)
        else:
            kind = arguments["format"]
            made = await asyncio.to_thread(table_file, parts[0], kind=kind, name=name, policy=policy)
        file, blocks = self._add_file(made), list[Block]()
        for (number, page, table), part in zip(group, parts, strict=True):
            of_all = "" if part == table else f"of {len(table.rows)} "
            blocks.append(_delivered(file, f"table {number}, {len(part.rows)} {of_all}rows"))
            if incomplete.may_lack_rows(table, page.tables, page_cut=page.cut):
                self._files_cut.append(file.file_name)
                blocks.append(text_block(incomplete.ROWS_MISSING))
        return blocks

    async def _read_table(self, url: str, number: int) -> tuple[OpenPage, Table]:
        """Find a table of an open page; where the page was cut, read more of it first."""
        page = await self._page(url)
        if not 1 <= number <= len(page.tables):
            raise ToolRefused(AgentCode.NO_SUCH_TABLE, f"This page has {len(page.tables)} tables")
        table = page.tables[number - 1]
        if not page.cut:
            return page, table
        try:
            async with self._rereading:  # a second export of the same page finds it read
                longer = await self._pages.open(url, unhurried(self._settings.web))
        except (FetchError, ToolRefused):
            return page, table
        again = incomplete.found_again(table, number, longer.tables)
        return (longer, again) if again else (page, table)

    async def _create_file(self, arguments: Mapping[str, Any]) -> list[Block]:
        name, kind, content = (arguments[field] for field in ("file_name", "mime_type", "content"))
        file = await asyncio.to_thread(
            make_file,
            name,
            kind,
            content,
            self._settings.files,
            allowed=AllowedLinks(self._pages.provenance.urls),
        )
        return [_delivered(self._add_file(file), f"{file.size_bytes} bytes")]

    def _add_file(self, file: GeneratedFile) -> GeneratedFile:
        """Add a file to the answer under a name of its own."""
        if len(self.files) >= self._settings.max_files:
            raise ToolRefused(AgentCode.FILE_LIMIT, f"At most {self._settings.max_files} files can be made")
        name = distinct_name(file.file_name, {other.file_name for other in self.files})
        self.files.append(replace(file, file_name=name))
        return self.files[-1]


def _delivered(file: GeneratedFile, size: str) -> Block:
    return text_block(f"The file {file.file_name} ({size}) is ready, and is delivered without further steps.")


def _aim(call: Block) -> str:
    """Identifies what a call is for: a second call for the same file, with other content, is the same."""
    arguments = call["input"] if isinstance(call["input"], dict) else {}
    return json.dumps([call["name"], {key: arguments[key] for key in arguments if key != "content"}])
