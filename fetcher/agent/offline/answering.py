"""Answers with the offline reader: it reads the links of a question, or what a search finds."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from fetcher import wording
from fetcher.agent.errors import ToolRefused
from fetcher.agent.files.answer_files import FilePolicy
from fetcher.agent.model import thread_messages
from fetcher.agent.offline.intent import intent_of
from fetcher.agent.offline.reader import answer_offline
from fetcher.agent.safety.allowed_links import only_links
from fetcher.agent.safety.fencing import plain_label
from fetcher.agent.safety.provenance import UNNAMED_FETCHES
from fetcher.agent.tools import incomplete
from fetcher.agent.tools.open_pages import OpenPages, read_first
from fetcher.agent.tools.searches import Searches
from fetcher.agent.values import Answer, AskRequest, Progress
from fetcher.agent.web_search.contract import unavailable
from fetcher.agent.web_search.query_rules import LONGEST_QUERY
from fetcher.codes import AgentCode
from fetcher.settings import WebFetchSettings
from fetcher.web.fetch_url import quick, unhurried
from fetcher.web.values import FetchedPage
from fetcher.wording import fixed_ja

_NOT_TOLD = frozenset({AgentCode.QUERY_TOO_LONG, AgentCode.QUERY_QUOTES_OTHERS, AgentCode.SEARCH_LIMIT})
"""Refusals that mean: without a link there is nothing to read."""

SEARCH_SHARE = 0.5
"""The part of the time in which a search may end; the rest is for what it finds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineAnswering:
    """The offline reader with its settings."""

    web: WebFetchSettings
    files: FilePolicy
    max_files: int

    async def answer(
        self,
        request: AskRequest,
        pages: OpenPages,
        searches: Searches | None,
        on_progress: Callable[[Progress], None],
        *,
        exporting: bool = True,
    ) -> Answer:
        """The answer, without foreign links or mentions; `exporting`: whether files are still to be made."""
        known = {url: [url] for url in request.known_urls[:UNNAMED_FETCHES]}
        # What a search found earlier in the thread is known by its record alone.
        readings = thread_messages.links_to_read(request) or known
        if searches and not readings and intent_of(request.question).topic:
            started = asyncio.get_running_loop().time()
            found = await _search(request, searches, pages)
            if isinstance(found, Answer):
                return found
            readings = {url: [url] for url in found}
            request = request.within(request.limits.seconds + started - asyncio.get_running_loop().time())

        async def read(url: str) -> FetchedPage:
            return await read_first(readings[url], lambda reading: pages.fetch(reading, quick(self.web)))

        answer = await answer_offline(
            request,
            read=read,
            digest=pages.digest,
            read_more=lambda page: pages.fetch(page.requested_url, unhurried(self.web)),
            links=list(readings),
            files=self.files,
            phrases=fixed_ja.LABELLED_OFFLINE if request.labelled else wording.OFFLINE,
            on_progress=on_progress,
            max_files=self.max_files,
            exporting=exporting,
            names={file.url: wording.quoted(plain_label(file.name)) for file in request.files},
        )
        read_urls = {source.url for source in answer.sources}
        return replace(
            answer,
            undone=(*answer.undone, *incomplete.for_people(pages.incomplete)),
            text=only_links(answer.text, read_urls),
            sources=tuple(replace(source, title=plain_label(source.title)) for source in answer.sources),
            answered=bool(answer.sources),
        )


async def _search(request: AskRequest, searches: Searches, pages: OpenPages) -> list[str] | Answer:
    """Search, unless the model has; return the first links, or the answer that says why there are none."""
    try:
        async with asyncio.timeout(SEARCH_SHARE * request.limits.seconds):
            if not searches.found:
                await searches.search(plain_label(request.question, longest=LONGEST_QUERY))
    except (ToolRefused, TimeoutError) as error:
        refusal = error if isinstance(error, ToolRefused) else unavailable("there was no time left")
        undone = () if refusal.code in _NOT_TOLD else (wording.note(refusal.code),)
        return Answer(text=wording.nothing_to_read(), undone=undone, offline=True, answered=False)
    if not searches.found:
        return Answer(text=wording.nothing_found(), offline=True, answered=False)
    pages.provenance.show("\n".join(searches.found))
    was_read = [url for url in searches.found if url in pages.provenance.read]
    return (was_read or searches.found)[:UNNAMED_FETCHES]
