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
    BadArguments,
    BrowserUnavailable,
    HttpClientError,
    InvalidScheme,
    InvalidUrl,
    NetworkFailed,
    RedirectLimit,
    ResponseTooLarge,
    RobotsDisallowed,
    SsrfBlocked,
    UnsupportedContentType,
)
from fetcher.web.media_types import Accept
from fetcher.web.tool import WebFetchTool
from tests.engine import want
from tests.fakes import answers, misbehaviour
from tests.fakes.canary import SECRET, Canary
from tests.fetcher.web.browser.ground import (
    FORCED,
    PAGE,
    browser_engine,
    chromium,
    show,
    show_all,
    show_together,
)

SHOP = "http://shop.example"
JAVASCRIPT = {"Content-Type": "text/javascript; charset=utf-8"}
JSON = {"Content-Type": "application/json"}
BRIEF = {"network_idle_ms": 1000}


def _text(page):
    return page.document.markdown


def _that_shows(path):
    """A page that loads a text and shows it."""
    return (
        f"<main></main><script>fetch('{path}').then(r => r.text())"
        ".then(text => document.querySelector('main').append(text))</script>"
    )


def test_it_wf_br_01_a_forced_browser_reads_what_scripts_write(internet):
    """IT-WF-BR-01: SRD FR-WF-11, 12a, with title, language, method and address."""
    html = (
        "<html lang=ja><title>店</title><body><script>"
        "document.body.innerHTML = '<main><h1>品書き</h1><p>本日の魚</p></main>'</script>"
    )
    page = show(internet, html)
    assert _text(page) == "# 品書き\n\n本日の魚\n"
    assert (page.document.title, page.document.language) == ("店", "ja")
    assert (page.rendering_method, str(page.final_url)) == (RenderingMethod.BROWSER, PAGE)
    assert (page.notes, page.truncation) == (frozenset(), frozenset())


@pytest.mark.parametrize("path", ["/no/such/chromium", str(Path(__file__).parent), str(Path(__file__))])
def test_it_wf_br_02_a_chromium_that_is_not_there_is_named(internet, path):
    """IT-WF-BR-02: SRD FR-WF-11a; a missing file, a directory, a file that is no program."""
    with pytest.raises(BrowserUnavailable) as missing:
        show(internet, "<p>x</p>", browser={"chromium_path": path})
    assert missing.value.details == {"chromium_path": path, "error": "there is no program at this path"}


def test_it_wf_br_03_and_04_scripts_do_not_reach_this_machine(internet, caplog):
    """IT-WF-BR-03, IT-WF-BR-04, T-WF-INFRA-04, T-WF-INFRA-05: blocked, logged, and nothing leaks."""
    with Canary() as canary, caplog.at_level(logging.INFO, "fetcher"):
        url = f"http://127.0.0.1:{canary.nest('secret')}/secret"
        html = (
            f"<p>before</p><script>const url = '{url}';"
            "const show = text => document.body.innerHTML += text;"
            "const xhr = () => { const x = new XMLHttpRequest(); x.onload = () => show(x.responseText);"
            " x.open('GET', url); x.send() }; fetch(url).then(r => r.text()).then(show); xhr()</script>"
        )
        page = show(internet, html)
        assert canary.contacts == []
    assert _text(page) == "before\n"
    assert SECRET not in _text(page)
    blocked = [record.__dict__["fields"] for record in caplog.records if record.msg == "ssrf_blocked"]
    assert [(fields["blocked_ip"], fields["url"]) for fields in blocked] == [("127.0.0.1", url)] * 2


def test_it_wf_br_05_a_page_that_is_never_idle_is_read_as_it_is(internet):
    """IT-WF-BR-05: SRD FR-WF-11f, FR-WF-19-BROWSER."""
    internet.route(f"{SHOP}/slow", misbehaviour.stall())
    page = show(internet, "<p>here</p><script>fetch('/slow')</script>", browser=BRIEF)
    assert _text(page) == "here\n"
    assert page.notes == {Note.BROWSER_TIMEOUT_DOM_PARTIAL}
    assert page.truncation == {TruncationReason.BROWSER_TIMEOUT_DOM_PARTIAL}


def test_it_wf_br_06_blocked_resources_are_not_requested(internet):
    """IT-WF-BR-06: SRD FR-WF-11g, 11h; styles and scripts load, images do not."""
    internet.page(f"{SHOP}/code.js", "document.body.append('code ran')", headers=JAVASCRIPT)
    internet.page(f"{SHOP}/look.css", "p { color: red }", headers={"Content-Type": "text/css"})
    internet.page(f"{SHOP}/picture.png", "x", headers={"Content-Type": "image/png"})
    html = (
        "<link rel=stylesheet href=look.css>"
        "<img src=picture.png onerror=\"document.body.append('no image')\"><script src=code.js></script>"
    )
    assert "code ran" in (text := _text(show(internet, html)))
    assert "no image" in text
    assert [internet.web.count(f"{SHOP}/{name}") for name in ("code.js", "look.css", "picture.png")] == [
        1,
        1,
        0,
    ]


BLOCKED = {
    "IMAGE": "image",
    "Script": "script",
    "xhr": "data",
    "fetch": "data",
    "EventSource": "events",
    "prefetch": "next",
}


def test_resource_types_are_matched_whatever_their_case(internet):
    """SRD FR-WF-BLOCKRES-01; Chromium reports what scripts load, in whatever way, as XHR."""
    html = (
        "<link rel=prefetch href=next><img src=image><script src=script></script>"
        "<script>fetch('data'); new EventSource('events')</script>"
    )
    rows: dict[str, Any] = {}
    for kind in BLOCKED:
        site = f"http://{kind.lower()}.example"
        internet.page(f"{site}/image", "x", headers={"Content-Type": "image/png"})
        internet.page(f"{site}/script", "0", headers=JAVASCRIPT)
        internet.page(f"{site}/data", "{}", headers=JSON)
        internet.page(f"{site}/events", "data: x", headers={"Content-Type": "text/event-stream"})
        internet.page(f"{site}/next", "x")
        rows[kind] = {"url": f"{site}/", "html": html, "browser": {"block_resources": [kind]}}
    show_together(internet, rows)
    names = set(BLOCKED.values())
    missing = {
        kind: {name for name in names if not internet.web.count(rows[kind]["url"] + name)} for kind in rows
    }
    assert missing == {kind: {name} for kind, name in BLOCKED.items()}


@pytest.mark.parametrize("forced", [True, False])
def test_an_unknown_resource_type_is_a_bad_argument_of_every_call(internet, forced):
    """SRD FR-WF-BLOCKRES-01: at invocation, whether a browser is needed or not."""
    with pytest.raises(BadArguments) as refused:
        show(
            internet,
            "<p>x</p>",
            wanted=want(force_browser=forced),
            browser={"block_resources": ["image", "pictures"]},
        )
    assert refused.value.details["field"] == "browser.block_resources"
    assert "pictures" in refused.value.details["reason"]
    assert internet.web.requests == []


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
        rows[name] = {"url": f"{site}/", "html": html, "wanted": want()}
    for name, page in show_together(internet, rows).items():
        assert (name, _text(page)) == (name, "# 商品\n\nりんご 120円\n")
        assert (page.rendering_method, page.notes) == (RenderingMethod.BROWSER, frozenset())


def test_without_a_browser_the_plain_page_is_given_and_what_is_missing_is_said(internet, caplog):
    """SRD FR-WF-12d: the note for the caller, the reason in the log."""
    html = '<div id="root">Please wait.</div><script src="/app.js"></script>'
    with caplog.at_level(logging.WARNING, "fetcher"):
        page = show(internet, html, wanted=want(), browser={"chromium_path": "/no/such/chromium"})
    assert (_text(page), page.notes) == ("Please wait.\n", {Note.BROWSER_UNAVAILABLE_USED_HTTP})
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
        return [_text(await engine.fetch(PAGE, FORCED)) for _ in range(2)]

    assert asyncio.run(twice()) == ["cookie=seen=1 stored=null\n"] * 2


def test_it_wf_br_09_other_methods_are_blocked_with_a_note(internet):
    """IT-WF-BR-09: SRD FR-WF-BROWSER-METHOD-01; a HEAD is answered, and so the page goes on."""
    internet.page(f"{SHOP}/api", '{"a": 1}', headers=JSON)
    html = (
        "<main></main><script>const main = document.querySelector('main');"
        "const tell = method => fetch('/api', {method})"
        ".then(r => main.append(` ${method}=${r.status}`), () => main.append(` ${method}=blocked`));"
        "(async () => { for (const m of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']) await tell(m) })()</script>"
    )
    page = show(internet, html)
    assert _text(page) == "GET=200 HEAD=200 POST=blocked PUT=blocked DELETE=blocked\n"
    assert page.notes == {Note.BROWSER_BLOCKED_NON_GET}
    assert {request.method for request in internet.web.requests} == {"GET"}


def test_a_form_that_posts_leaves_the_page_where_it_is(internet):
    """SRD FR-WF-BROWSER-METHOD-01, for the page's own frame."""
    html = "<p>the form</p><form method=post action=/send></form><script>document.forms[0].submit()</script>"
    page = show(internet, html)
    assert (_text(page), page.notes) == ("the form\n", {Note.BROWSER_BLOCKED_NON_GET})
    assert internet.web.count(f"{SHOP}/send") == 0


def test_it_wf_br_10_a_page_that_loads_too_much_loads_no_more(internet, caplog):
    """IT-WF-BR-10: SRD FR-WF-BROWSER-BUDGET-01; the total, with a warning and without a note."""
    for number in range(4):
        internet.page(f"{SHOP}/{number}", "x" * 400_000, headers={"Content-Type": "text/plain"})
    html = (
        "<main></main><script>const main = document.querySelector('main');(async () => {"
        "for (const n of [0, 1, 2, 3]) await fetch('/' + n).then("
        "() => main.append(` ${n} came`), () => main.append(` ${n} failed`)) })()</script>"
    )
    with caplog.at_level(logging.WARNING, "fetcher"):
        page = show(internet, html, browser={"max_total_subresource_bytes": 1024 * 1024})
    assert _text(page) == "0 came 1 came 2 failed 3 failed\n"
    assert page.notes == frozenset()
    assert internet.web.count(f"{SHOP}/3") == 0
    assert [record.__dict__["fields"]["event"] for record in caplog.records] == [
        "browser_page_budget_exhausted"
    ]


def test_a_resource_that_is_too_large_fails_alone(internet, caplog):
    """SRD FR-WF-BROWSER-BUDGET-01: per resource; a bomb unfolds no further than allowed."""
    internet.route(f"{SHOP}/large", misbehaviour.gzip_bomb(1 << 24))
    internet.page(f"{SHOP}/small", "small", headers={"Content-Type": "text/plain"})
    html = (
        "<main></main><script>const main = document.querySelector('main');(async () => {"
        "await fetch('/large').catch(() => main.append('large failed '));"
        "main.append(await (await fetch('/small')).text()) })()</script>"
    )
    with caplog.at_level(logging.WARNING, "fetcher"):
        page = show(internet, html, max_download_bytes=100_000)
    assert _text(page) == "large failed small\n"
    assert [record.__dict__["fields"]["event"] for record in caplog.records] == ["browser_resource_too_large"]


def test_encoded_answers_arrive_decoded_with_headers_that_are_true(internet):
    """Chromium neither decodes again nor misses a byte."""
    for name, coding in {"gzip": answers.gzip_body, "br": answers.brotli_body}.items():
        text = {"Content-Type": "text/plain; charset=utf-8"}
        internet.route(f"{SHOP}/{name}", coding("あ" * 1000, headers=text))
    html = (
        "<main></main><script>(async () => { for (const coding of ['gzip', 'br']) {"
        "const r = await fetch('/' + coding); const text = await r.text();"
        "document.querySelector('main').append([coding, text.length, r.headers.get('content-length'),"
        " r.headers.get('content-encoding')].join(' ') + '; ') } })()</script>"
    )
    assert _text(show(internet, html)) == "gzip 1000 3000 ; br 1000 3000 ;\n"


def test_requests_carry_what_a_public_get_needs_and_no_more(internet):
    """Our own name, what the page accepts, and its origin; no cookie, no referrer, no hints."""
    internet.page("http://api.example/", "[]", headers={"Access-Control-Allow-Origin": "*", **JSON})
    internet.page(
        PAGE,
        "<script>document.cookie = 'a=b';"
        "fetch('http://api.example/?q=1', {headers: {Accept: 'text/x'}})</script>",
        headers={"Set-Cookie": "c=d"},
    )
    show(internet, user_agent="reader/2.0")
    seen = {
        request.host: {name.lower(): value for name, value in request.headers}
        for request in internet.web.requests
    }
    assert seen["api.example"] == {
        "host": "api.example",
        "user-agent": "reader/2.0",
        "accept": "text/x",
        "origin": SHOP,
        "accept-encoding": "gzip, deflate, br",
    }
    assert seen["shop.example"] == {
        "host": "shop.example",
        "user-agent": "reader/2.0",
        "accept": "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.1",
        "accept-encoding": "gzip, deflate, br",
    }


def test_robots_txt_is_asked_for_the_top_document_only(internet):
    """SRD FR-WF-ROBOTS-SCOPE-01: scripts, data and frames are free, the page's redirects are not."""
    internet.robots(SHOP, "User-agent: *\nDisallow: /private")
    internet.page(f"{SHOP}/private/data", "text", headers={"Content-Type": "text/plain"})
    internet.redirect(f"{SHOP}/redirected", "/private/page")
    rows = {path: {"url": SHOP + path} for path in ("/private/page", "/redirected", "/gone-on", "/page")}
    rows["/gone-on"]["html"] = "<script>location = '/private/page'</script>"
    rows["/page"]["html"] = _that_shows("/private/data")
    shown = show_together(internet, rows)
    assert _text(shown.pop("/page")) == "text\n"
    assert {path: type(error) for path, error in shown.items()} == dict.fromkeys(shown, RobotsDisallowed)


def test_redirects_are_followed_and_counted_for_the_top_document_only(internet):
    """SRD FR-WF-11c, BREDIR-01."""
    internet.redirect(f"{SHOP}/0", "/1", status=301)
    internet.redirect(f"{SHOP}/1", "/page", status=307)
    for number in range(4):
        internet.redirect(f"{SHOP}/data{number}", f"/data{number + 1}")
    internet.page(f"{SHOP}/data4", "arrived", headers={"Content-Type": "text/plain"})
    internet.page(PAGE, _that_shows("/data0"))
    rows = {str(most): {"url": f"{SHOP}/0", "max_redirects": most} for most in (2, 1)}
    page, refused = show_together(internet, rows).values()
    assert (_text(page), str(page.final_url)) == ("arrived\n", PAGE)
    assert isinstance(refused, RedirectLimit)
    assert refused.details == {"count": 2, "max": 1}


ONWARD = {
    "a script's location": "<script>location = '/next#part'</script>",
    "a replacement": "<script>setTimeout(() => location.replace('/next'), 50)</script>",
    "a refresh": "<meta http-equiv=refresh content='0; url=/next'>",
    "a form": "<form action=/next></form><script>document.forms[0].submit()</script>",
    "a link": "<a href=/next>x</a><script>document.links[0].click()</script>",
}
NOWHERE = {
    "a file": "location = 'file:///etc/passwd'",
    "data": "location = 'data:text/html,<p>data</p>'",
    "another scheme": "location = 'ftp://127.0.0.1/'",
    "another program": "location = 'mailto:a@b.example'",
    "the browser itself": "location = 'chrome://version'",
    "an archive": "location = '/file.zip'",
    "the end": "window.close()",
    "a file in a frame": "document.body.innerHTML += '<iframe src=\"file:///etc/passwd\"></iframe>'",
    "a download": (
        "document.body.innerHTML += '<a href=/file.zip download>x</a>'; document.links[0].click()"
    ),
}


def _beyond(internet):
    internet.page(f"{SHOP}/next", "<p>the next page</p>")
    internet.page(f"{SHOP}/file.zip", "PK", headers={"Content-Type": "application/zip"})


@pytest.fixture(scope="module")
def shown(running_web):
    """Pages that send their reader elsewhere, each in a browser of its own."""
    pages = {name: f"<p>the first page</p>{way}" for name, way in ONWARD.items()}
    pages |= {name: f"<p>the first page</p><script>{way}</script>" for name, way in NOWHERE.items()}
    return show_all(running_web, pages, _beyond)


@pytest.mark.parametrize("way", ONWARD)
def test_client_side_navigation_leads_to_the_page_that_is_read(shown, way):
    """SRD FR-WF-RESP-METHOD-01: the text and the address are those of the last document."""
    final = str(shown[way].final_url).partition("?")[0]
    assert (_text(shown[way]), final) == ("the next page\n", f"{SHOP}/next")


@pytest.mark.parametrize("way", NOWHERE)
def test_a_page_cannot_leave_for_what_is_no_page(shown, way):
    """Other schemes and downloads leave the page standing."""
    assert _text(shown[way]).startswith("the first page\n")
    assert "root:" not in _text(shown[way])


def test_a_page_that_is_left_is_not_waited_for(internet):
    """Neither for what it had on its way, nor for where else it was going."""
    internet.page(f"{SHOP}/next", "<p>the next page</p>")
    for path in ("/stall", "/slow.js"):
        internet.route(SHOP + path, misbehaviour.stall())
    html = "<script>fetch('/slow.js'); location = '/stall'; setTimeout(() => location = '/next', 50)</script>"
    page = show(internet, html)
    assert (_text(page), str(page.final_url), page.notes) == ("the next page\n", f"{SHOP}/next", frozenset())


def test_redirects_written_in_japanese_are_followed(internet):
    """Servers send them unescaped."""
    internet.redirect(PAGE, "/商品".encode())
    internet.page(f"{SHOP}/商品", "<p>りんご</p>")
    assert _text(show(internet)) == "りんご\n"


def test_redirects_that_lead_nowhere_have_their_code(internet):
    """Another scheme, no URL, nothing at all."""
    targets = {"ftp://x.example/": InvalidScheme, "http://a b/": InvalidUrl, "": InvalidUrl}
    rows = {target: {"url": f"{SHOP}/{number}"} for number, target in enumerate(targets)}
    for target, row in rows.items():
        internet.redirect(row["url"], target)
    assert {target: type(error) for target, error in show_together(internet, rows).items()} == targets


def test_without_time_for_a_browser_the_plain_page_is_given(internet):
    """E1: a quick read that has taken long already is not begun anew."""
    html = '<div id="root">Please wait.</div>'
    page = show(internet, html, wanted=want(timeout_seconds=4.5, render_seconds=0))
    assert (_text(page), page.notes) == ("Please wait.\n", {Note.BROWSER_UNAVAILABLE_USED_HTTP})


ENDS = {
    "a redirect inside": (answers.redirect("http://10.0.0.1/"), SsrfBlocked),
    "a redirect to this machine": (answers.redirect("http://[::1]/"), SsrfBlocked),
    "a script's way inside": (
        answers.answer("<script>location = 'http://169.254.169.254/latest/'</script>"),
        SsrfBlocked,
    ),
    "a refresh to this machine": (
        answers.answer("<meta http-equiv=refresh content='0; url=http://127.0.0.1/'>"),
        SsrfBlocked,
    ),
    "a way with a user name": (
        answers.answer("<script>location = 'http://u:p@shop.example/'</script>"),
        InvalidUrl,
    ),
    "no page": (answers.answer("no", status=404), HttpClientError),
    "a PDF": (answers.answer("%PDF", headers={"Content-Type": "application/pdf"}), UnsupportedContentType),
    "too much": (answers.answer("x" * 200_000), ResponseTooLarge),
    "no answer": (misbehaviour.close_before_answer(), NetworkFailed),
    "a page that loads itself for ever": (
        answers.answer("<script>location.reload()</script>"),
        RedirectLimit,
    ),
    "a page that goes on for ever": (
        answers.answer("<script>location = '?' + Math.random()</script>"),
        RedirectLimit,
    ),
}


def test_the_top_documents_errors_are_those_of_plain_http(internet):
    """The same answer has the same code, whoever asked for it."""
    rows = {name: {"url": f"{SHOP}/{n}", "max_download_bytes": 100_000} for n, name in enumerate(ENDS)}
    for name, (first, _) in ENDS.items():
        internet.route(rows[name]["url"], first)
    shown = show_together(internet, rows)
    assert {name: type(error) for name, error in shown.items()} == {name: ENDS[name][1] for name in ENDS}


def test_a_name_that_changes_its_answer_is_asked_once(internet):
    """SRD FR-WF-06a, FR-WF-DNS-01 in the browser: what was approved is what is dialled."""
    public = internet.host("rebind.example")
    internet.page("http://rebind.example/", "public", headers={"Access-Control-Allow-Origin": "*"})
    internet.resolver.answers("rebind.example", public, ["127.0.0.1"])
    html = (
        "<main></main><script>const load = () => fetch('http://rebind.example/').then(r => r.text())"
        ".then(t => document.querySelector('main').append(t + ' '));"
        "(async () => { await Promise.all([load(), load()]); await load() })()</script>"
    )
    assert _text(show(internet, html)) == "public public public\n"
    assert internet.resolver.asked.count("rebind.example") == 1


def test_a_name_that_leads_inside_is_blocked(internet, caplog):
    internet.resolver.add("inside.example", "192.168.0.10")
    html = "<p>page</p><script src=http://inside.example/x.js></script>"
    with caplog.at_level(logging.INFO, "fetcher"):
        assert _text(show(internet, html)) == "page\n"
    [blocked] = [record.__dict__["fields"] for record in caplog.records if record.msg == "ssrf_blocked"]
    assert (blocked["requested_host"], blocked["blocked_ip"]) == ("inside.example", "192.168.0.10")


def test_every_url_of_the_top_document_is_permitted_first(internet):
    """Lists of domains hold for redirects and for client-side navigation, not for what a page loads."""
    internet.page("http://cdn.example/x.js", "location = 'http://end.example/'", headers=JAVASCRIPT)
    internet.redirect("http://start.example/", PAGE)
    internet.page(PAGE, "<script src=http://cdn.example/x.js></script>")
    internet.page("http://end.example/", "<p>end</p>")
    asked: list[str] = []
    wanted = want(force_browser=True, permit=lambda url: asked.append(url.host))
    assert _text(show(internet, url="http://start.example/", wanted=wanted)) == "end\n"
    assert asked == ["start.example", "shop.example", "end.example"]


class Forbidden(Exception):
    """Whatever a caller raises."""


def test_what_a_permission_raises_is_what_the_caller_gets(internet):
    internet.page("http://end.example/", "<p>end</p>")

    def permit(url):
        if url.host == "end.example":
            raise Forbidden(url.host)

    with pytest.raises(Forbidden, match=r"end\.example"):
        show(
            internet,
            "<script>location = 'http://end.example/'</script>",
            wanted=want(force_browser=True, permit=permit),
        )


def test_https_is_verified_for_what_a_page_loads(internet):
    """SRD FR-WF-BSSR-TLS-01 in the browser."""
    good, bad = "https://good.example/", "https://bad.example/"
    for url in (good, bad):
        internet.page(url, "loaded", headers={"Access-Control-Allow-Origin": "*"})
    internet.web.wrong_certificate("bad.example")
    html = (
        "<main></main><script>const main = document.querySelector('main');(async () => {"
        f"for (const url of ['{good}', '{bad}']) await fetch(url).then(r => r.text())"
        ".then(t => main.append(t + ' '), () => main.append('refused')) })()</script>"
    )
    assert _text(show(internet, html, url="https://shop.example/page")) == "loaded refused\n"


def test_a_rendered_document_over_its_limit_is_cut_with_a_note(internet):
    """SRD FR-WF-11d, DOMSIZE-01."""
    html = "<p>start</p><script>document.body.append('あ'.repeat(10000))</script>"
    page = show(internet, html, browser={"max_rendered_dom_bytes": 1024})
    assert _text(page).startswith("start")
    assert "\N{REPLACEMENT CHARACTER}" not in _text(page)
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
    show(internet, SPA["a mounted application"][0], wanted=want(), **settings)
    entries = [json.loads(path.read_text("utf-8")) for path in tmp_path.rglob("*.json")]
    assert [entry["rendering_method"] for entry in entries] == ["browser"]
    internet.web.reset()
    hit = show(internet, wanted=want(), browser={"chromium_path": "/no/such/chromium"}, **settings)
    assert (_text(hit), hit.notes) == ("# 商品\n\nりんご 120円\n", {Note.CACHE_HIT})


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
    running, most, honest = 0, 0, launch.launched

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

    monkeypatch.setattr("fetcher.web.browser.renderer.launched", counted)
    engine = browser_engine(internet)

    async def several():
        return await asyncio.gather(*(engine.fetch(PAGE, FORCED) for _ in range(3)))

    assert [_text(page) for page in asyncio.run(several())] == ["x\n"] * 3
    assert (most, running) == (2, 0)


def test_event_streams_do_not_keep_a_page_waiting(internet):
    """They stay open by design; what has come until the page is read is not waited for."""
    stream = {"Content-Type": "text/event-stream"}
    internet.route(f"{SHOP}/events", misbehaviour.endless_body(0.05, stream, piece=b"data: x\n\n"))
    page = show(internet, "<p>here</p><script>new EventSource('/events')</script>")
    assert (_text(page), page.notes) == ("here\n", frozenset())


def test_a_script_that_ends_in_exec_serves_as_chromium(internet, tmp_path):
    """docs/browser.md: how Chromium is started where it needs something of its own, as on AWS Lambda."""
    script = tmp_path / "start"
    script.write_text(f'#!/bin/sh\nSOMETHING=1 exec {chromium()} "$@"\n')
    script.chmod(0o755)
    page = show(internet, "<p>here</p>", browser={"chromium_path": str(script)})
    assert _text(page) == "here\n"


def test_the_browsers_code_is_loaded_when_a_page_needs_it():
    """Starting costs what it did: nothing of it is imported with the tool."""
    code = (
        "import fetcher.web.tool, sys; print([n for n in sys.modules if n.startswith('fetcher.web.browser')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_japanese_charsets_are_read(internet):
    """Chromium decodes what the server declares."""
    html = "<title>品書き</title><p>本日の魚</p><script>document.body.append('')</script>"
    rows = {charset: {"url": f"{SHOP}/{charset}"} for charset in ("shift_jis", "euc-jp", "iso-2022-jp")}
    for charset, row in rows.items():
        headers = {"Content-Type": f"text/html; charset={charset}"}
        internet.page(row["url"], html.encode(charset), headers=headers)
    shown = show_together(internet, rows)
    read = {charset: (page.document.title, _text(page)) for charset, page in shown.items()}
    assert read == dict.fromkeys(rows, ("品書き", "本日の魚\n"))


def test_a_page_that_isolates_itself_is_read(internet):
    """Its process changes under way; the page remains the page."""
    headers = {
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Embedder-Policy": "require-corp",
        "Content-Security-Policy": "default-src 'none'; require-trusted-types-for 'script'",
        "Content-Disposition": "attachment; filename=x.html",
    }
    html = "<p>here</p><x-a><template shadowrootmode=open><p>inside</p></template></x-a>"
    internet.page(PAGE, html, headers={"Content-Type": "text/html", **headers})
    internet.redirect("http://start.example/", PAGE)
    assert _text(show(internet, url="http://start.example/")) == "here\n\ninside\n"


def test_a_text_on_a_host_of_applications_is_read_as_it_is(internet):
    """E2: whoever reads any text gets it over plain HTTP; `web_fetch` refuses it in either way."""
    internet.page(PAGE, '{"a": 1}', headers=JSON)
    applications = {"js_heavy_domains": ["shop.example"]}
    rows = {accept: {"rendering": applications, "wanted": want(accept=accept)} for accept in Accept}
    shown = show_together(internet, rows)
    assert _text(shown[Accept.ANY_TEXT]) == '{"a": 1}\n'
    assert isinstance(shown[Accept.WEB_FETCH], UnsupportedContentType)


def test_a_page_on_a_host_of_applications_goes_to_the_browser_at_once(internet):
    """SRD FR-WF-12b with the real browser: one request for the page."""
    page = show(
        internet,
        "<body><script>document.body.innerHTML = '<p>filled</p>'</script>",
        rendering={"js_heavy_domains": [".example"]},
        wanted=want(),
    )
    assert (_text(page), page.rendering_method) == ("filled\n", RenderingMethod.BROWSER)
    assert internet.web.count(PAGE) == 1


def test_a_page_that_only_asks_for_another_keeps_its_own_address(internet):
    """SRD FR-WF-RESP-URL-01: Chromium takes the other for a download, and shows what it showed before."""
    binary = {"Content-Type": "text/plain"}
    internet.page("http://bank.example/", b"\x00\x01\x02 \xff", headers=binary)
    page = show(internet, "<p>not the bank</p><script>location = 'http://bank.example/'</script>")
    assert internet.web.count("http://bank.example/") == 1
    assert (_text(page), str(page.final_url)) == ("not the bank\n", PAGE)


def test_an_address_that_a_script_only_shows_is_not_the_pages(internet):
    """SRD FR-WF-RESP-URL-01: `final_url` is the last URL that was fetched."""
    page = show(internet, "<p>here</p><script>history.pushState({}, '', '/elsewhere')</script>")
    assert (_text(page), str(page.final_url)) == ("here\n", PAGE)
