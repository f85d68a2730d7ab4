"""Runs the tools that the model may use (`definitions.py`).

The model gets a page as a `search_result` of small passages, so that the API can cite them. It gets a failure
as a typed error that says whether to try again (A8).
"""

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from fetcher import wording
from fetcher.agent.errors import ToolRefused
from fetcher.agent.files.answer_files import FilePolicy
from fetcher.agent.model.contract import Block
from fetcher.agent.model.turn_assembly import NOT_AN_OBJECT
from fetcher.agent.safety.fencing import plain_label
from fetcher.agent.tools import incomplete
from fetcher.agent.tools.arguments import known_fields, understood
from fetcher.agent.tools.definitions import DEFINITIONS, SEARCH_WEB
from fetcher.agent.tools.file_tools import FileTools
from fetcher.agent.tools.long_pages import MakesNotes, NotedPage, noted, parts_of
from fetcher.agent.tools.open_page import OpenPage
from fetcher.agent.tools.open_pages import OpenPages
from fetcher.agent.tools.results import (
    failed,
    found_blocks,
    linked_blocks,
    page_blocks,
    succeeded,
    warning_blocks,
)
from fetcher.agent.tools.searches import Searches
from fetcher.codes import AgentCode, ReadingMode
from fetcher.settings import AgentSettings, WebFetchSettings
from fetcher.turns import in_turn
from fetcher.web import tool as web_fetch
from fetcher.web.errors import FetchError, SchemaViolated, contained
from fetcher.web.fetch_job import FetchOptions
from fetcher.web.fetch_url import MOST_CHARS, quick
from fetcher.web.values import CanonicalUrl


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
        makes_files = FileTools(pages, settings.web, settings.files, settings.max_files)
        self._tools: dict[str, Callable[[Mapping[str, Any]], Awaitable[list[Block]]]] = {
            "fetch_url": self._fetch_url,
            web_fetch.NAME: self._web_fetch,
            "read_through": self._read_through,
            "find_in_page": self._find_in_page,
            "export_table": makes_files.export_table,
            "create_file": makes_files.create_file,
        }
        if searches:
            self._tools[SEARCH_WEB] = searches.run
        self.files = makes_files.files
        self._files_cut = makes_files.cut
        self._refused: dict[str, ToolRefused] = {}
        self._noted: dict[str, int] = {}
        self._noting: dict[CanonicalUrl, tuple[OpenPage, asyncio.Task[NotedPage]]] = {}
        """The notes that are made of pages, or were; a second call gets the same."""

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
        await in_turn(self._pages.provenance.show, "\n\n".join(texts))

    async def run(self, call: Block) -> Block:
        """Run a `tool_use` and return its `tool_result`; a failing tool does not end the conversation."""
        arguments = call["input"]
        try:
            with web_fetch.named(arguments), contained(ToolRefused):
                name = call["name"]
                if name not in self._tools:  # SRD FR-WF-01: names match exactly
                    right = understood(name, self._tools) or ", ".join(self.names)
                    message = f"No tool is called {plain_label(name)}. Call it by its exact name: {right}"
                    raise ToolRefused(AgentCode.TOOL_UNKNOWN, message)
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
            max_chars=MOST_CHARS,
            cut=True,
            no_cache=request.get("no_cache", False),
            force_browser=request.get("force_browser", False),
        )
        return self._blocks(await self._pages.open(request["url"], options), arguments)

    def _blocks(self, page: OpenPage, arguments: Mapping[str, Any]) -> list[Block]:
        start, notes = arguments.get("start", 0), self._notes is not None
        return page_blocks(page, self._settings.page_chars, start, has_notes=notes)

    async def _read_through(self, arguments: Mapping[str, Any]) -> list[Block]:
        page, settings = await self._pages.page(arguments["url"]), self._settings
        parts = parts_of(page, settings.page_chars)
        if len(parts) <= 1 or self._notes is None:
            return page_blocks(page, settings.page_chars)
        noted_page, making = self._noting.get(page.url, (None, None))
        if making is None or noted_page is not page or making.cancelled():
            # Once for each reading of a page, also if nothing comes of it: every part is a call of the model.
            most, focus = settings.max_page_parts, arguments["focus"]
            making = asyncio.create_task(noted(page, parts, self._notes, focus=focus, most_parts=most))
            self._noting[page.url] = page, making
        made = await making
        self._noted[page.title] = made.percent
        return list(made.blocks)

    async def _find_in_page(self, arguments: Mapping[str, Any]) -> list[Block]:
        page = await self._pages.page(arguments["url"])
        found = await self._pages.find(page, arguments["query"])
        linked = linked_blocks(page, found.links)
        return [*found_blocks(page, found.passages), *linked, *warning_blocks(page)]


def _aim(call: Block) -> str:
    """Identifies what a call is for: a second call for the same file, with other content, is the same."""
    arguments = call["input"] if isinstance(call["input"], dict) else {}
    return json.dumps([call["name"], {key: arguments[key] for key in arguments if key != "content"}])
