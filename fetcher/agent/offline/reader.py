"""The offline reader: what people get when there is no model, or none that answers (A5).

It fetches the links, and answers with what the pages themselves say, or with files of their tables.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from fetcher.agent.errors import ToolRefused
from fetcher.agent.files.answer_files import FilePolicy
from fetcher.agent.files.table_exports import Exporter
from fetcher.agent.offline.findings import NumberedPage, beginnings, findings, numbered
from fetcher.agent.offline.intent import intent_of
from fetcher.agent.offline.phrases import OfflinePhrases
from fetcher.agent.values import SHORT_CHARS, Answer, AskRequest, Progress, Source, Step
from fetcher.web.errors import FetchError
from fetcher.web.values import FetchedPage

Read = Callable[[str], Awaitable[FetchedPage]]
"""Fetches a page, tells whoever watches, and raises FetchError or ToolRefused."""
ReadMore = Callable[[FetchedPage], Awaitable[FetchedPage]]
"""Fetches a page that was cut once more, with a larger limit."""
Outcome = FetchedPage | FetchError | ToolRefused

READING_SHARE = 0.9
"""The part of the time in which pages are read; the rest is for writing."""
LEAST_WRITING_SECONDS = 1.0
"""Even where no time is left: what was read is not thrown away."""


async def answer_offline(
    request: AskRequest,
    *,
    read: Read,
    links: Sequence[str],
    files: FilePolicy,
    say: OfflinePhrases,
    on_progress: Callable[[Progress], None],
    max_files: int = 5,
    exporting: bool = True,
    read_more: ReadMore | None = None,
) -> Answer:
    """An answer in the pages' own words; partial when time runs out, deterministic otherwise.

    `exporting` is False where the files that the question asks for are there already.
    """
    urls = list(dict.fromkeys(links))
    if not urls:
        return Answer(text=say.no_link(), offline=True)
    tried = urls[: request.limits.fetches]
    wanted = intent_of(request.question)
    wanted = wanted if exporting else replace(wanted, files=())
    started = asyncio.get_running_loop().time()
    more = read_more if wanted.files else None
    outcomes = await _read_all(tried, read, more, READING_SHARE * request.limits.seconds)
    on_progress(Progress(step=Step.WRITING))
    exporter = Exporter(wish=wanted, policy=files, max_files=max_files, say=say)
    left_out = [say.too_many_links(len(urls) - len(tried), len(tried))] if len(urls) > len(tried) else []
    spent = asyncio.get_running_loop().time() - started
    try:
        async with asyncio.timeout(max(LEAST_WRITING_SECONDS, request.limits.seconds - spent)):
            text, sources = await _written_aside(_pages(tried, outcomes), exporter)
    except TimeoutError:  # the thread may go on with the exporter: nothing of it is used
        undone = (*_unread(tried, _without_pages(outcomes), say), *left_out)
        return Answer(text=say.nothing_read(), undone=undone, offline=True)
    return Answer(
        text=text,
        sources=sources,
        files=tuple(exporter.files),
        undone=(*_unread(tried, outcomes, say), *left_out, *exporter.undone),
        offline=True,
    )


async def _read_all(
    urls: Sequence[str], read: Read, read_more: ReadMore | None, seconds: float
) -> Mapping[str, Outcome]:
    """The pages, read side by side; those that are not there when the time is up are left out.

    Where files are wanted, more is read of a page that was cut; its beginning stays if that fails.
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


def _without_pages(outcomes: Mapping[str, Outcome]) -> Mapping[str, Outcome]:
    return {url: outcome for url, outcome in outcomes.items() if not isinstance(outcome, FetchedPage)}


def _pages(urls: Sequence[str], outcomes: Mapping[str, Outcome]) -> list[FetchedPage]:
    """The pages that were read, in the order of the links, each once however many links lead to it."""
    pages: dict[str, FetchedPage] = {}
    for page in map(outcomes.get, urls):
        if isinstance(page, FetchedPage):
            pages.setdefault(str(page.final_url), page)
    return list(pages.values())


async def _written_aside(pages: Sequence[FetchedPage], exporter: Exporter) -> tuple[str, tuple[Source, ...]]:
    """Long pages are written about in a thread; short ones need none, and all may be busy reading."""
    if sum(len(page.document.markdown) for page in pages) <= SHORT_CHARS:
        return _written(pages, exporter)
    return await asyncio.to_thread(_written, pages, exporter)


def _written(pages: Sequence[FetchedPage], exporter: Exporter) -> tuple[str, tuple[Source, ...]]:
    """The text and the pages that it uses: files where they are asked for and can be made, else words."""
    if not pages:
        return exporter.say.nothing_read(), ()
    used = numbered([page for page in pages if page.document.tables] if exporter.wish.files else [])
    parts = [exporter.export(page) for page in used]
    if not exporter.files:
        used = numbered(pages)
        parts = list(_told(used, exporter))
    sources = tuple(Source(number=page.number, title=page.title, url=page.url) for page in used)
    return "\n\n".join([*parts, exporter.say.no_model()]), sources


def _told(pages: Sequence[NumberedPage], exporter: Exporter) -> Iterator[str]:
    topic, say = exporter.wish.topic, exporter.say
    if exporter.wish.files and not exporter.undone:
        yield say.no_table()
    yield findings(topic, pages, say) if topic else beginnings(pages, say)


def _unread(urls: Sequence[str], outcomes: Mapping[str, Outcome], say: OfflinePhrases) -> Iterator[str]:
    for url in urls:
        outcome = outcomes.get(url)
        if outcome is None:
            yield say.out_of_time(url)
        elif not isinstance(outcome, FetchedPage):
            yield say.failed(url, outcome)
