"""Brave and Tavily over real sockets, as their documentation describes them, and with their faults."""

import asyncio
import gzip
import json

import pytest

from fetcher.agent.errors import ToolRefused
from fetcher.agent.web_search import json_api
from fetcher.agent.web_search.brave import BraveSearch
from fetcher.agent.web_search.contract import MOST_ROWS, SearchResult
from fetcher.agent.web_search.opening import open_search
from fetcher.agent.web_search.tavily import TavilySearch
from fetcher.codes import AgentCode
from fetcher.settings import AgentSettings, ConfigurationError
from tests.fakes.answers import answer, coded, raw, redirect
from tests.fakes.search_provider import KEY, as_json, brave_error, tavily_error

PAGES = [
    ("https://shop.example/price", "料金 &amp; 送料", "定期便は<b>980円</b>から"),
    ("https://b.example/", "", ""),
]
BOTH = pytest.mark.parametrize("kind", ["brave", "tavily"])
UNAVAILABLE, REJECTED = AgentCode.SEARCH_UNAVAILABLE, AgentCode.SEARCH_REJECTED


def _search(provider, kind, *, key=KEY, query="コーヒー豆 定期便", language="ja", most=5):
    made = (BraveSearch if kind == "brave" else TavilySearch)(key, base_url=provider.url + "/")
    return asyncio.run(made.search(query, language, most)).results


@BOTH
def test_links_come_with_titles_and_snippets(provider, kind):
    provider.pages += PAGES
    first, second = _search(provider, kind, most=2)
    title = "料金 & 送料" if kind == "brave" else "料金 &amp; 送料"
    assert (first.url, first.title) == ("https://shop.example/price", title)
    assert "980円" in first.snippet
    assert second == SearchResult(url="https://b.example/")
    [asked] = provider.requests
    assert asked.query == "コーヒー豆 定期便"
    expected = {"count": "2", "search_lang": "jp", "country": "JP", "operators": "false"}
    assert (expected if kind == "brave" else {"max_results": 2, "country": "japan"}).items() <= (
        asked.fields.items()
    )


@BOTH
@pytest.mark.parametrize("language", ["ja", "en", "ko", "zh"])
def test_every_language_is_one_that_the_provider_takes(provider, kind, language):
    assert _search(provider, kind, language=language) == ()


FAULTS = {
    "a wrong key": (None, REJECTED),
    "no subscription": (brave_error(404, "SUBSCRIPTION_NOT_FOUND"), REJECTED),
    "the plan's limit": (tavily_error(432, "This request exceeds your plan's set usage limit."), REJECTED),
    "401": (tavily_error(401, "Unauthorized"), REJECTED),
    "429": (brave_error(429, "RATE_LIMITED"), UNAVAILABLE),
    "500": (answer("oops", status=500), UNAVAILABLE),
    "a redirect": (redirect("http://127.0.0.1:9/elsewhere"), UNAVAILABLE),
    "no JSON": (answer("<html>Please sign in</html>"), UNAVAILABLE),
    "a list": (as_json([1, 2]), UNAVAILABLE),
    "results that are text": (as_json({"web": {"results": "x"}, "results": "x"}), UNAVAILABLE),
    "results that are an object": (as_json({"web": {"results": {}}, "results": {}}), UNAVAILABLE),
    "no results at all": (as_json({"web": 3}), UNAVAILABLE),
    "deep JSON": (answer("[" * 200_000), UNAVAILABLE),
    "no UTF-8": (answer(b'{"a": "\xff\xfe"}'), UNAVAILABLE),
    "a body that is cut": (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"), UNAVAILABLE),
    "no HTTP": (raw(b"SSH-2.0-OpenSSH\r\n"), UNAVAILABLE),
    "a huge body": (answer(json.dumps({"results": "x" * json_api.LARGEST_REPLY})), UNAVAILABLE),
    "a bomb": (coded("gzip", gzip.compress(b" " * 50_000_000)), UNAVAILABLE),
    "no gzip": (coded("gzip", b"no gzip at all"), UNAVAILABLE),
}


@BOTH
@pytest.mark.parametrize(("fault", "code"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_told_by_its_code(provider, kind, fault, code):
    if fault:
        provider.script(fault)
    with pytest.raises(ToolRefused) as refusal:
        _search(provider, kind, key=KEY if fault else "another")
    assert (refusal.value.code, refusal.value.retryable) == (code, code is UNAVAILABLE)
    assert KEY not in refusal.value.message
    assert "コーヒー" not in refusal.value.message


@BOTH
def test_rows_that_are_not_as_they_should_be_are_left_out(provider, kind):
    rows = [None, 3, {"title": "no link"}, {"url": 5}, {"url": "https://a.example/", "title": None}]
    provider.script(as_json({"web": {"results": rows}, "results": rows}))
    assert _search(provider, kind) == (SearchResult(url="https://a.example/"),)


@BOTH
def test_a_reply_of_too_many_rows_is_cut(provider, kind):
    provider.pages += [(f"https://a{number}.example/", "", "") for number in range(1000)]
    assert len(_search(provider, kind)) == MOST_ROWS


def test_a_slow_drip_ends_in_time(provider, monkeypatch):
    """Each read is quick, and the reply never ends."""
    provider.script(raw(b"HTTP/1.1 200 OK\r\n\r\n", *[b" "] * 10_000, delay=0.01))

    async def wait():
        return await json_api.request_json(
            "GET", provider.url + "/x?q=a", headers={}, proxies=False, seconds=0.2
        )

    with pytest.raises(ToolRefused, match="TimeoutError"):
        asyncio.run(wait())


def test_a_provider_out_of_reach_is_unavailable():
    search = BraveSearch(KEY, base_url="http://127.0.0.1:9")
    with pytest.raises(ToolRefused) as refusal:
        asyncio.run(search.search("a", "ja", 5))
    assert refusal.value.code is UNAVAILABLE


def test_the_environments_proxies_are_used_only_if_settings_say_so(provider, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    provider.pages += PAGES
    assert len(_search(provider, "brave")) == 2
    search = BraveSearch(KEY, base_url="http://search.example", proxies=True)
    with pytest.raises(ToolRefused, match="ConnectError"):
        asyncio.run(search.search("a", "ja", 5))


def test_the_settings_choose_the_provider_and_say_what_is_missing():
    assert open_search(AgentSettings(), proxies=False) is None
    key = {"search_api_key": KEY}
    made = open_search(AgentSettings.model_validate({"search_provider": "brave", **key}), proxies=False)
    assert isinstance(made, BraveSearch)
    made = open_search(AgentSettings.model_validate({"search_provider": "tavily", **key}), proxies=False)
    assert isinstance(made, TavilySearch)
    for wrong in (
        {"search_provider": "brave"},
        {"search_provider": "anthropic"},
        {"search_provider": "anthropic", "anthropic_api_key": "sk-test", "model_provider": "bedrock"},
    ):
        with pytest.raises(ConfigurationError, match="SEARCH_PROVIDER"):
            AgentSettings.model_validate(wrong)
