"""Each code of the registry comes out of the tool by a way that a user could take."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from fetcher.codes import ErrorCode
from fetcher.settings import Settings
from fetcher.web.errors import FetchError
from fetcher.web.output.fit import ToolContext
from fetcher.web.reading.html_limits import MAX_TAGS
from fetcher.web.tool import WebFetchTool
from tests.engine import engine
from tests.fakes import answers, misbehaviour
from tests.fetcher.web.browser.ground import browser_engine
from tests.fetcher.web.browser.programs import program

PAGE = "http://shop.example/page"
ROBOTS = "http://shop.example/robots.txt"


# Written out from the registry of SRD §3.7.2. `internal` is retryable except for `tool_output_limit`,
# which is the way to it below; `http_4xx` is not, except for 408 and 429.
RETRYABLE = {
    "dns_failed",
    "robots_unavailable",
    "timeout",
    "network",
    "http_5xx",
    "browser_crashed",
    "cache_read_failed",
}
CODES = {
    *RETRYABLE,
    "bad_args",
    "invalid_url",
    "invalid_scheme",
    "invalid_host",
    "port_blocked",
    "ssrf_blocked",
    "robots_disallowed",
    "redirect_limit",
    "response_too_large",
    "unsupported_content_type",
    "http_4xx",
    "browser_unavailable",
    "extraction_failed",
    "internal",
}


def _unreadable_cache(internet, tmp_path, monkeypatch):
    """A cached page whose file the user may not read any more."""
    internet.page(PAGE, "x")
    _run(internet, PAGE, tmp_path)

    honest = Path.read_bytes

    def denied(path):
        if path.suffix == ".json":
            raise PermissionError(13, "Permission denied", str(path))
        return honest(path)

    monkeypatch.setattr(Path, "read_bytes", denied)


WAYS: dict[ErrorCode, Any] = {
    ErrorCode.BAD_ARGS: {"url": " "},
    ErrorCode.INVALID_URL: {"url": "http://user@shop.example/"},
    ErrorCode.INVALID_SCHEME: {"url": "ftp://shop.example/"},
    ErrorCode.INVALID_HOST: {"url": "http://0x7f000001/"},
    ErrorCode.PORT_BLOCKED: {"url": "http://shop.example:22/"},
    ErrorCode.SSRF_BLOCKED: {"url": "http://10.0.0.1/"},
    ErrorCode.DNS_FAILED: {"url": "http://nowhere.example/"},
    ErrorCode.ROBOTS_DISALLOWED: {"robots": "User-agent: *\nDisallow: /"},
    ErrorCode.ROBOTS_UNAVAILABLE: {"robots": 503},
    ErrorCode.REDIRECT_LIMIT: {"script": answers.redirect("/page")},
    ErrorCode.TIMEOUT: {"script": misbehaviour.stall(), "settings": {"timeout_seconds": 1}},
    ErrorCode.NETWORK: {"script": misbehaviour.garbage()},
    ErrorCode.RESPONSE_TOO_LARGE: {"script": misbehaviour.endless_body()},
    ErrorCode.UNSUPPORTED_CONTENT_TYPE: {"script": answers.answer("%PDF-", headers={"Content-Type": None})},
    ErrorCode.HTTP_4XX: {"script": answers.answer(status=404)},
    ErrorCode.HTTP_5XX: {"script": answers.answer(status=500)},
    ErrorCode.BROWSER_UNAVAILABLE: {"arguments": {"force_browser": True}, "script": answers.answer("x")},
    ErrorCode.BROWSER_CRASHED: {
        "arguments": {"force_browser": True},
        "script": answers.answer("x"),
        "chromium": "greet('HeadlessChrome/156.0')",
    },
    ErrorCode.EXTRACTION_FAILED: {"script": answers.answer("<p>" * (MAX_TAGS + 1))},
    ErrorCode.CACHE_READ_FAILED: {"setup": _unreadable_cache},
    ErrorCode.INTERNAL: {"script": answers.answer("x"), "context": ToolContext(max_output_bytes=10)},
}


def _run(internet, url, tmp_path, arguments=None, context=None, chromium=None, settings=None):
    web: Any = {"cache_dir": str(tmp_path / "cache"), **(settings or {})}
    tool_settings = Settings.model_validate({"webfetch": {"enabled": True, **web}})

    def pipeline():
        if chromium is None:
            return engine(internet, **web)
        return browser_engine(internet, browser={"chromium_path": program(tmp_path, chromium)}, **web)

    async def story():
        tool = WebFetchTool(tool_settings, pipeline())
        return await tool.execute({"url": url, **(arguments or {})}, context)

    return asyncio.run(story())


def test_the_table_has_a_way_to_every_code():
    """T-WF-ERR-02: the registry's codes, all of them and no other."""
    assert WAYS.keys() == CODES
    assert {code.value for code in ErrorCode} == CODES


@pytest.mark.parametrize("code", WAYS)
def test_t_wf_err_02_the_code_is_produced(internet, tmp_path, monkeypatch, code):
    """T-WF-ERR-02: SRD §3.7.2, with its retryability and some detail."""
    way = WAYS[code]
    if "robots" in way:
        internet.page(PAGE, "x")
        internet.robots("http://shop.example", way["robots"])
    if "script" in way:
        internet.route(PAGE, way["script"])
    if "setup" in way:
        way["setup"](internet, tmp_path, monkeypatch)
    options = (way.get("arguments"), way.get("context"), way.get("chromium"), way.get("settings"))
    with pytest.raises(FetchError) as refused:
        _run(internet, way.get("url", PAGE), tmp_path, *options)
    envelope = refused.value.envelope()
    assert envelope["code"] == code
    assert envelope["details"]
    assert envelope["retryable"] is (code in RETRYABLE)
