"""Pages that need a browser, from the URL to the text, with a real Chromium."""

import asyncio
import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fetcher.codes import Note, RenderingMethod, TruncationReason
from fetcher.settings import Settings
from fetcher.web.browser import launch
from fetcher.web.errors import (
    BrowserUnavailable,
    UnsupportedContentType,
)
from fetcher.web.net.media_types import Accept
from fetcher.web.tool import WebFetchTool
from tests.engine import fetch_options
from tests.fakes import misbehaviour
from tests.fetcher.web.browser.ground import (
    BRIEF,
    FORCED,
    JAVASCRIPT,
    JSON,
    PAGE,
    SHOP,
    browser_engine,
    chromium,
    show,
    show_together,
    text_of,
)


def test_it_wf_br_01_a_forced_browser_reads_what_scripts_write(internet):
    """IT-WF-BR-01: SRD FR-WF-11, 12a, with title, language, method and address."""
    html = (
        "<html lang=ja><title>店</title><body><script>"
        "document.body.innerHTML = '<main><h1>品書き</h1><p>本日の魚</p></main>'</script>"
    )
    page = show(internet, html)
    assert text_of(page) == "# 品書き\n\n本日の魚\n"
    assert (page.document.title, page.document.language) == ("店", "ja")
    assert (page.rendering_method, str(page.final_url)) == (RenderingMethod.BROWSER, PAGE)
    assert (page.notes, page.truncation) == (frozenset(), frozenset())


@pytest.mark.parametrize("path", ["/no/such/chromium", str(Path(__file__).parent), str(Path(__file__))])
def test_it_wf_br_02_a_chromium_that_is_not_there_is_named(internet, path):
    """IT-WF-BR-02: SRD FR-WF-11a; a missing file, a directory, a file that is no program."""
    with pytest.raises(BrowserUnavailable) as missing:
        show(internet, "<p>x</p>", browser={"chromium_path": path})
    assert missing.value.details == {"chromium_path": path, "error": "there is no program at this path"}


def test_it_wf_br_05_a_page_that_is_never_idle_is_read_as_it_is(internet):
    """IT-WF-BR-05: SRD FR-WF-11f, FR-WF-19-BROWSER."""
    internet.route(f"{SHOP}/slow", misbehaviour.stall())
    page = show(internet, "<p>here</p><script>fetch('/slow')</script>", browser=BRIEF)
    assert text_of(page) == "here\n"
    assert page.notes == {Note.BROWSER_TIMEOUT_DOM_PARTIAL}
    assert page.truncation == {TruncationReason.BROWSER_TIMEOUT_DOM_PARTIAL}


SPA = {
    "a mounted application": (
        '<div id="root"></div><script src="/app.js"></script>',
        "document.getElementById('root').innerHTML = '<main><h1>商品</h1><p>りんご 120円</p></main>'",
    ),
    "an application that loads JSON": (
        '<div id="app">Loading</div><script src="/app.js"></script>',
        (
            "(async () => { const items = await (await fetch('/items.json')).json();"
            "document.getElementById('app').innerHTML = `<main><h1>商品</h1><p>${items[0]}</p></main>` })()"
        ),
    ),
    "an application of modules": (
        '<div id="x"></div><script type="module">import {mount} from "/app.js"; mount()</script>',
        (
            "const text = '<main><h1>商品</h1><p>りんご 120円</p></main>';"
            "const fill = () => { document.body.innerHTML = text };"
            "export const mount = () => setTimeout(fill, 100)"
        ),
    ),
}


def test_it_wf_br_07_a_page_that_scripts_fill_is_read_without_being_asked(internet):
    """IT-WF-BR-07: SRD FR-WF-12c, in full and by the browser."""
    rows = {}
    for number, (name, (html, script)) in enumerate(SPA.items()):
        site = f"http://spa{number}.example"
        internet.page(f"{site}/app.js", script, headers=JAVASCRIPT)
        internet.page(f"{site}/items.json", json.dumps(["りんご 120円"]), headers=JSON)
        rows[name] = {"url": f"{site}/", "html": html, "wanted": fetch_options()}
    for name, page in show_together(internet, rows).items():
        assert (name, text_of(page)) == (name, "# 商品\n\nりんご 120円\n")
        assert (page.rendering_method, page.notes) == (RenderingMethod.BROWSER, frozenset())


def test_without_a_browser_the_plain_page_is_given_and_what_is_missing_is_said(internet, caplog):
    """SRD FR-WF-12d: the note for the caller, the reason in the log."""
    html = '<div id="root">Please wait.</div><script src="/app.js"></script>'
    with caplog.at_level(logging.WARNING, "fetcher"):
        page = show(internet, html, wanted=fetch_options(), browser={"chromium_path": "/no/such/chromium"})
    assert (text_of(page), page.notes) == ("Please wait.\n", {Note.BROWSER_UNAVAILABLE_USED_HTTP})
    [said] = [record for record in caplog.records if record.msg == "browser_unavailable"]
    assert said.__dict__["fields"]["chromium_path"] == "/no/such/chromium"


def test_it_wf_br_08_nothing_survives_a_rendering(internet):
    """IT-WF-BR-08: SRD FR-WF-BROWSER-ISO-01, for cookies and local storage."""
    html = (
        "<main><script>document.querySelector('main').append("
        "`cookie=${document.cookie} stored=${localStorage.getItem('k')}`);"
        "document.cookie = 'k=v; max-age=9999'; localStorage.setItem('k', 'v')</script></main>"
    )
    internet.page(PAGE, html, headers={"Set-Cookie": "seen=1; Max-Age=9999"})
    engine = browser_engine(internet)

    async def twice():
        return [text_of(await engine.fetch(PAGE, FORCED)) for _ in range(2)]

    assert asyncio.run(twice()) == ["cookie=seen=1 stored=null\n"] * 2


def test_without_time_for_a_browser_the_plain_page_is_given(internet):
    """E1: a quick read that has taken long already is not begun anew."""
    html = '<div id="root">Please wait.</div>'
    page = show(internet, html, wanted=fetch_options(timeout_seconds=4.5, render_seconds=0))
    assert (text_of(page), page.notes) == ("Please wait.\n", {Note.BROWSER_UNAVAILABLE_USED_HTTP})


def test_a_rendered_document_over_its_limit_is_cut_with_a_note(internet):
    """SRD FR-WF-11d, DOMSIZE-01."""
    html = "<p>start</p><script>document.body.append('あ'.repeat(10000))</script>"
    page = show(internet, html, browser={"max_rendered_dom_bytes": 1024})
    assert text_of(page).startswith("start")
    assert "\N{REPLACEMENT CHARACTER}" not in text_of(page)
    assert page.notes == {Note.BROWSER_DOM_TRUNCATED}
    assert page.truncation == {TruncationReason.BROWSER_DOM_TRUNCATED}


def test_a_page_that_outgrows_its_limit_is_not_waited_for(internet):
    """SRD FR-WF-DOMSIZE-01: waiting ends, long before the network would be idle."""
    internet.route(f"{SHOP}/slow", misbehaviour.stall())
    html = "<p>start</p><script>fetch('/slow'); document.body.append('x'.repeat(9000))</script>"
    page = show(internet, html, browser={"max_rendered_dom_bytes": 2048, "network_idle_ms": 60_000})
    assert page.notes == {Note.BROWSER_DOM_TRUNCATED}


def test_a_rendered_page_is_cached_for_the_browser_only(internet, tmp_path):
    """SRD FR-WF-CCH-KEY-03 with the real renderer: no http entry, and a hit starts no browser."""
    internet.page(f"{SHOP}/app.js", SPA["a mounted application"][1], headers=JAVASCRIPT)
    settings: Any = {"cache_dir": str(tmp_path)}
    show(internet, SPA["a mounted application"][0], wanted=fetch_options(), **settings)
    entries = [json.loads(path.read_text("utf-8")) for path in tmp_path.rglob("*.json")]
    assert [entry["rendering_method"] for entry in entries] == ["browser"]
    internet.web.reset()
    hit = show(internet, wanted=fetch_options(), browser={"chromium_path": "/no/such/chromium"}, **settings)
    assert (text_of(hit), hit.notes) == ("# 商品\n\nりんご 120円\n", {Note.CACHE_HIT})


def test_the_tools_answer_says_how_the_page_was_rendered(internet):
    """SRD FR-WF-03, TRUNC-REASON-01 for a browser's page."""
    internet.route(f"{SHOP}/slow", misbehaviour.stall())
    internet.page(PAGE, "<p>here</p><script>fetch('/slow'); fetch('/x', {method: 'POST'})</script>")
    tool = WebFetchTool(Settings(), browser_engine(internet, browser=BRIEF))
    answer = json.loads(asyncio.run(tool.execute({"url": PAGE, "force_browser": True})))
    assert answer["rendering_method"] == "browser"
    assert (answer["truncated"], answer["truncation_reason"]) == (True, "browser_timeout_dom_partial")
    assert answer["notes"] == ["browser_timeout_dom_partial", "browser_blocked_non_get"]


def test_the_command_line_renders(internet):
    """`python -m fetcher fetch --browser URL`."""
    url = f"http://127.0.0.1:{internet.web.port}/app"
    internet.web.page(url, "<body><script>document.body.innerHTML = '<p>rendered</p>'</script>")
    settings = {
        "PATH": os.environ["PATH"],
        "WEBFETCH_BROWSER__CHROMIUM_PATH": chromium(),
        "WEBFETCH_SECURITY__ALLOW_INSECURE_OVERRIDES": "true",
        "WEBFETCH_SECURITY__BLOCK_LOOPBACK": "false",
        "WEBFETCH_SECURITY__ALLOWED_PORTS": f"[{internet.web.port}]",
        "WEBFETCH_CACHE_DIR": "",
    }
    command = [sys.executable, "-m", "fetcher", "fetch", "--browser", "--markdown", url]
    done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=30, check=False)
    assert done.stdout == f"{url}\n\nrendered\n"


def test_no_more_than_a_few_browsers_run_at_once(internet, monkeypatch):
    """Memory has a bound, however many pages are asked for."""
    internet.page(PAGE, "<p>x</p>")
    running, most, honest = 0, 0, launch.launch_chromium

    def counted(*arguments, **options):
        return _counted(honest(*arguments, **options))

    class _counted:  # noqa: N801  # stands for a function
        def __init__(self, inner):
            self._inner = inner

        async def __aenter__(self):
            nonlocal running, most
            running += 1
            most = max(most, running)
            return await self._inner.__aenter__()

        async def __aexit__(self, *error):
            nonlocal running
            done = await self._inner.__aexit__(*error)
            running -= 1
            return done

    monkeypatch.setattr("fetcher.web.browser.renderer.launch_chromium", counted)
    engine = browser_engine(internet)

    async def several():
        return await asyncio.gather(*(engine.fetch(PAGE, FORCED) for _ in range(3)))

    assert [text_of(page) for page in asyncio.run(several())] == ["x\n"] * 3
    assert (most, running) == (2, 0)


def test_a_script_that_ends_in_exec_serves_as_chromium(internet, tmp_path):
    """docs/browser.md: how Chromium is started where it needs something of its own, as on AWS Lambda."""
    script = tmp_path / "start"
    script.write_text(f'#!/bin/sh\nSOMETHING=1 exec {chromium()} "$@"\n')
    script.chmod(0o755)
    page = show(internet, "<p>here</p>", browser={"chromium_path": str(script)})
    assert text_of(page) == "here\n"


def test_the_browsers_code_is_loaded_when_a_page_needs_it():
    """Starting costs what it did: nothing of it is imported with the tool."""
    code = "import fetcher.web.tool, sys; print('fetcher.web.browser' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_japanese_charsets_are_read(internet):
    """Chromium decodes what the server declares."""
    html = "<title>品書き</title><p>本日の魚</p><script>document.body.append('')</script>"
    rows = {charset: {"url": f"{SHOP}/{charset}"} for charset in ("shift_jis", "euc-jp", "iso-2022-jp")}
    for charset, row in rows.items():
        headers = {"Content-Type": f"text/html; charset={charset}"}
        internet.page(row["url"], html.encode(charset), headers=headers)
    shown = show_together(internet, rows)
    read = {charset: (page.document.title, text_of(page)) for charset, page in shown.items()}
    assert read == dict.fromkeys(rows, ("品書き", "本日の魚\n"))


def test_a_text_on_a_host_of_applications_is_read_as_it_is(internet):
    """E2: whoever reads any text gets it over plain HTTP; `web_fetch` refuses it in either way."""
    internet.page(PAGE, '{"a": 1}', headers=JSON)
    applications = {"js_heavy_domains": ["shop.example"]}
    rows = {accept: {"rendering": applications, "wanted": fetch_options(accept=accept)} for accept in Accept}
    shown = show_together(internet, rows)
    assert text_of(shown[Accept.ALL_KINDS]) == "- **a**: 1\n"
    assert isinstance(shown[Accept.WEB_FETCH], UnsupportedContentType)


def test_a_page_on_a_host_of_applications_goes_to_the_browser_at_once(internet):
    """SRD FR-WF-12b with the real browser: one request for the page."""
    page = show(
        internet,
        "<body><script>document.body.innerHTML = '<p>filled</p>'</script>",
        rendering={"js_heavy_domains": [".example"]},
        wanted=fetch_options(),
    )
    assert (text_of(page), page.rendering_method) == ("filled\n", RenderingMethod.BROWSER)
    assert internet.web.count(PAGE) == 1
