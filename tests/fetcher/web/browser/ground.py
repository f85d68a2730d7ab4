"""The engine with a real Chromium on the fake internet."""

import asyncio
import os
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest

from fetcher.settings import Settings
from fetcher.web.browser import binary
from fetcher.web.errors import BrowserUnavailable
from fetcher.web.pipeline import Pipeline, Want
from fetcher.web.values import FetchedPage
from tests.engine import want
from tests.fakes.clock import FakeClock
from tests.fakes.internet import FakeInternet
from tests.fakes.web import FakeWeb

PAGE = "http://shop.example/page"
FORCED = want(force_browser=True, timeout_seconds=20)


@cache
def chromium() -> str:
    """The Chromium to test with: `FETCHER_TEST_CHROMIUM_PATH`, or the one that is found."""
    try:
        return binary.find(os.environ.get("FETCHER_TEST_CHROMIUM_PATH", ""))
    except BrowserUnavailable as missing:
        return pytest.skip(f"no Chromium: {missing.details['error']}")


def browser_engine(
    internet: FakeInternet, *, browser: dict[str, Any] | None = None, **settings: Any
) -> Pipeline:
    """A pipeline that renders, without a cache unless a directory is given."""
    chosen = {"chromium_path": chromium()} if "chromium_path" not in (browser or {}) else {}
    web = {"cache_dir": "", "browser": {**chosen, **(browser or {})}, **settings}
    return Pipeline(
        Settings.model_validate({"webfetch": web}),
        resolver=internet.resolver,
        dialer=internet.dialer,
        ssl_context=internet.ssl_context,
        clock=FakeClock(),
    )


def show_all(
    web: FakeWeb, documents: Mapping[str, str], prepare: Callable[[FakeInternet], None]
) -> dict[str, FetchedPage]:
    """Several pages of one site side by side: a browser waits most of its time."""
    urls = {name: f"http://shop.example/{number}" for number, name in enumerate(documents)}
    with FakeInternet(web) as internet, pytest.MonkeyPatch.context() as patch:
        patch.setattr("fetcher.web.browser.renderer.MOST_BROWSERS", 4)
        prepare(internet)
        for name, html in documents.items():
            internet.page(urls[name], html)

        async def story() -> list[FetchedPage]:
            engine = browser_engine(internet)
            patient = want(force_browser=True, timeout_seconds=60)  # most of them wait for their turn
            return await asyncio.gather(*(engine.fetch(url, patient) for url in urls.values()))

        try:
            pages = asyncio.run(story())
            assert internet.dialer.forbidden == []
        finally:
            web.reset()
    return dict(zip(documents, pages, strict=True))


def show(
    internet: FakeInternet, html: str | None = None, url: str = PAGE, wanted: Want = FORCED, **options: Any
) -> FetchedPage:
    """A page in the browser, put on the internet first if its HTML is given."""
    if html is not None:
        internet.page(url, html)
    return asyncio.run(browser_engine(internet, **options).fetch(url, wanted))
