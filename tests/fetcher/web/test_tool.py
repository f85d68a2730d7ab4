"""`web_fetch` as its executor sees it: arguments checked, JSON out, errors in envelopes."""

import asyncio
import json

import pytest

from fetcher.codes import ErrorCode
from fetcher.settings import Settings
from fetcher.web.errors import BadArguments, FetchError, InternalError
from fetcher.web.output.fit import ToolContext
from fetcher.web.tool import WebFetchTool, error_text
from tests.engine import engine

PAGE = "http://shop.example/page"


def _tool(internet, tools=None, **settings):
    whole = Settings.model_validate({**(tools or {}), "webfetch": {"cache_dir": "", **settings}})
    return WebFetchTool(whole, engine(internet, tools=tools, **settings))


def _run(internet, arguments, context=None, **options):
    async def story():
        return await _tool(internet, **options).execute(arguments, context)

    return json.loads(asyncio.run(story()))


@pytest.fixture
def site(internet):
    internet.page(PAGE, "<html lang=ja><title>Shop</title><h1>Prices</h1><p>Coffee 500</p>")
    return internet


def test_in_article_mode_a_story_comes_with_its_title_and_its_day(internet):
    story = "".join(
        f"<p>{number}: {'This is the story of the river and the mill. ' * 3}</p>" for number in range(9)
    )
    internet.page(PAGE, f"<title>Mill</title><article><h1>Mill</h1><p>Ann, May 3, 2026</p>{story}</article>")
    answer = _run(internet, {"url": PAGE}, extraction={"mode": "article"})
    assert answer["chunks"][0]["text"].startswith("# Mill\n\nAnn, May 3, 2026\n\n0: This is")


def test_it_wf_http_01_a_page_becomes_the_srds_response(site):
    """IT-WF-HTTP-01: SRD FR-WF-03, every field and no other."""
    answer = _run(site, {"url": PAGE + "#x"})
    assert answer == {
        "requested_url": PAGE + "#x",
        "final_url": PAGE,
        "fetched_at": "2026-01-10T12:00:00Z",
        "title": "Shop",
        "language": "ja",
        "chunks": [{"heading": "Prices", "text": "# Prices\n\nCoffee 500", "token_count": 6}],
        "rendering_method": "http",
        "truncated": False,
        "notes": [],
    }


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "url"),
        ({"url": ""}, "url"),
        ({"url": " \t\n"}, "url"),
        ({"url": None}, "url"),
        ({"url": 7}, "url"),
        ({"url": PAGE, "max_chunk_tokens": 127}, "max_chunk_tokens"),
        ({"url": PAGE, "max_chunk_tokens": 2049}, "max_chunk_tokens"),
        ({"url": PAGE, "max_chunk_tokens": -1}, "max_chunk_tokens"),
        ({"url": PAGE, "max_chunk_tokens": "600"}, "max_chunk_tokens"),
        ({"url": PAGE, "max_chunk_tokens": 600.0}, "max_chunk_tokens"),
        ({"url": PAGE, "max_chunk_tokens": True}, "max_chunk_tokens"),
        ({"url": PAGE, "max_chunk_tokens": None}, "max_chunk_tokens"),
        ({"url": PAGE, "no_cache": "yes"}, "no_cache"),
        ({"url": PAGE, "no_cache": 1}, "no_cache"),
        ({"url": PAGE, "force_browser": 0}, "force_browser"),
        ({"url": PAGE, "method": "POST"}, "method"),
    ],
)
def test_wrong_arguments_are_refused_and_not_bent_right(internet, arguments, field):
    """SRD FR-WF-02, 02a, 02b, FR-ERR-JSON-02."""
    with pytest.raises(BadArguments) as refused:
        _run(internet, arguments)
    envelope = refused.value.envelope()
    assert (envelope["code"], envelope["retryable"]) == ("bad_args", False)
    assert envelope["details"]["field"] == field
    assert envelope["details"]["reason"]


@pytest.mark.parametrize("arguments", [None, [], [PAGE], PAGE, '{"url": "x"}', 7, True])
def test_arguments_that_are_no_object_are_bad_arguments(internet, arguments):
    """SRD FR-ERR-JSON-02: the envelope, to the letter."""
    with pytest.raises(BadArguments) as refused:
        _run(internet, arguments)
    envelope = refused.value.envelope()
    described = "must be a JSON object with url, max_chunk_tokens, no_cache, force_browser"
    assert envelope == {
        "code": "bad_args",
        "message": f"arguments: {described}",
        "retryable": False,
        "details": {
            "field": "arguments",
            "reason": described,
            "validation": f"arguments {described}",
        },
    }


@pytest.mark.parametrize(
    ("arguments", "of_the_schema"),
    [
        ({}, True),
        ({"url": 7}, True),
        ({"url": PAGE, "depth": 1}, True),
        ({"url": PAGE, "max_chunk_tokens": 127}, False),
        ({"url": " "}, False),
    ],
)
def test_what_breaks_the_schema_says_so_in_its_details(internet, arguments, of_the_schema):
    """SRD FR-ERR-JSON-02 and FR-WF-ERR-BADARGS-01: what the tool itself refuses is no schema error."""
    with pytest.raises(BadArguments) as refused:
        _run(internet, arguments)
    assert ("validation" in refused.value.details) is of_the_schema


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ({"url": PAGE}, {}),
        ({"url": "http://shop.example/missing"}, {}),
        ({"url": "http://10.0.0.1/"}, {}),
        ({"url": PAGE}, {"tools": {"mode": "disabled"}}),
        ({"url": PAGE, "max_chunk_tokens": 1}, {}),
        ([], {}),
    ],
)
def test_nobody_may_cut_what_the_tool_says_however_it_ends(site, arguments, options):
    """SRD FR-WF-03a: an error is JSON too."""
    context = ToolContext(allow_truncation=True)

    async def story():
        try:
            await _tool(site, **options).execute(arguments, context)
        except FetchError:
            return

    asyncio.run(story())
    assert context.allow_truncation is False


@pytest.mark.parametrize("size", [128, 2048])
def test_the_bounds_themselves_are_right(site, size):
    assert _run(site, {"url": PAGE, "max_chunk_tokens": size})["chunks"]


def test_t_wf_cch_07_a_cached_page_is_cut_anew(internet, tmp_path):
    """T-WF-CCH-07: SRD FR-WF-CCH-CONTENT-01, chunks and fit follow the request."""
    internet.page(PAGE, "".join(f"<p>{'word ' * 60}{number}</p>" for number in range(20)))
    caching = {"cache_dir": str(tmp_path)}
    large = _run(internet, {"url": PAGE, "max_chunk_tokens": 2048}, **caching)
    small = _run(internet, {"url": PAGE, "max_chunk_tokens": 128}, **caching)
    assert small["notes"] == ["cache_hit"]
    assert len(small["chunks"]) > len(large["chunks"])
    fitted = _run(internet, {"url": PAGE}, ToolContext(max_output_bytes=2000), **caching)
    assert (fitted["notes"], fitted["truncated"]) == (["cache_hit", "tool_output_limit"], True)


def test_the_output_keeps_within_its_context(internet):
    """SRD FR-WF-03a: the smaller of the two budgets counts, and nobody else may cut the JSON."""
    internet.page(PAGE, f"<p>{'word ' * 500}</p>")
    context = ToolContext(max_output_bytes=100_000, available_capacity_bytes=1000, allow_truncation=True)

    async def story():
        return await _tool(internet).execute({"url": PAGE}, context)

    text = asyncio.run(story())
    assert len(text.encode()) <= 1000
    assert json.loads(text)["truncation_reason"] == "tool_output_limit"
    assert context.allow_truncation is False


def test_a_budget_that_holds_nothing_is_an_error(site):
    """SRD FR-WF-OUT-02."""
    with pytest.raises(InternalError) as refused:
        _run(site, {"url": PAGE}, ToolContext(max_output_bytes=50))
    assert refused.value.envelope() == {
        "code": "internal",
        "message": "tool_output_limit",
        "retryable": False,
        "details": {"error": "tool_output_limit"},
    }


@pytest.mark.parametrize(
    "tools",
    [
        {"mode": "disabled"},
        {"mode": "parse_only"},
        {"mode": "parse_only", "definitions": [{"name": "web_fetch"}]},
        {"approval": {"mode": "deny"}},
    ],
)
def test_a_tool_that_is_switched_off_fetches_nothing(site, tools):
    """SRD §5.2, FR-WF-OP-02."""
    with pytest.raises(FetchError) as refused:
        _run(site, {"url": PAGE}, tools=tools)
    assert not refused.value.retryable
    assert site.web.requests == []


def test_nothing_but_a_fetch_error_comes_out(site, monkeypatch):
    """NFR-WF-REL-02: a fault of ours is `internal`, and its text stays inside."""

    def broken(*_):
        raise KeyError("secret detail")

    monkeypatch.setattr("fetcher.web.output.fit.respond", broken)
    with pytest.raises(InternalError) as refused:
        _run(site, {"url": PAGE})
    assert (refused.value.code, refused.value.retryable) == (ErrorCode.INTERNAL, True)
    assert "secret detail" not in error_text(refused.value)


def test_the_tool_describes_itself(internet):
    """SRD FR-WF-01, Appendix E, NFR-WF-OP-01/02."""
    tool = _tool(internet)
    assert tool.name == "web_fetch"
    assert tool.is_side_effecting()
    assert tool.requires_approval()
    assert not _tool(internet, allow_auto_execution=True).requires_approval()
    assert tool.description == "Fetch a URL and extract its content as markdown"


def test_the_schema_is_the_documents(internet):
    """SRD FR-WF-02 and 02a: these parameters, their types, bounds and defaults, and no others."""
    schema = _tool(internet).parameters
    described = {field: row["description"] for field, row in schema["properties"].items()}
    assert all(described.values())
    assert schema == {
        "type": "object",
        "properties": {
            "url": {"type": "string", "minLength": 1, "description": described["url"]},
            "max_chunk_tokens": {
                "type": "integer",
                "minimum": 128,
                "maximum": 2048,
                "description": described["max_chunk_tokens"],
            },
            "no_cache": {"type": "boolean", "default": False, "description": described["no_cache"]},
            "force_browser": {
                "type": "boolean",
                "default": False,
                "description": described["force_browser"],
            },
        },
        "required": ["url"],
        "additionalProperties": False,
    }


def test_its_timeout_exceeds_everything_inside(internet):
    """SRD FR-WF-TIMEOUT-01: 20 + 20000 / 1000 + 5 + 2."""
    assert _tool(internet).timeout() == 47


@pytest.mark.parametrize(
    ("arguments", "summary"),
    [
        ({"url": "https://Example.com/path?key=secret#x"}, "web_fetch https://example.com/path (http mode)"),
        ({"url": "http://a.example/", "force_browser": True}, "web_fetch http://a.example/ (browser mode)"),
    ],
)
def test_the_summary_for_approval_leaves_the_query_out(internet, arguments, summary):
    """NFR-WF-OP-03, SRD E.4."""
    assert _tool(internet).approval_summary(arguments) == summary


def test_the_summary_for_approval_says_which_way_is_used(internet):
    """NFR-WF-OP-03: settings send some hosts straight to the browser."""
    tool = _tool(internet, rendering={"js_heavy_domains": ["a.example"]})
    assert (
        tool.approval_summary({"url": "http://a.example/x"}) == "web_fetch http://a.example/x (browser mode)"
    )


@pytest.mark.parametrize(
    ("names", "asks"), [(["web_fetch"], False), (["Web_Fetch", "other"], True), ([], True)]
)
def test_a_tool_on_the_allowlist_needs_no_approval(names, asks):
    """SRD FR-WF-OP-02: `tools.approval.allowlist` has the tool's exact name."""
    settings = Settings.model_validate({"approval": {"allowlist": names}, "webfetch": {"enabled": True}})
    assert (settings.approval_required_by is not None) is asks


def test_t_wf_err_01_an_error_is_json_with_code_message_and_retryable():
    """T-WF-ERR-01: SRD FR-WF-18."""
    envelope = json.loads(error_text(BadArguments("must be given", field="url")))
    assert envelope == {
        "code": "bad_args",
        "message": "url: must be given",
        "retryable": False,
        "details": {"field": "url", "reason": "must be given"},
    }
