"""Pages that do not want to end: each ends within its budget, with its code, and leaves nothing behind."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from fetcher.codes import Note
from fetcher.web.browser import command_line, launch
from fetcher.web.browser.interception import Interception
from fetcher.web.errors import BrowserCrashed, ExtractionFailed, FetchError, Timeout
from tests.engine import fetch_options
from tests.fakes import answers, misbehaviour
from tests.fakes.gate import Gate
from tests.fetcher.web.browser.ground import (
    BRIEF,
    FORCED,
    PAGE,
    SHOP,
    browser_engine,
    chromium,
    show,
    show_together,
)
from tests.fetcher.web.browser.programs import program
from tests.fetcher.web.sandbox.readers import stopped_readers

STALL = f"{SHOP}/stall"


@pytest.fixture(autouse=True)
def nothing_left(groups):
    """Whatever a page did, no process of its Chromium is alive afterwards."""
    chromium()  # without one the test is skipped before it begins
    yield
    assert groups


ENDLESS = [
    "while (true) {}",
    "setTimeout(() => { while (true) {} }, 0)",
    "Promise.resolve().then(function again() { return Promise.resolve().then(again) })",
    "setInterval(() => fetch('/x' + Math.random()), 50)",
    "const x = new XMLHttpRequest(); x.open('GET', '/stall', false); x.send()",
    "while (true) alert('x'.repeat(1e6))",
    "const url = URL.createObjectURL(new Blob(['while (true) {}'])); new Worker(url); fetch('/stall')",
]


def test_a_page_without_end_is_read_as_it_is(internet):
    """Its scripts are stopped where they stand in the way of reading."""
    internet.route(STALL, misbehaviour.stall())
    rows = {
        script: {
            "url": f"http://shop.example/{number}",
            "html": f"<p>before</p><script>{script}</script><p>after</p>",
            "browser": BRIEF,
        }
        for number, script in enumerate(ENDLESS)
    }
    shown = show_together(internet, rows)
    read = {script: (page.document.markdown, page.notes) for script, page in shown.items()}
    partial = ("before\n\nafter\n", {Note.BROWSER_TIMEOUT_DOM_PARTIAL})
    assert read == dict.fromkeys(ENDLESS, partial)


def test_questions_are_declined(internet):
    """Dialogs do not hold a page up, nor may it ask to stay."""
    internet.page("http://shop.example/next", "<p>the next page</p>")
    html = (
        "<main></main><script>alert(1); const said = [confirm('?'), prompt('?')];"
        "document.querySelector('main').append(said.join(' ')); print()</script>"
    )
    stay = "<script>onbeforeunload = e => { e.preventDefault(); return 'stay' }; location = '/next'</script>"
    rows = {"ask": {"url": "http://shop.example/ask", "html": html}, "stay": {"html": stay}}
    asked, left = (page.document.markdown for page in show_together(internet, rows).values())
    assert (asked, left) == ("false\n", "the next page\n")


@pytest.mark.parametrize("flagged", [True, False])
def test_pop_ups_are_closed(internet, monkeypatch, flagged):
    """Where the switch that forbids them is unknown, they are closed when they appear."""
    if not flagged:
        monkeypatch.setattr("fetcher.web.browser.command_line.ISOLATION", ("--incognito",))
    internet.page("http://shop.example/next", "<p>the next page</p>")
    html = "<p>the page</p><script>for (let i = 0; i < 3; i++) window.open('/next')</script>"
    assert show(internet, html).document.markdown == "the page\n"


GREEDY = [
    "const a = []; while (true) a.push(new Array(4e6).fill(0))",
    "const a = []; while (true) a.push(new Uint8Array(2e7).fill(1))",
    "const p = document.body; let s = 'x'.repeat(1e6); while (true) p.append(s + Math.random())",
]


def test_a_page_that_takes_memory_without_end_has_crashed(internet, monkeypatch):
    """The heap's own limit, or the watch over all processes, whichever is met first."""
    monkeypatch.setattr(launch, "MOST_MEMORY", 700 << 20)
    heap = tuple(flag.replace("=512", "=64") for flag in command_line.LIGHTWEIGHT)
    monkeypatch.setattr(command_line, "LIGHTWEIGHT", heap)
    rows = {
        script: {"url": f"http://shop.example/{number}", "html": f"<body><script>{script}</script>"}
        for number, script in enumerate(GREEDY)
    }
    shown = show_together(internet, rows)
    assert {script: type(error) for script, error in shown.items()} == dict.fromkeys(GREEDY, BrowserCrashed)


@pytest.mark.parametrize("role", ["--type=renderer", "--type=gpu-process", None])
def test_a_process_that_is_killed_has_its_code(internet, groups, role):
    """The page's process or the browser's own: `browser_crashed`; one that is started again: no matter."""
    gate = _held_at_a_gate(internet)

    async def story():
        engine = browser_engine(internet, browser={"network_idle_ms": 2000})
        fetch = asyncio.create_task(engine.fetch(PAGE, FORCED))
        assert await asyncio.to_thread(gate.wait_until_held, 1)
        [group] = groups
        chosen = [m.pid for m in group.members if role in _command(m.pid)] if role else [group.pid]
        assert chosen
        for pid in chosen:
            os.kill(pid, signal.SIGKILL)
        return await fetch

    if role == "--type=gpu-process":
        assert asyncio.run(story()).document.markdown == "here\n"
    else:
        with pytest.raises(BrowserCrashed):
            asyncio.run(story())


def _held_at_a_gate(internet):
    """A page that is shown and waits for something."""
    gate = Gate()
    internet.route(STALL, gate.before(answers.answer("x")))
    internet.page(PAGE, "<p>here</p><script>fetch('/stall')</script>")
    return gate


def _command(pid):
    return Path(f"/proc/{pid}/cmdline").read_text()


def test_a_server_that_never_answers_is_a_timeout(internet):
    """SRD FR-WF-TIMEOUT-02 for the top document."""
    internet.route(PAGE, misbehaviour.stall())
    with pytest.raises(Timeout):
        show(internet, wanted=fetch_options(force_browser=True, timeout_seconds=1))


def test_a_browser_that_does_not_start_in_time_is_a_timeout(internet, tmp_path):
    """The time for the page holds for its browser, too."""
    internet.page(PAGE, "x")
    slow = {"chromium_path": program(tmp_path, "time.sleep(60)")}
    with pytest.raises(Timeout) as late:
        show(internet, wanted=fetch_options(force_browser=True, timeout_seconds=0.3), browser=slow)
    assert late.value.details["phase"] == "browser"


def test_a_rendering_within_the_timeout_keeps_to_it(internet):
    """E1: a quick read is quick, whatever the page waits for."""
    internet.route(STALL, misbehaviour.stall())
    wanted = fetch_options(force_browser=True, timeout_seconds=12, render_seconds=0)
    page = show(internet, "<p>here</p><script>fetch('/stall')</script>", wanted=wanted)
    assert (page.document.markdown, page.notes) == ("here\n", {Note.BROWSER_TIMEOUT_DOM_PARTIAL})


def test_a_flood_of_requests_does_not_drown_us(internet, monkeypatch):
    """Requests beyond any page's need are not answered, and the page is read all the same."""
    monkeypatch.setattr("fetcher.web.browser.page_activity.MOST_REQUESTS", 20)
    html = "<p>here</p><script>for (let i = 0; i < 500; i++) fetch('/x' + i).catch(() => 0)</script>"
    assert show(internet, html).document.markdown == "here\n"
    assert len(internet.web.requests) <= 22  # robots.txt, the page, and what was admitted


def test_a_page_that_has_too_much_to_send_is_ended(internet, monkeypatch):
    """What a page would post is told with the request, and would all have to be kept."""
    monkeypatch.setattr("fetcher.web.browser.devtools_pipe.LONGEST_EVENT", 100_000)
    html = "<script>fetch('/x', {method: 'POST', body: 'x'.repeat(1e6)})</script>"
    with pytest.raises(BrowserCrashed) as ended:
        show(internet, html, browser={"max_rendered_dom_bytes": 1024})
    assert ended.value.details["error"] == "the page said too much at once"


def test_a_page_that_crashes_a_browser_nobody_asked_for_is_given_as_it_came(internet, monkeypatch):
    """SRD FR-WF-12d: the fetch has its page already."""
    monkeypatch.setattr("fetcher.web.browser.devtools_pipe.LONGEST_EVENT", 100_000)
    html = (
        '<div id="root">Please wait.</div>'
        "<script>fetch('/x', {method: 'POST', body: 'x'.repeat(1e6)})</script>"
    )
    page = show(internet, html, wanted=fetch_options(), browser={"max_rendered_dom_bytes": 1024})
    read = (page.document.markdown, page.notes)
    assert read == ("Please wait.\n", {Note.BROWSER_UNAVAILABLE_USED_HTTP})


def test_cancelling_a_fetch_ends_its_browser(internet):
    gate = _held_at_a_gate(internet)

    async def story():
        fetch = asyncio.create_task(browser_engine(internet).fetch(PAGE, FORCED))
        assert await asyncio.to_thread(gate.wait_until_held, 1)
        fetch.cancel()
        with pytest.raises(asyncio.CancelledError):
            await fetch

    asyncio.run(story())


def test_a_fault_of_ours_ends_the_rendering(internet, monkeypatch):
    """A bug in answering a request is raised, and does not hang the page until its time is up."""

    def broken(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(Interception, "_load", broken)
    with pytest.raises(ZeroDivisionError):
        show(internet, "<script>fetch('/x')</script>")


def test_reading_a_rendered_page_has_its_own_time(internet, monkeypatch):
    """What scripts have used up is not taken from reading; a page that cannot be read is said to be one."""
    monkeypatch.setattr("fetcher.web.browser_reader.RENDERED_READ_SECONDS", 0.05)
    wanted = fetch_options(force_browser=True, timeout_seconds=6, render_seconds=2)
    internet.route(STALL, misbehaviour.stall())
    with stopped_readers(), pytest.raises(FetchError) as refused:
        show(internet, "<script>fetch('/stall')</script>", wanted=wanted)
    assert isinstance(refused.value, ExtractionFailed)
