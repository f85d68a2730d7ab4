"""What a page loads in a real Chromium: by whose leave, within which bounds, and with which headers."""

import asyncio
import logging
from typing import Any

import pytest

from fetcher.codes import Note
from fetcher.mcp.page_tools import PageTools
from fetcher.settings import AgentSettings, Settings
from fetcher.web.errors import (
    BadArguments,
)
from tests.engine import fetch_options
from tests.fakes import answers, misbehaviour
from tests.fakes.canary import SECRET, Canary
from tests.fetcher.web.browser.ground import (
    BRIEF,
    FORCED,
    JAVASCRIPT,
    JSON,
    PAGE,
    SHOP,
    browser_engine,
    show,
    show_together,
    text_of,
)


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
    assert text_of(page) == "before\n"
    assert SECRET not in text_of(page)
    blocked = [record.__dict__["fields"] for record in caplog.records if record.msg == "ssrf_blocked"]
    assert [(fields["blocked_ip"], fields["url"]) for fields in blocked] == [("127.0.0.1", url)] * 2


def test_it_wf_br_06_blocked_resources_are_not_requested(internet):
    """IT-WF-BR-06: SRD FR-WF-11g, 11h; styles and scripts load, images do not."""
    internet.page(f"{SHOP}/code.js", "document.body.append('code ran')", headers=JAVASCRIPT)
    internet.page(f"{SHOP}/look.css", "p { color: red }", headers={"Content-Type": "text/css"})
    internet.page(f"{SHOP}/picture.png", "x", headers={"Content-Type": "image/png"})
    html = (
        "<link rel=stylesheet href=look.css>"
        "<img src=picture.png onerror=\"document.body.append('no image')\"><script src=code.js></script>"
    )
    assert "code ran" in (text := text_of(show(internet, html)))
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
            wanted=fetch_options(force_browser=forced),
            browser={"block_resources": ["image", "pictures"]},
        )
    assert refused.value.details["field"] == "browser.block_resources"
    assert "pictures" in refused.value.details["reason"]
    assert internet.web.requests == []


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
    assert text_of(page) == "GET=200 HEAD=200 POST=blocked PUT=blocked DELETE=blocked\n"
    assert page.notes == {Note.BROWSER_BLOCKED_NON_GET}
    asked = [request.method for request in internet.web.requests if request.target == "/api"]
    assert asked == ["GET", "HEAD"]


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
    assert text_of(page) == "0 came 1 came 2 failed 3 failed\n"
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
    assert text_of(page) == "large failed small\n"
    [line] = [record.__dict__["fields"] for record in caplog.records]
    assert (line["event"], line["requested_host"]) == ("browser_resource_too_large", "shop.example")
    assert (line["rendering_method"], line["cache_hit"]) == ("browser", False)


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
    assert text_of(show(internet, html)) == "gzip 1000 3000 ; br 1000 3000 ;\n"


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
    assert text_of(show(internet, html)) == "public public public\n"
    assert internet.resolver.asked.count("rebind.example") == 1


def test_a_name_that_leads_inside_is_blocked(internet, caplog):
    internet.resolver.add("inside.example", "192.168.0.10")
    html = "<p>page</p><script src=http://inside.example/x.js></script>"
    with caplog.at_level(logging.INFO, "fetcher"):
        assert text_of(show(internet, html)) == "page\n"
    [blocked] = [record.__dict__["fields"] for record in caplog.records if record.msg == "ssrf_blocked"]
    assert (blocked["requested_host"], blocked["blocked_ip"]) == ("inside.example", "192.168.0.10")


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
    assert text_of(show(internet, html, url="https://shop.example/page")) == "loaded refused\n"


def test_event_streams_do_not_keep_a_page_waiting(internet):
    """They stay open by design, are not waited for, and leave room for what else pages of their host load."""
    stream = {"Content-Type": "text/event-stream"}
    for number in range(2):
        endless = misbehaviour.endless_body(0.05, stream, piece=b"data: x\n\n")
        internet.route(f"{SHOP}/events/{number}", endless)
    internet.page(f"{SHOP}/text", "loaded", headers={"Content-Type": "text/plain"})
    html = (
        "<main></main><script>for (const n of [0, 1]) new EventSource('/events/' + n);"
        "const load = () => fetch('/text').then(r => r.text())"
        ".then(text => document.querySelector('main').append(text)); setTimeout(load, 200)</script>"
    )
    urls = [f"{SHOP}/{name}" for name in "ab"]
    for url in urls:
        internet.page(url, html)
    engine = browser_engine(internet, browser=BRIEF)

    async def together():
        return await asyncio.gather(*(engine.fetch(url, FORCED) for url in urls))

    pages = asyncio.run(together())
    assert [(text_of(page), page.notes) for page in pages] == [("loaded\n", frozenset())] * 2


@pytest.mark.parametrize(
    "lists",
    [
        {"agent_allowed_domains": ["shop.example", ".shop.example"]},
        {"agent_blocked_domains": ["spy.example"]},
    ],
)
def test_the_domain_lists_hold_for_what_scripts_load(internet, lists):
    """A3: also for redirects and frames; a name that is closed is not looked up, and the page goes on."""
    plain = {"Content-Type": "text/plain", "Access-Control-Allow-Origin": "*"}
    internet.page("http://api.shop.example/data", "our data", headers=plain)
    internet.page("http://spy.example/leak", "their data", headers=plain)
    internet.page("http://spy.example/frame", "<p>theirs</p>")
    internet.page("http://spy.example/x.js", "document.body.append('their script')", headers=JAVASCRIPT)
    internet.redirect(f"{SHOP}/go", "http://spy.example/leak")
    show_it = ".then(r => r.text()).then(text => document.body.append(text))"
    html = (
        "<p>ours</p><script src=http://spy.example/x.js></script><iframe src=http://spy.example/frame></iframe>"
        f"<script>fetch('http://spy.example/leak'){show_it}; fetch('/go'){show_it};"
        f"fetch('http://api.shop.example/data'){show_it}</script>"
    )
    internet.page(PAGE, html)

    async def story() -> str:
        tools = PageTools(browser_engine(internet), Settings(), AgentSettings.model_validate(lists))
        outcome = await tools.call("web_fetch", {"url": PAGE, "force_browser": True})
        return "".join(outcome.texts)

    answer = asyncio.run(story())
    assert "our data" in answer
    assert "their" not in answer
    assert "spy.example" not in internet.resolver.asked


def test_a_page_sends_a_hundred_requests_to_other_hosts(internet, caplog):
    """Those to its own host are not among them."""
    plain = {"Content-Type": "text/plain", "Access-Control-Allow-Origin": "*"}
    for number in range(110):
        internet.page(f"http://spy.example/{number}", "x", headers=plain)
        internet.page(f"{SHOP}/{number}", "x", headers=plain)
    html = (
        "<p>here</p><script>for (let n = 0; n < 110; n++) {"
        " fetch(`http://spy.example/${n}`).catch(() => {}); fetch(`/${n}`) }</script>"
    )
    page = show(internet, html)
    sent = [
        sum(internet.web.count(f"{site}/{number}") for number in range(110))
        for site in ("http://spy.example", SHOP)
    ]
    assert (text_of(page), sent) == ("here\n", [100, 110])
    assert caplog.text.count("browser_foreign_request_limit") == 1
