"""The engine with a real Chromium on the fake internet."""

import asyncio
import os
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest

from fetcher.settings import Settings
from fetcher.web.browser import command_line
from fetcher.web.errors import BrowserUnavailable, FetchError
from fetcher.web.fetch_job import FetchOptions
from fetcher.web.pipeline import Pipeline
from fetcher.web.values import FetchedPage
from tests.engine import fetch_options
from tests.fakes.clock import FakeClock
from tests.fakes.internet import FakeInternet
from tests.fakes.web import FakeWeb

SHOP = "http://shop.example"
PAGE = f"{SHOP}/page"
JAVASCRIPT = {"Content-Type": "text/javascript; charset=utf-8"}
JSON = {"Content-Type": "application/json"}
BRIEF = {"network_idle_ms": 1000}
FORCED = fetch_options(force_browser=True, timeout_seconds=20)
MOST_TOGETHER = 4


@cache
def chromium() -> str:
    """The Chromium to test with: the one that the SRD's variable or ours names, or one that is found."""
    named = (os.environ.get(name) for name in ("FORGE_TEST_CHROMIUM_PATH", "FETCHER_TEST_CHROMIUM_PATH"))
    try:
        return command_line.find(next(filter(None, named), ""))
    except BrowserUnavailable as missing:
        return pytest.skip(f"no Chromium: {missing.details['error']}")


def text_of(page: FetchedPage) -> str:
    return page.document.markdown


def that_shows(path: str) -> str:
    """A page that loads a text and shows it."""
    return (
        f"<main></main><script>fetch('{path}').then(r => r.text())"
        ".then(text => document.querySelector('main').append(text))</script>"
    )


def browser_engine(
    internet: FakeInternet, *, browser: dict[str, Any] | None = None, **settings: Any
) -> Pipeline:
    """A pipeline that renders, without a cache unless a directory is given."""
    chosen = {"chromium_path": chromium()} if "chromium_path" not in (browser or {}) else {}
    web = {"cache_dir": "", "browser": {**chosen, **(browser or {})}, **settings}
    return Pipeline(
        Settings.model_validate({"webfetch": {"enabled": True, **web}}),
        resolver=internet.resolver,
        dialer=internet.dialer,
        ssl_context=internet.ssl_context,
        clock=FakeClock(),
    )


def show(
    internet: FakeInternet,
    html: str | None = None,
    url: str = PAGE,
    wanted: FetchOptions = FORCED,
    **options: Any,
) -> FetchedPage:
    """A page in the browser, put on the internet first if its HTML is given."""
    row = {"html": html, "url": url, "wanted": wanted, **options}
    [shown] = show_together(internet, {url: row}).values()
    if isinstance(shown, FetchError):
        raise shown
    assert isinstance(shown, FetchedPage)
    return shown


def show_together(internet: FakeInternet, rows: Mapping[Any, Mapping[str, Any]]) -> dict[Any, Any]:
    """The page, or the error, that `show` makes of each row: side by side, for a browser mostly waits."""
    places = asyncio.Semaphore(MOST_TOGETHER)

    async def shown(
        *, url: str = PAGE, wanted: FetchOptions = FORCED, html: Any = None, **options: Any
    ) -> Any:
        async with places:
            try:
                return await browser_engine(internet, **options).fetch(url, wanted)
            except FetchError as error:
                return error

    async def story() -> list[Any]:
        return await asyncio.gather(*(shown(**row) for row in rows.values()))

    for row in rows.values():
        if row.get("html") is not None:
            internet.page(row.get("url", PAGE), row["html"])
    return dict(zip(rows, asyncio.run(story()), strict=True))


def show_all(
    web: FakeWeb, documents: Mapping[str, str], prepare: Callable[[FakeInternet], None]
) -> dict[str, FetchedPage]:
    """Several pages of one site, for tests that share them."""
    rows = {
        name: {"url": f"http://shop.example/{number}", "html": html}
        for number, (name, html) in enumerate(documents.items())
    }
    with FakeInternet(web) as internet:
        prepare(internet)
        try:
            shown = show_together(internet, rows)
            assert internet.dialer.forbidden == []
        finally:
            web.reset()
    return shown
