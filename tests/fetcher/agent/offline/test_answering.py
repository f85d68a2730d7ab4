"""What the offline reader makes of a search."""

import asyncio
from typing import Any

from fetcher import wording
from fetcher.agent import AskRequest
from fetcher.agent.files.answer_files import FilePolicy
from fetcher.agent.offline.answering import OfflineAnswering
from fetcher.agent.safety.provenance import FetchPolicy, Provenance
from fetcher.agent.tools.searches import Searches, SearchPolicy
from fetcher.agent.values import Limits
from fetcher.codes import AgentCode
from fetcher.settings import WebFetchSettings


class SilentProvider:
    async def search(self, *_: Any) -> Any:
        await asyncio.Event().wait()


def test_a_search_takes_no_more_than_its_part_of_the_time():
    provenance, none = Provenance([], FetchPolicy()), lambda _: None
    searches = Searches(SearchPolicy(provider=SilentProvider()), provenance, list, none)
    offline = OfflineAnswering(web=WebFetchSettings(), files=FilePolicy(max_bytes=1, types=()), max_files=1)
    request = AskRequest(question="コーヒー豆の定期便は？", limits=Limits(seconds=1))
    pages: Any = None  # none is opened

    async def story():
        async with asyncio.timeout(5):
            return await offline.answer(request, pages, searches, none)

    answer = asyncio.run(story())
    assert answer.undone == (wording.note(AgentCode.SEARCH_UNAVAILABLE),)
    assert searches.queries == [request.question]  # it has left, and is told
