"""Claude's own search tool, by the real SDK against a server that knows the SDK's types."""

import asyncio

import pytest

from fetcher.agent.errors import ToolRefused
from fetcher.agent.web_search.claude import MOST_CALLS
from fetcher.agent.web_search.contract import SearchResult
from fetcher.agent.web_search.opening import open_search
from fetcher.codes import AgentCode
from fetcher.settings import AgentSettings
from tests.fakes.turns import block, fail, pause, say, search_made, stall

FOUND = ("https://shop.example/price", "料金")
UNAVAILABLE, REJECTED = AgentCode.SEARCH_UNAVAILABLE, AgentCode.SEARCH_REJECTED


def _search(claude, most=5, **settings):
    given = {
        "search_provider": "anthropic",
        "anthropic_api_key": "sk-test",
        "anthropic_base_url": claude.url,
        "model_max_retries": 0,
        **settings,
    }
    made = open_search(AgentSettings.model_validate(given), proxies=False)
    assert made
    return asyncio.run(made.search("コーヒー豆 定期便", "ja", most))


def test_the_call_knows_the_query_and_nothing_else(claude):
    claude.script(search_made("コーヒー豆 定期便", FOUND, ("https://b.example/", "b")) + say("done"))
    found = _search(claude, most=1)
    assert found.results == (SearchResult(url=FOUND[0], title=FOUND[1]),)
    assert found.usage.calls == 1
    assert found.usage.output_tokens
    [asked] = claude.requests
    assert asked.json["messages"] == [{"role": "user", "content": "コーヒー豆 定期便"}]
    [tool] = asked.json["tools"]
    assert (tool["type"], tool["max_uses"]) == ("web_search_20250305", 1)
    assert tool["user_location"] == {"type": "approximate", "country": "JP"}


def test_a_paused_turn_is_sent_back_as_it_came(claude):
    claude.script(search_made("豆", ended=False), search_made("豆", FOUND) + say("done"))
    found = _search(claude)
    assert [result.url for result in found.results] == [FOUND[0]]
    assert found.usage.calls == 2
    back = claude.requests[1].json["messages"]
    assert [message["role"] for message in back] == ["user", "assistant"]
    assert "server_tool_use" in [block["type"] for block in back[1]["content"]]


FAULTS = {
    "the search is down": ([search_made("豆", error="unavailable")], UNAVAILABLE),
    "too many searches": ([search_made("豆", error="too_many_requests")], UNAVAILABLE),
    "no search": ([say("知っています。")], UNAVAILABLE),
    "a wrong key": ([fail(401)], REJECTED),
    "search is switched off": ([fail(400, message="Web search is not enabled")], REJECTED),
    "429": ([fail(429)], UNAVAILABLE),
    "refused after a pause": ([search_made("豆", ended=False), fail(400)], UNAVAILABLE),
    "malformed": ([block({"type": "web_search_tool_result", "content": 3})], UNAVAILABLE),
}


@pytest.mark.parametrize(("turns", "code"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_told_by_its_code(claude, turns, code):
    claude.script(*turns)
    with pytest.raises(ToolRefused) as refusal:
        _search(claude)
    assert (refusal.value.code, refusal.value.retryable) == (code, code is UNAVAILABLE)
    assert "sk-test" not in refusal.value.message


def test_a_silent_server_is_not_awaited_for_ever(claude):
    claude.script(stall())
    with pytest.raises(ToolRefused) as refusal:
        _search(claude, model_timeout_seconds=0.2)
    assert refusal.value.code is UNAVAILABLE


def test_pauses_have_an_end(claude):
    claude.script(*[pause("…")] * MOST_CALLS)
    with pytest.raises(ToolRefused, match="no search was made"):
        _search(claude, anthropic_model="claude-sonnet-4-5")
    assert len(claude.requests) == MOST_CALLS


def test_nothing_found_is_no_fault(claude):
    claude.script(search_made("豆") + say("done"))
    assert _search(claude).results == ()
