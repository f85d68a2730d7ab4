"""Nobody is held up: while a hostile page is read, the loop keeps its time and a second user is answered."""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.errors import ReadingFailed
from fetcher.web.net.media_types import Accept
from tests.engine import engine, fetch_options
from tests.fakes import answers
from tests.fetcher.web.reading import test_html_limits
from tests.fetcher.web.reading.markdown import test_writer

HOSTILE_URL, USUAL_URL = "http://hostile.example/", "http://usual.example/"
USUAL = "<title>t</title><main><h1>水車</h1>" + "<p>川のほとりの町に、古い水車小屋がありました。</p>" * 20
MOST_LATE = 1.0
"""Seconds. `bench/` measures exactly; a test machine has other things to do, too."""
TICK, BETWEEN_PAGES = 0.01, 0.1

NESTED_SPANS = "".join(f"<tr><td colspan=1000 rowspan=65534>{'x' * 50}" for _ in range(200))
PAGES = {
    "spaces behind a type": '<script>"@type":' + " " * 200_000 + "</script><p>text",
    "types and spaces": "<script>" + ('"@type":' + " " * 2_000) * 100 + "</script><p>text",
    "spans": f"<table>{NESTED_SPANS}</table>",
    "wide spans": "<table>" + "<tr>" + "<td colspan=1000 rowspan=0>" * 600 + "</table>",
    "many tables of spans": "<table><tr><td colspan=1000 rowspan=1000>x<td>y<tr><td>z</table>" * 1_000,
    "tags without an end": "<a b" * 125_000,
    "attributes without an end": '<a b="' * 80_000,
    "comments without an end": "<!--" * 125_000,
    "brackets of Markdown": "<p>" + "[" * 500_000,
    "a long base and many links": f"<base href='http://x.example/{'y' * 8000}/'>"
    + "<a href=z>t</a>" * 30_000,
    "a base of megabytes": f"<base href='http://x.example/{'y' * 3_000_000}/'>" + "<a href=z>t</a>" * 30_000,
    "a charset declared for ever": "<meta charset" + " " * 500_000 + "=",
    "an XML declaration without an end": "<?xml " + "encoding" * 60_000,
    "entities": "<p>" + "&amp" * 500_000,
    "a title without an end": "<title>" + "x " * 1_000_000,
}
TEXTS = {
    "brackets": ("text/plain", "[" * 60_000),
    "a fence for ever": ("text/plain", "`" * 1_000_000),
    "blank lines": ("text/plain", " \n" * 1_000_000),
    "carriage returns": ("text/plain", "\r" * 3_000_000),
    "XHTML without an end": ("application/xhtml+xml", "<a b='/>" * 200_000),
    "nested JSON": ("application/json", "[" * 1_000_000),
    "XML without an end": ("text/xml", "<?xml " + " " * 1_000_000),
    "broken Japanese": ("text/plain; charset=euc-jp", "\x8f\x8e" * 1_000_000),
    "escapes": ("text/plain; charset=iso-2022-jp", "\x1b$B" * 500_000),
}
ROWS = {
    **{
        f"html: {name}": ("text/html; charset=utf-8", html) for name, html in test_html_limits.HOSTILE.items()
    },
    **{f"markdown: {name}": ("text/html; charset=utf-8", html) for name, html in test_writer.HOSTILE.items()},
    **{f"page: {name}": ("text/html; charset=utf-8", html) for name, html in PAGES.items()},
    **{f"text: {name}": row for name, row in TEXTS.items()},
}


@dataclass
class Watch:
    """How late the loop was at worst, and when the second user asked and was answered."""

    late: float = 0.0
    asked: float = 0.0
    answered: float = 0.0
    hostile_over: float = 0.0


@pytest.mark.parametrize("name", ROWS)
def test_a_hostile_page_holds_nobody_up(internet, name):
    """The page is read or refused; meanwhile nothing of this process waits for it."""
    content_type, text = ROWS[name]
    body = text.encode("latin-1" if text.isascii() else "utf-8", "ignore")[: test_html_limits.LIMIT]
    internet.route(HOSTILE_URL, answers.answer(body, headers={"Content-Type": content_type}))
    internet.page(USUAL_URL, USUAL)
    watch = asyncio.run(_watched(engine(internet)))
    assert watch.late < MOST_LATE
    assert watch.answered < watch.hostile_over or watch.answered - watch.asked < MOST_LATE


async def _watched(pipeline):
    wanted = fetch_options(mode=ReadingMode.ARTICLE, accept=Accept.ALL_KINDS, timeout_seconds=15)
    await pipeline.fetch(USUAL_URL, wanted)  # robots.txt is known, the readers run
    watch = Watch()
    ticking = asyncio.ensure_future(_tick(watch))
    hostile = asyncio.ensure_future(_hostile(pipeline, wanted, watch))
    while not hostile.done():
        asked = time.monotonic()
        page = await pipeline.fetch(USUAL_URL, wanted)
        assert page.document.title == "t"
        if not watch.asked or time.monotonic() - asked > watch.answered - watch.asked:
            watch.asked, watch.answered = asked, time.monotonic()
        await asyncio.sleep(BETWEEN_PAGES)
    await hostile
    ticking.cancel()
    return watch


async def _hostile(pipeline, wanted, watch):
    with suppress(ReadingFailed):
        await pipeline.fetch(HOSTILE_URL, wanted)
    watch.hostile_over = time.monotonic()


async def _tick(watch):
    while True:
        due = time.monotonic() + TICK
        await asyncio.sleep(TICK)
        watch.late = max(watch.late, time.monotonic() - due)
