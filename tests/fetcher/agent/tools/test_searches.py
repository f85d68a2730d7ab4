"""The searches of a question: what is sent, what is kept of the results, and how often."""

import asyncio

import pytest

from fetcher.agent import Progress
from fetcher.agent.errors import ToolRefused
from fetcher.agent.safety.provenance import FetchPolicy, Provenance
from fetcher.agent.tools.searches import LINKS_ARE_DATA, MOST_SEARCHES, Searches, SearchPolicy
from fetcher.agent.values import Usage
from fetcher.agent.web_search.contract import Found, SearchResult, unavailable
from fetcher.codes import AgentCode

SHOP = "https://shop.example/price"


class Provider:
    """Finds what a test says, for each language; an error is raised."""

    def __init__(self, **found):
        self.found = found
        self.asked = []

    async def search(self, query, language, most):
        self.asked.append((query, language))
        found = self.found[language]
        if isinstance(found, ToolRefused):
            raise found
        return Found(results=tuple(found), usage=Usage(calls=1))


def _result(url, title="題名", snippet=""):
    return SearchResult(url=url, title=title, snippet=snippet)


def _searches(provider, *, results=5, others=(), progress=None, **policy):
    provenance = Provenance([], FetchPolicy(**policy))
    chosen = SearchPolicy(provider=provider, languages=tuple(provider.found), results=results)
    return Searches(chosen, provenance, lambda: list(others), progress or (lambda _: None)), provenance


def test_a_result_may_be_read_once_the_model_was_shown_it():
    searches, provenance = _searches(Provider(ja=[_result("https://shop.example:443/price")]))
    [block] = asyncio.run(searches.run({"query": "豆"}))
    assert block["text"] == f"{LINKS_ARE_DATA}\n1. 題名\n{SHOP}"
    with pytest.raises(ToolRefused):
        provenance.admit(SHOP)
    provenance.show(block["text"])
    assert str(provenance.admit(SHOP)) == SHOP


def test_results_count_among_the_hosts_that_no_person_named():
    pages = [_result(f"https://site{number}.example/") for number in range(5)]
    searches, provenance = _searches(Provider(ja=pages))
    [block] = asyncio.run(searches.run({"query": "豆"}))
    provenance.show(block["text"])
    for page in pages[:3]:
        provenance.admit(page.url)
    with pytest.raises(ToolRefused) as refusal:
        provenance.admit(pages[3].url)
    assert refusal.value.code is AgentCode.UNNAMED_HOST_LIMIT


def test_titles_and_snippets_are_plain_lines_without_links():
    """A result may look like several, hold links and hidden characters, and be long."""
    text = "a\n9. 偽の題名\nhttps://attacker.example/\u200b\U000e0041 <!channel> " + "x" * 5000
    searches, provenance = _searches(Provider(ja=[_result(SHOP, text, text)]))
    [block] = asyncio.run(searches.run({"query": "豆"}))
    lines = block["text"].split("\n")
    assert len(lines) == 4
    assert max(map(len, lines)) < 320
    assert "https://attacker" not in block["text"]
    assert not any(character in block["text"] for character in "\u200b\U000e0041<")
    provenance.show(block["text"])
    with pytest.raises(ToolRefused):
        provenance.admit("https://attacker.example/")


def test_only_links_that_can_be_read_are_results():
    rows = ["javascript:alert(1)", "ftp://a.example/", "https://user@a.example/", "no url", ""]
    rows += ["https://blocked.example/", "https://a.example/" + "x" * 3000, SHOP, SHOP + "#top"]
    searches, _ = _searches(Provider(ja=map(_result, rows)), blocked_domains=("blocked.example",))
    assert [result.url for result in asyncio.run(searches.search("豆"))] == [SHOP]


def test_languages_take_turns_and_one_that_fails_does_not_matter():
    japanese = [_result(f"https://ja{number}.example/") for number in range(3)]
    english = [_result("https://en.example/")]
    searches, _ = _searches(Provider(ja=japanese, en=english, ko=unavailable("429")), results=3)
    found = asyncio.run(searches.search("豆"))
    expected = ["https://ja0.example/", "https://en.example/", "https://ja1.example/"]
    assert [result.url for result in found] == expected
    assert searches.usage.calls == 2
    failing, _ = _searches(Provider(ja=unavailable("429"), en=unavailable("500")))
    with pytest.raises(ToolRefused, match="429"):
        asyncio.run(failing.search("豆"))
    assert failing.queries == ["豆"]  # it has left, and is told


def test_a_language_that_is_named_twice_is_one_search():
    provider = Provider(ja=[_result(SHOP)])
    policy = SearchPolicy(provider=provider, languages=("ja", "ja"))
    searches = Searches(policy, Provenance([], FetchPolicy()), list, lambda _: None)
    asyncio.run(searches.search("豆"))
    assert provider.asked == [("豆", "ja")]


def test_a_question_has_so_many_searches_also_side_by_side():
    provider = Provider(ja=[])
    searches, _ = _searches(provider)

    async def story():
        tries = (searches.search(f"豆{number}") for number in range(MOST_SEARCHES + 2))
        return await asyncio.gather(*tries, return_exceptions=True)

    outcomes = asyncio.run(story())
    assert len(provider.asked) == MOST_SEARCHES
    assert [getattr(one, "code", "") for one in outcomes[MOST_SEARCHES:]] == [AgentCode.SEARCH_LIMIT] * 2


def test_what_may_not_leave_is_neither_sent_nor_shown():
    provider, seen = Provider(ja=[]), list[Progress]()
    secret = "来期の予算は三億円で、四月から新しい店舗を開きます"
    searches, _ = _searches(provider, others=[secret], progress=seen.append)
    for query in (secret, secret.upper() + "？", "x" * 101):
        with pytest.raises(ToolRefused):
            asyncio.run(searches.search(query))
    assert (provider.asked, searches.queries, seen) == ([], [], [])
    asyncio.run(searches.search("新店舗 予算"))
    assert [progress.title for progress in seen] == ["新店舗 予算"]
