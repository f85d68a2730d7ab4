"""The pages and the questions, as the product reads them."""

import asyncio
import csv
import io
import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, cast

from fetcher import wording
from fetcher.agent.files.answer_files import FilePolicy
from fetcher.agent.offline.findings import numbered, quotes
from fetcher.agent.offline.intent import intent_of
from fetcher.agent.offline.reader import answer_offline
from fetcher.agent.safety.provenance import FetchPolicy, Provenance
from fetcher.agent.tools.open_pages import OpenPages
from fetcher.agent.tools.toolbox import Toolbox, ToolSettings
from fetcher.agent.values import Answer, AskRequest, GeneratedFile
from fetcher.codes import ReadingMode
from fetcher.settings import WebFetchSettings
from fetcher.web.fetch_job import FetchOptions
from fetcher.web.net.canonical import canonicalise
from fetcher.web.pipeline import Pipeline
from fetcher.web.reading.readers import read
from fetcher.web.search.find import PASSAGE_TOKENS
from fetcher.web.search.tasks import Task
from fetcher.web.values import Document, FetchedPage, ReadingContext
from tests.engine import digest

HERE = Path(__file__).parent
FILES = FilePolicy(max_bytes=1_000_000, types=("text/csv", "application/json", "text/plain"))
_JAPANESE = re.compile("[\u3041-\u30ff\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    page: str
    """The name of its page, which is also its kind."""
    text: str
    gold: tuple[str, ...]
    """What must stand together in one passage."""

    @property
    def is_english(self) -> bool:
        return _JAPANESE.search(self.text) is None

    def is_answered_by(self, passage: str) -> bool:
        plain = _plain(passage)
        return all(_plain(words) in plain for words in self.gold)


def questions() -> Iterator[Question]:
    for path in sorted((HERE / "questions").glob("*.tsv")):
        for line in path.read_text("utf-8").splitlines():
            text, *gold = line.split("\t")
            yield Question(page=path.stem, text=text, gold=tuple(gold))


def url_of(page: str) -> str:
    return f"https://{page}.example/page"


@cache
def page_of(name: str) -> FetchedPage:
    """A page as the engine reads it."""
    url = url_of(name)
    context = ReadingContext(url=url, mode=ReadingMode.ARTICLE, content_type="text/html; charset=utf-8")
    reading = read((HERE / "pages" / f"{name}.html").read_bytes(), context)
    return FetchedPage(
        requested_url=url,
        final_url=canonicalise(url),
        fetched_at=datetime(2026, 11, 17, tzinfo=UTC),
        document=reading.document,
    )


class PagesAtHand:
    """Stands in for the pipeline: it has the pages already."""

    is_switched_off = False

    async def fetch(self, url: str, _options: FetchOptions) -> FetchedPage:
        return page_of(url.removeprefix("https://").partition(".")[0])

    async def make(self, task: Task[Any], document: Document) -> Any:
        return task.run(document)


async def open_toolbox(*pages: str) -> Toolbox:
    """The model's tools, with these pages read."""
    links = [url_of(page) for page in pages]
    provenance = Provenance(links, FetchPolicy())
    opened = OpenPages(cast("Pipeline", PagesAtHand()), provenance, lambda _: None)
    box = Toolbox(opened, ToolSettings(web=WebFetchSettings(), files=FILES, max_files=5))
    for link in links:
        await call(box, "fetch_url", url=link)
    return box


async def call(box: Toolbox, name: str, **arguments: Any) -> Any:
    """The content of a tool's result."""
    result = await box.run({"type": "tool_use", "id": "t1", "name": name, "input": arguments})
    return result["content"]


def searched(asked: list[Question]) -> list[list[str]]:
    """The passages that the model gets for each question, in their order."""

    async def ask_all() -> list[list[str]]:
        boxes = {page: await open_toolbox(page) for page in {question.page for question in asked}}
        return [await ask(boxes[question.page], question) for question in asked]

    async def ask(box: Toolbox, question: Question) -> list[str]:
        blocks = await call(box, "find_in_page", url=url_of(question.page), query=question.text)
        results = [block for block in blocks if block["type"] == "search_result"]
        return [piece["text"] for result in results for piece in result["content"]]

    return asyncio.run(ask_all())


def quoted(question: Question) -> list[str]:
    """The passages that the reader without a model quotes, in their order."""
    intent = intent_of(question.text)
    page = page_of(question.page)
    [found] = numbered([(page, asyncio.run(digest(page, intent.asked, PASSAGE_TOKENS)))])
    return quotes(found) if intent.topic else []


def answered(text: str, *pages: str) -> Answer:
    """The answer of the reader without a model."""

    async def read_page(url: str) -> FetchedPage:
        return page_of(url.removeprefix("https://").partition(".")[0])

    asked = answer_offline(
        AskRequest(question=text),
        read=read_page,
        digest=digest,
        links=[url_of(page) for page in pages],
        files=FILES,
        phrases=wording.OFFLINE,
        on_progress=lambda _: None,
    )
    return asyncio.run(asked)


def exported(page: str, arguments: dict[str, Any]) -> list[GeneratedFile]:
    """The files that a call of the model makes."""

    async def export() -> list[GeneratedFile]:
        box = await open_toolbox(page)
        await call(box, "export_table", url=url_of(page), **arguments)
        return box.files

    return asyncio.run(export())


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """Files that are asked for, by a question or by a call of the model, and what must be said."""

    page: str
    text: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    files: tuple[str, ...]
    undone: str = ""
    said: str = ""

    @property
    def is_exact(self) -> bool:
        if self.arguments:
            return self._holds(exported(self.page, self.arguments))
        answer = answered(self.text, self.page)
        told = self.undone in " ".join(answer.undone) and self.said in answer.text
        silent = bool(self.undone) or not answer.undone
        return told and silent and self._holds(answer.files)

    def _holds(self, made: Sequence[GeneratedFile]) -> bool:
        gold = [_content(name, (HERE / "gold" / name).read_bytes()) for name in self.files]
        return [_content(file.file_name, file.content) for file in made] == gold


def exports() -> list[Export]:
    table = tomllib.loads((HERE / "exports.toml").read_text("utf-8"))
    rows = [*table["question"], *table["call"]]
    return [Export(**row | {"files": tuple(row["files"])}) for row in rows]


def _content(name: str, content: bytes) -> object:
    text = content.decode("utf-8-sig")
    return json.loads(text) if name.endswith(".json") else list(csv.reader(io.StringIO(text)))


def _plain(text: str) -> str:
    """Text without Markdown's signs and white space, in which passages and gold are compared."""
    return re.sub(r"[\s\\*|_`]+", "", text)
