"""The tools for calls that stand alone: what each returns, and what settings forbid."""

import asyncio
import json

import pytest

from fetcher.mcp.page_tools import CALLS_AT_ONCE, LARGEST_RESPONSE, PageTools
from fetcher.settings import AgentSettings, Settings
from tests.engine import engine
from tests.fakes import answers, misbehaviour
from tests.fakes.gate import Gate
from tests.fetcher.mcp.tour import MORE

URL = "http://shop.example/price"


def tools(internet, *, agent=None, web=None, **settings):
    chosen = Settings.model_validate({**(web or {}), "webfetch": {"cache_dir": "", **settings}})
    pipeline = engine(internet, tools=web, **settings)
    return PageTools(pipeline, chosen.for_unattended(), AgentSettings.model_validate(agent or {}))


def call(internet, name, arguments, **settings):
    return asyncio.run(tools(internet, **settings).call(name, arguments))


def test_a_long_page_comes_in_parts(internet):
    lines = [f"<p>第{number}条　{'本文' * 30}。</p>" for number in range(1000)]
    internet.page(URL, f"<title>規約</title><main>{''.join(lines)}</main>")
    first = call(internet, "fetch_url", {"url": URL})
    assert "第0条" in first.texts[0]
    assert len("".join(first.texts)) < 20_000
    share = first.texts[1]
    start = int(share.partition("start=")[2].partition(" ")[0])
    assert "find_in_page" in share
    assert "read_through" not in share  # a tool that clients do not have
    second = call(internet, "fetch_url", {"url": URL, "start": start})
    assert f"Characters {start} to" in second.texts[1]
    whole = call(internet, "web_fetch", {"url": URL})
    assert len(whole.texts[0].encode()) <= LARGEST_RESPONSE
    assert (whole.data["truncated"], whole.data["truncation_reason"]) == (True, "tool_output_limit")


def test_a_page_larger_than_settings_allow_is_an_error_of_web_fetch_and_cut_for_the_others(internet):
    internet.page(URL, "<main>" + "<p>長い文章です。</p>" * 2000 + "</main>")
    error = call(internet, "web_fetch", {"url": URL}, max_download_bytes=10_000)
    assert (error.failed, error.data["code"]) == (True, "response_too_large")
    read = call(internet, "fetch_url", {"url": URL}, max_download_bytes=10_000)
    assert any("its end is missing" in text for text in read.texts)


def test_an_endless_body_ends_at_its_limit(internet):
    internet.route(URL, misbehaviour.endless_body(headers={"Content-Type": "text/html"}))
    outcome = call(internet, "find_in_page", {"url": URL, "query": "x"}, max_download_bytes=100_000)
    assert not outcome.failed
    assert any("its end is missing" in text for text in outcome.texts)


def test_text_of_a_page_stays_apart_from_ours(internet):
    """A page cannot speak in our name: its text has a block of its own, with its address on top."""
    internet.page(URL, "<title>題\n名</title><main><p>Tables that export_table can export:</p></main>")
    outcome = call(internet, "fetch_url", {"url": URL})
    assert outcome.texts == (f"題 名\n{URL}\n\nTables that export_table can export:",)


@pytest.mark.parametrize("name", ["web_fetch", "fetch_url", "find_in_page", "export_table"])
def test_domain_lists_hold_for_every_tool_and_every_redirect(internet, name):
    internet.page("http://closed.example/", "<p>x</p>")
    internet.redirect(URL, "http://closed.example/")
    for url in ("http://closed.example/", URL):
        outcome = call(
            internet,
            name,
            {"url": url, **MORE.get(name, {})},
            agent={"agent_blocked_domains": ["closed.example"]},
        )
        assert (outcome.failed, outcome.data["code"]) == (True, "domain_blocked")
    assert internet.web.count("http://closed.example/") == 0


def test_a_cached_page_of_a_domain_that_is_closed_now_is_not_shown(internet, tmp_path):
    internet.page("http://closed.example/", "<p>x</p>")
    internet.redirect(URL, "http://closed.example/")
    for url in (URL, "http://closed.example/"):
        assert not call(internet, "web_fetch", {"url": url}, cache_dir=str(tmp_path)).failed
        closed = {"agent_blocked_domains": ["closed.example"]}
        outcome = call(internet, "web_fetch", {"url": url}, cache_dir=str(tmp_path), agent=closed)
        assert outcome.data["code"] == "domain_blocked"


def test_a_second_call_finds_the_page_in_the_cache(internet, tmp_path):
    internet.page(URL, "<main><p>送料は五百円です。</p></main>")
    for name, more in (("fetch_url", {}), ("find_in_page", {"query": "送料"})):
        assert not call(internet, name, {"url": URL, **more}, cache_dir=str(tmp_path)).failed
    assert internet.web.count(URL) == 1


def test_robots_txt_holds(internet):
    internet.robots("http://shop.example", "User-agent: *\nDisallow: /")
    assert call(internet, "fetch_url", {"url": URL}).data["code"] == "robots_disallowed"


@pytest.mark.parametrize("url", ["https://team.slack.com/archives/C1/p1", f"{URL}?{'x' * 3000}"])
def test_what_the_agent_may_not_fetch_is_refused_here_too(internet, url):
    outcome = call(internet, "web_fetch", {"url": url})
    assert outcome.data["code"] in ("slack_permalink", "url_too_long")
    assert internet.dialer.attempts == []


@pytest.mark.parametrize(
    ("web", "names"),
    [
        ({}, ["web_fetch", "fetch_url", "find_in_page", "export_table"]),
        ({"mode": "disabled"}, []),
        ({"mode": "parse_only", "definitions": [{"name": "web_fetch"}]}, ["web_fetch"]),
    ],
)
def test_settings_decide_which_tools_are_advertised(internet, web, names):
    """SRD FR-WF-CFG-PREC-01 to -03; what is switched off does not run either."""
    assert list(tools(internet, web=web).advertised) == names
    if web:
        assert call(internet, "web_fetch", {"url": URL}, web=web).data["code"] == "bad_args"
        assert internet.dialer.attempts == []


def test_only_so_many_calls_run_at_once_and_the_others_wait(internet):
    gate = Gate()
    urls = [f"http://host{number}.example/" for number in range(CALLS_AT_ONCE + 1)]
    for url in urls:
        internet.route(url, gate.before(answers.answer("<p>x</p>")))

    async def story():
        ours = tools(internet)
        calls = [asyncio.create_task(ours.call("fetch_url", {"url": url})) for url in urls]
        assert await asyncio.to_thread(gate.wait_until_held, CALLS_AT_ONCE)
        assert internet.web.count(urls[-1]) == 0
        calls[0].cancel()  # a call that its client gives up makes room
        assert await asyncio.to_thread(gate.wait_until_held, CALLS_AT_ONCE)
        gate.open()
        return await asyncio.gather(*calls[1:])

    assert not any(outcome.failed for outcome in asyncio.run(story()))


def test_a_defect_is_an_error_that_tells_nothing_of_our_inside(internet, monkeypatch):
    monkeypatch.setattr("fetcher.mcp.page_tools.OpenPages", lambda *_, **__: 1 / 0)
    outcome = call(internet, "fetch_url", {"url": URL})
    assert outcome.data["code"] == "internal"
    assert outcome.data["retryable"]
    assert json.loads(outcome.texts[0]) == outcome.data
