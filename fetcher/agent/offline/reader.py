"""The offline reader: it answers without a model, or when the model gives no answer (A5).

It fetches the links, and answers with excerpts of the pages, or with files of their tables.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType

from fetcher.agent.errors import ToolRefused
from fetcher.agent.files.answer_files import FilePolicy
from fetcher.agent.files.answer_files import Kind as FileKind
from fetcher.agent.files.table_exports import Exporter, named_tables
from fetcher.agent.files.table_selection import alike
from fetcher.agent.offline.findings import beginnings, findings, numbered, passage_tokens
from fetcher.agent.offline.intent import Intent, intent_of
from fetcher.agent.offline.phrases import OfflinePhrases
from fetcher.agent.values import Answer, AskRequest, Progress, Source, Step, Turn
from fetcher.turns import in_turn
from fetcher.web.errors import FetchError
from fetcher.web.search.tasks import Digest
from fetcher.web.values import FetchedPage

Read = Callable[[str], Awaitable[FetchedPage]]
"""Fetches a page and reports progress; raises FetchError or ToolRefused."""
ReadMore = Callable[[FetchedPage], Awaitable[FetchedPage]]
"""Fetches a page that was cut once more, with a larger limit."""
MakeDigest = Callable[[FetchedPage, str, int], Awaitable[Digest]]
"""Makes the digest of a page for a question, of passages with so many tokens; raises FetchError."""
Outcome = FetchedPage | FetchError | ToolRefused
Digested = Sequence[tuple[FetchedPage, Digest]]

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
    digest: MakeDigest,
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
    pages = await _digested(outcomes, digest, intent.asked if intent.topic else "", _left(ends))
    if not intent.files and not (kinds and _names_table(intent, pages, phrases)):
        kinds = ()
    exporter = Exporter(
        intent=replace(intent, files=kinds), policy=files, max_files=max_files, phrases=phrases
    )
    try:
        no_match = "" if request.quoted else phrases.no_match()
        async with asyncio.timeout(_left(ends)):
            if kinds:  # files take time to make
                text, sources = await in_turn(_compose, pages, exporter, no_match)
            else:
                text, sources = _compose(pages, exporter, no_match)
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
) -> dict[str, Outcome]:
    """Read the pages side by side, in the order of their links; a page that is late has no outcome.

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
    return {url: outcomes[url] for url in urls if url in outcomes}


def _left(ends: float) -> float:
    return max(LEAST_WRITING_SECONDS, ends - asyncio.get_running_loop().time())


async def _digested(
    outcomes: dict[str, Outcome], digest: MakeDigest, question: str, seconds: float
) -> Digested:
    """The pages that were read, with their digests; each once, since several links may lead to one page.

    A page without a digest counts as not read from now on.
    """
    pages = {str(page.final_url): page for page in outcomes.values() if isinstance(page, FetchedPage)}
    made: dict[str, Digest | FetchError] = {}

    async def digest_one(url: str, page: FetchedPage) -> None:
        try:
            made[url] = await digest(page, question, passage_tokens(len(pages)))
        except FetchError as error:
            made[url] = error

    with suppress(TimeoutError):
        async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
            for url, page in pages.items():
                group.create_task(digest_one(url, page))
    for url, outcome in [*outcomes.items()]:
        result = made.get(str(outcome.final_url)) if isinstance(outcome, FetchedPage) else None
        if isinstance(result, FetchError):
            outcomes[url] = result
        elif isinstance(outcome, FetchedPage) and result is None:
            del outcomes[url]
    return [(page, found) for url, page in pages.items() if isinstance(found := made.get(url), Digest)]


def _asked_earlier(history: Sequence[Turn]) -> tuple[FileKind, ...]:
    """The kinds of files that one of the last messages of people asks for."""
    said = [turn.text for turn in history if not turn.ours][-_EARLIER_MESSAGES:]
    asked = (intent_of(text).files for text in reversed(said) if len(text) <= _LONGEST_REQUEST)
    return next(filter(None, asked), ())


def _names_table(intent: Intent, pages: Digested, phrases: OfflinePhrases) -> bool:
    """Whether the question names a table of these pages, and says nothing else."""
    if intent.table:
        return any(page.document.tables for page, _ in pages)
    names = {alike(table.name) for page in numbered(pages) for table in named_tables(page, phrases)}
    return alike(intent.only_table) in names


def _compose(pages: Digested, exporter: Exporter, no_match: str) -> tuple[str, tuple[Source, ...]]:
    """The text and the pages that it uses: files where they are asked for and can be made, else excerpts.

    `no_match` stands above excerpts that do not bear on the question.
    """
    intent, phrases = exporter.intent, exporter.phrases
    if not pages:
        return phrases.nothing_read(), ()
    used = numbered([(page, digest) for page, digest in pages if page.document.tables and intent.files])
    parts = [exporter.export(page) for page in used]
    if not exporter.files:
        used = numbered(pages)
        parts = [phrases.no_table()] if intent.files and not exporter.undone else []
        found = intent.topic and findings(used, phrases, no_match)
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
