"""The offline reader: it answers without a model, or when the model gives no answer (A5).

It fetches the links, and answers with excerpts of the pages, or with files of their tables.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType

from fetcher.agent.errors import ToolRefused
from fetcher.agent.files.answer_files import FilePolicy
from fetcher.agent.files.answer_files import Kind as FileKind
from fetcher.agent.files.table_exports import Exporter, named_tables
from fetcher.agent.files.table_selection import alike
from fetcher.agent.offline.findings import beginnings, findings, numbered
from fetcher.agent.offline.intent import Intent, intent_of
from fetcher.agent.offline.phrases import OfflinePhrases
from fetcher.agent.values import SHORT_CHARS, Answer, AskRequest, Progress, Source, Step, Turn
from fetcher.web.errors import FetchError
from fetcher.web.values import FetchedPage

Read = Callable[[str], Awaitable[FetchedPage]]
"""Fetches a page and reports progress; raises FetchError or ToolRefused."""
ReadMore = Callable[[FetchedPage], Awaitable[FetchedPage]]
"""Fetches a page that was cut once more, with a larger limit."""
Outcome = FetchedPage | FetchError | ToolRefused

READING_SHARE = 0.9
"""The part of the time in which pages are read; the rest is for writing."""
LEAST_WRITING_SECONDS = 1.0
"""Even where no time is left: pages that were read are used."""

_EARLIER_MESSAGES = 10
_LONGEST_REQUEST = 500
"""Characters of an earlier message that is looked at; a request for a file is short."""


async def answer_offline(
    request: AskRequest,
    *,
    read: Read,
    links: Sequence[str],
    files: FilePolicy,
    phrases: OfflinePhrases,
    on_progress: Callable[[Progress], None],
    max_files: int = 5,
    exporting: bool = True,
    read_more: ReadMore | None = None,
    names: Mapping[str, str] = MappingProxyType({}),
) -> Answer:
    """An answer in the pages' own words; partial when time runs out, deterministic otherwise.

    `exporting` is False where the files that the question asks for are there already. `names` are what people
    call the links that are files of theirs. A reply that only names a table asks for a file of it, if files
    were asked for before.
    """
    urls = list(dict.fromkeys(links))
    if not urls:
        return Answer(text=phrases.no_link(), offline=True)
    tried = urls[: request.limits.fetches]
    left_out = [phrases.too_many_links(len(urls) - len(tried), len(tried))] if len(urls) > len(tried) else []
    intent = intent_of(request.question, [file.name for file in request.files])
    kinds = (intent.files or _asked_earlier(request.history)) if exporting else ()
    ends = asyncio.get_running_loop().time() + request.limits.seconds
    more = read_more if kinds else None
    outcomes = await _read_all(tried, read, more, READING_SHARE * request.limits.seconds)
    on_progress(Progress(step=Step.WRITING))
    pages = _distinct(map(outcomes.get, tried))
    if not intent.files and not (kinds and _names_table(intent, pages, phrases)):
        kinds = ()
    exporter = Exporter(
        intent=replace(intent, files=kinds), policy=files, max_files=max_files, phrases=phrases
    )
    try:
        left = ends - asyncio.get_running_loop().time()
        no_match = "" if request.quoted else phrases.no_match()
        text, sources = await _compose_within(max(LEAST_WRITING_SECONDS, left), pages, exporter, no_match)
    except TimeoutError:  # the thread may go on with the exporter: its files are not used
        undone = (*_unread(tried, outcomes, phrases, names), *left_out)
        return Answer(text=phrases.nothing_read(), undone=undone, offline=True)
    unread = [url for url in tried if not isinstance(outcomes.get(url), FetchedPage)]
    not_done = [phrases.format_not_made(intent.other_formats)] if intent.other_formats else []
    if intent.rewriting and sources:
        not_done.append(phrases.not_rewritten())
    return Answer(
        text=text,
        sources=sources,
        files=tuple(exporter.files),
        undone=(*_unread(unread, outcomes, phrases, names), *left_out, *not_done, *exporter.undone),
        offline=True,
    )


async def _read_all(
    urls: Sequence[str], read: Read, read_more: ReadMore | None, seconds: float
) -> Mapping[str, Outcome]:
    """Read the pages side by side; a page that is late has no outcome.

    Where files are wanted, more is read of a page that was cut; if that fails, its beginning is used.
    """
    outcomes: dict[str, Outcome] = {}

    async def read_one(url: str) -> None:
        try:
            outcomes[url] = page = await read(url)
        except (FetchError, ToolRefused) as error:
            outcomes[url] = error
            return
        if page.cut and read_more:
            with suppress(FetchError, ToolRefused):
                outcomes[url] = await read_more(page)

    with suppress(TimeoutError):
        async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
            for url in urls:
                group.create_task(read_one(url))
    return outcomes


def _distinct(outcomes: Iterable[Outcome | None]) -> list[FetchedPage]:
    """The pages that were read, each once: several links may lead to one page."""
    found: dict[str, FetchedPage] = {}
    for outcome in outcomes:
        if isinstance(outcome, FetchedPage):
            found.setdefault(str(outcome.final_url), outcome)
    return list(found.values())


async def _compose_within(
    seconds: float, pages: Sequence[FetchedPage], exporter: Exporter, no_match: str
) -> tuple[str, tuple[Source, ...]]:
    """Compose short pages here, because all threads may be busy reading, and long ones in a thread."""
    async with asyncio.timeout(seconds):
        if sum(len(page.document.markdown) for page in pages) <= SHORT_CHARS:
            return _compose(pages, exporter, no_match)
        return await asyncio.to_thread(_compose, pages, exporter, no_match)


def _asked_earlier(history: Sequence[Turn]) -> tuple[FileKind, ...]:
    """The kinds of files that one of the last messages of people asks for."""
    said = [turn.text for turn in history if not turn.ours][-_EARLIER_MESSAGES:]
    asked = (intent_of(text).files for text in reversed(said) if len(text) <= _LONGEST_REQUEST)
    return next(filter(None, asked), ())


def _names_table(intent: Intent, pages: Sequence[FetchedPage], phrases: OfflinePhrases) -> bool:
    """Whether the question names a table of these pages, and says nothing else."""
    if intent.table:
        return any(page.document.tables for page in pages)
    names = {alike(table.name) for page in numbered(pages) for table in named_tables(page, phrases)}
    return alike(intent.only_table) in names


def _compose(
    pages: Sequence[FetchedPage], exporter: Exporter, no_match: str
) -> tuple[str, tuple[Source, ...]]:
    """The text and the pages that it uses: files where they are asked for and can be made, else excerpts.

    `no_match` stands above excerpts that do not bear on the question.
    """
    intent, phrases = exporter.intent, exporter.phrases
    if not pages:
        return phrases.nothing_read(), ()
    used = numbered([page for page in pages if page.document.tables] if intent.files else [])
    parts = [exporter.export(page) for page in used]
    if not exporter.files:
        used = numbered(pages)
        parts = [phrases.no_table()] if intent.files and not exporter.undone else []
        found = intent.topic and findings(intent.asked, used, phrases, no_match)
        parts.append(found or beginnings(used, phrases))
    sources = tuple(Source(number=page.number, title=page.title, url=page.url) for page in used)
    return "\n\n".join([*parts, phrases.no_model()]), sources


def _unread(
    urls: Sequence[str],
    outcomes: Mapping[str, Outcome],
    phrases: OfflinePhrases,
    names: Mapping[str, str],
) -> list[str]:
    """Why each of these pages was not read; a page without a failure was not read in time."""
    return [
        phrases.failed(names.get(url, url), outcome)
        if isinstance(outcome := outcomes.get(url), FetchError | ToolRefused)
        else phrases.out_of_time(names.get(url, url))
        for url in urls
    ]
