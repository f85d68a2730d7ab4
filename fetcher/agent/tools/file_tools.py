"""The tools that make files: of tables of pages, and of text that the model writes."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fetcher.agent.errors import ToolRefused
from fetcher.agent.files.answer_files import FilePolicy, make_file, table_file, workbook_file
from fetcher.agent.files.file_names import distinct_name, distinct_names
from fetcher.agent.files.table_selection import Condition, Selection, selected
from fetcher.agent.model.contract import Block
from fetcher.agent.safety.allowed_links import AllowedLinks
from fetcher.agent.tools import incomplete
from fetcher.agent.tools.open_page import OpenPage
from fetcher.agent.tools.open_pages import OpenPages
from fetcher.agent.tools.results import text_block
from fetcher.agent.values import GeneratedFile
from fetcher.codes import AgentCode
from fetcher.settings import WebFetchSettings
from fetcher.turns import in_turn
from fetcher.web.errors import FetchError
from fetcher.web.fetch_url import unhurried
from fetcher.web.values import Table


class FileTools:
    """Makes the files of one question; `cut` names those that may lack rows."""

    def __init__(self, pages: OpenPages, web: WebFetchSettings, policy: FilePolicy, max_files: int) -> None:
        self._pages = pages
        self._web = web
        self._policy = policy
        self._max_files = max_files
        self._turn = asyncio.Lock()
        self.files: list[GeneratedFile] = []
        self.cut: list[str] = []

    async def export_table(self, arguments: Mapping[str, Any]) -> list[Block]:
        """One workbook of tables of a page, or a file of each; raises ToolRefused."""
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
        blocks = list[Block]()
        async with self._turn:  # files come in the order in which they were asked for
            chosen = [
                (number, *await self._read_table(arguments["url"], number))
                for number in dict.fromkeys(numbers)
            ]
            together = [chosen] if arguments["format"] == "xlsx" else [[one] for one in chosen]
            for group in together:
                _, page, first = group[0]
                name = arguments.get("file_name") or first.caption or page.title
                parts = [await in_turn(selected, table, selection) for _, _, table in group]
                if len(parts) > 1:  # sheets of a workbook
                    names = distinct_names([table.caption or str(number) for number, _, table in group])
                    sheets = dict(zip(names, parts, strict=True))
                    made = await in_turn(workbook_file, sheets, name, self._policy)
                else:
                    kind = arguments["format"]
                    made = await in_turn(table_file, parts[0], kind=kind, name=name, policy=self._policy)
                file = self._add_file(made)
                for (number, page, table), part in zip(group, parts, strict=True):
                    of_all = "" if part == table else f"of {len(table.rows)} "
                    blocks.append(_delivered(file, f"table {number}, {len(part.rows)} {of_all}rows"))
                    if incomplete.may_lack_rows(table, page.tables, page_cut=page.cut):
                        self.cut.append(file.file_name)
                        blocks.append(text_block(incomplete.ROWS_MISSING))
        return blocks

    async def _read_table(self, url: str, number: int) -> tuple[OpenPage, Table]:
        """Find a table of an open page; where the page was cut, read more of it first."""
        page = await self._pages.page(url)
        if not 1 <= number <= len(page.tables):
            raise ToolRefused(AgentCode.NO_SUCH_TABLE, f"This page has {len(page.tables)} tables")
        table = page.tables[number - 1]
        if not page.cut:
            return page, table
        try:
            longer = await self._pages.open(url, unhurried(self._web))
        except (FetchError, ToolRefused):
            return page, table
        again = incomplete.found_again(table, number, longer.tables)
        return (longer, again) if again else (page, table)

    async def create_file(self, arguments: Mapping[str, Any]) -> list[Block]:
        """A file of the text that the model gives; raises ToolRefused."""
        name, kind, content = (arguments[field] for field in ("file_name", "mime_type", "content"))
        allowed = AllowedLinks(self._pages.provenance.urls)
        async with self._turn:
            made = await in_turn(make_file, name, kind, content, self._policy, allowed=allowed)
            file = self._add_file(made)
        return [_delivered(file, f"{file.size_bytes} bytes")]

    def _add_file(self, file: GeneratedFile) -> GeneratedFile:
        """Add a file to the answer under a name of its own."""
        if len(self.files) >= self._max_files:
            raise ToolRefused(AgentCode.FILE_LIMIT, f"At most {self._max_files} files can be made")
        name = distinct_name(file.file_name, {other.file_name for other in self.files})
        self.files.append(replace(file, file_name=name))
        return self.files[-1]


def _delivered(file: GeneratedFile, size: str) -> Block:
    return text_block(f"The file {file.file_name} ({size}) is ready, and is delivered without further steps.")
