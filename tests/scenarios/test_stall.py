"""Nobody is held up: a hostile page is read in a process of its own, and a second user is answered."""

import asyncio
from contextlib import suppress
from unittest.mock import Mock

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.errors import ReadingFailed
from fetcher.web.net.media_types import Accept
from tests.engine import engine, fetch_options
from tests.fakes import answers
from tests.fetcher.web.reading.test_html_limits import LIMIT

HOSTILE_URL, USUAL_URL = "http://hostile.example/", "http://usual.example/"
USUAL = "<title>t</title><main><h1>水車</h1>" + "<p>川のほとりの町に、古い水車小屋がありました。</p>" * 20

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
    **{f"page: {name}": ("text/html; charset=utf-8", html) for name, html in PAGES.items()},
    **{f"text: {name}": row for name, row in TEXTS.items()},
}


@pytest.mark.parametrize("name", ROWS)
def test_a_hostile_page_holds_nobody_up(internet, name, monkeypatch):
    """This process reads nothing of it, and a second user is answered; `bench/` measures how soon."""
    content_type, text = ROWS[name]
    body = text.encode("latin-1" if text.isascii() else "utf-8", "ignore")[:LIMIT]
    internet.route(HOSTILE_URL, answers.answer(body, headers={"Content-Type": content_type}))
    internet.page(USUAL_URL, USUAL)
    monkeypatch.setattr("fetcher.web.reading.readers.read", Mock(side_effect=AssertionError("read here")))
    wanted = fetch_options(mode=ReadingMode.ARTICLE, accept=Accept.ALL_KINDS, timeout_seconds=60)

    async def story():
        pipeline = engine(internet)
        hostile = asyncio.ensure_future(pipeline.fetch(HOSTILE_URL, wanted))
        usual = await pipeline.fetch(USUAL_URL, wanted)
        with suppress(ReadingFailed):
            await hostile
        return usual.document.title

    assert asyncio.run(story()) == "t"
