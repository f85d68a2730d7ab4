"""Every line that the engine logs has the fields of SRD FR-WF-19c, whoever writes it."""

import ast
import asyncio
import json
import logging
from pathlib import Path

import pytest

from fetcher.agent.files.answer_files import FilePolicy
from fetcher.agent.safety.provenance import FetchPolicy, Provenance
from fetcher.agent.tools.open_pages import OpenPages
from fetcher.agent.tools.toolbox import Toolbox, ToolSettings
from fetcher.codes import RenderingMethod
from fetcher.logs import JsonLines
from fetcher.settings import Settings, WebFetchSettings
from fetcher.web import fetch_log
from fetcher.web.browser.page_activity import MOST_REQUESTS, ResourceBudget
from fetcher.web.errors import FetchError, ResponseTooLarge
from fetcher.web.fetch_log import under
from fetcher.web.fetch_url import fetch_url
from fetcher.web.net import canonical
from fetcher.web.output.fit import ToolContext
from fetcher.web.tool import WebFetchTool
from tests.engine import engine
from tests.fakes import answers

PAGE = "http://shop.example/page?key=secret"
ROOT = Path(__file__).parents[3]


@pytest.fixture
def lines(caplog):
    """What the log says, as its lines are written."""
    caplog.set_level(logging.DEBUG, "fetcher")
    return lambda: [json.loads(JsonLines().format(record)) for record in caplog.records]


def _fetch(internet, arguments=None, *, context=None, tools=None, **settings):
    whole = Settings.model_validate({**(tools or {}), "webfetch": {"cache_dir": "", **settings}})

    async def story():
        tool = WebFetchTool(whole, engine(internet, tools=tools, **settings))
        try:
            await tool.execute({"url": PAGE} if arguments is None else arguments, context)
        except FetchError:
            return

    asyncio.run(story())


def _check(lines, event, *, error_code=None, host="shop.example", method="http"):
    """All lines are whole, and this event is among them."""
    for line in lines:
        assert {"event", "requested_host", "rendering_method", "cache_hit"} <= line.keys(), line
        assert line["cache_hit"] in (True, False)
        assert "secret" not in json.dumps(line)
    [line] = [line for line in lines if line["event"] == event]
    assert (line["requested_host"], line["rendering_method"]) == (host, method)
    assert line.get("error_code") == error_code


def test_only_the_answer_from_the_cache_is_a_hit(internet, lines, tmp_path):
    """SRD FR-WF-19c: `cache_hit` is a boolean; FR-WF-19b: only scheme, host and path of the URL."""
    internet.page(PAGE, "<p>x</p>")
    for _ in range(2):
        _fetch(internet, cache_dir=str(tmp_path))
    hits = [line for line in lines() if line["cache_hit"]]
    assert [line["event"] for line in hits] == ["fetch_complete"]
    assert [line["event"] for line in lines()].count("fetch_complete") == 2
    assert {line["url"] for line in lines()} == {"http://shop.example/page"}


def test_a_line_outside_of_any_fetch_is_no_hit():
    assert fetch_log.here()["fields"]["cache_hit"] is False
    with under(canonical.canonicalise(PAGE), RenderingMethod.HTTP):
        assert fetch_log.here()["fields"]["cache_hit"] is False
    assert fetch_log.about(None, RenderingMethod.HTTP)["fields"]["cache_hit"] is False


def test_a_fault_of_ours_names_the_fetch(internet, lines, monkeypatch):
    def broken(*_):
        raise KeyError("x")

    internet.page(PAGE, "<p>x</p>")
    monkeypatch.setattr("fetcher.web.tool.fit.respond", broken)
    _fetch(internet)
    _check(lines(), "internal_error", error_code="internal")


def test_a_fault_in_the_quick_read_does_too(internet, lines, monkeypatch):
    def broken(*_):
        raise KeyError("x")

    internet.page(PAGE, "<p>x</p>")
    monkeypatch.setattr("fetcher.web.http_reader.require_success", broken)
    asyncio.run(fetch_url(engine(internet), PAGE))
    _check(lines(), "internal_error", error_code="internal")


def test_a_robots_txt_that_was_cut(internet, lines):
    """SRD FR-WF-09a: the sentence is the document's, the event has a name of its own."""
    internet.page("http://shop.example/robots.txt", "# " + "x" * 2000, headers={"Content-Type": "text/plain"})
    internet.page(PAGE, "<p>x</p>")
    _fetch(internet, robots={"max_robots_bytes": 1024})
    _check(lines(), "robots_truncated")
    [line] = [line for line in lines() if line["event"] == "robots_truncated"]
    assert line["message"] == "robots.txt truncated at 1024 bytes"


def test_a_page_that_could_not_be_cached(internet, lines, tmp_path):
    words = "".join(f"<p>{number}番目の段落です。</p>" for number in range(40_000))
    internet.page(PAGE, words)
    _fetch(internet, cache_dir=str(tmp_path), max_cache_bytes=1024 * 1024)
    _check(lines(), "cache_write_failed")


def test_a_cache_that_cannot_be_had(internet, lines, tmp_path):
    """Nothing is being fetched yet: the fields are there and empty."""
    shared = tmp_path / "cache"
    shared.mkdir(mode=0o777)
    shared.chmod(0o777)
    _fetch(internet, cache_dir=str(shared))
    _check(lines(), "cache_disabled", host=None, method=None)


@pytest.mark.parametrize(
    ("arguments", "host"),
    [
        ({"url": PAGE, "max_chunk_tokens": 1}, "shop.example"),
        ({"url": PAGE, "depth": 1}, "shop.example"),
        ({"url": " "}, None),
        ({}, None),
        ([PAGE], None),
    ],
)
def test_bad_arguments(internet, lines, arguments, host):
    _fetch(internet, arguments)
    _check(lines(), "fetch_failed", error_code="bad_args", host=host)


@pytest.mark.parametrize(("force_browser", "method"), [(True, "browser"), (False, "http"), ("yes", "http")])
def test_the_method_that_was_asked_for(internet, lines, force_browser, method):
    """SRD FR-WF-19c: also of what never came to a fetch."""
    _fetch(internet, {"url": PAGE, "depth": 1, "force_browser": force_browser})
    _check(lines(), "fetch_failed", error_code="bad_args", method=method)


@pytest.mark.parametrize(
    "options", [{"tools": {"mode": "disabled"}}, {"browser": {"block_resources": ["pictures"]}}]
)
def test_settings_that_stop_a_fetch(internet, lines, options):
    _fetch(internet, **options)
    _check(lines(), "fetch_failed", error_code="bad_args")


def test_a_budget_that_holds_nothing(internet, lines):
    internet.page(PAGE, "<p>x</p>")
    _fetch(internet, context=ToolContext(max_output_bytes=10))
    _check(lines(), "fetch_failed", error_code="internal")


def test_failures_on_the_way(internet, lines):
    internet.route(PAGE, answers.answer(status=404))
    _fetch(internet)
    _check(lines(), "fetch_failed", error_code="http_4xx")


def test_a_browser_that_is_missing(internet, lines):
    internet.page(PAGE, "<p>x</p>")
    _fetch(internet, rendering={"js_heavy_domains": ["shop.example"]})
    _check(lines(), "browser_unavailable", error_code="browser_unavailable")


def test_what_a_page_may_load_besides_itself(lines):
    """The browser's budgets are spent in tasks of their own, on the way of the same fetch."""

    async def spend():
        budget = ResourceBudget(each=100, total=150)
        for _ in range(MOST_REQUESTS + 1):
            budget.admit_request()
        budget.record_too_large(ResponseTooLarge(size=200, max_bytes=100))
        budget.record_too_large(ResponseTooLarge(size=80, max_bytes=50))

    async def story():
        with under(canonical.canonicalise(PAGE), RenderingMethod.BROWSER):
            await asyncio.create_task(spend())

    asyncio.run(story())
    for event in ("browser_request_limit", "browser_resource_too_large", "browser_page_budget_exhausted"):
        _check(lines(), event, method="browser")


@pytest.mark.parametrize("name", ["web_fetch", "fetch_url"])
def test_the_agents_tools_log_bad_arguments_too(internet, lines, name):
    pages = OpenPages(engine(internet), Provenance([PAGE], FetchPolicy()), lambda _: None)
    files = FilePolicy(max_bytes=1, types=())
    toolbox = Toolbox(pages, ToolSettings(web=WebFetchSettings(), files=files, max_files=0))
    call = {"type": "tool_use", "id": "t", "name": name, "input": {"url": PAGE, "start": "2"}}
    asyncio.run(toolbox.run(call))
    _check(lines(), "fetch_failed", error_code="bad_args")


def test_no_line_of_the_engine_is_written_without_fields():
    """Whatever will be logged next: each call hands on the fields that `journal` makes."""
    bare = []
    for path in (ROOT / "fetcher" / "web").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not ast.unparse(node.func).startswith("log."):
                continue
            extra = [word.value for word in node.keywords if word.arg == "extra"]
            if not extra or isinstance(extra[0], ast.Dict):
                bare.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert bare == []
