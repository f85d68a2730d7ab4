"""The engine on the fake internet, in one call."""

import asyncio
from collections.abc import Mapping
from typing import Any

from fetcher.codes import ReadingMode
from fetcher.settings import Settings
from fetcher.web.browser_reader import Rendered, Renderer
from fetcher.web.errors import BrowserUnavailable
from fetcher.web.fetch_job import FetchOptions
from fetcher.web.net.deadline import Deadline
from fetcher.web.net.hops import PinnedGuard, RecordResponse, RequirePermission
from fetcher.web.net.media_types import Accept
from fetcher.web.pipeline import Pipeline
from fetcher.web.search.tasks import Digest, DigestPage
from fetcher.web.values import CanonicalUrl, FetchedPage
from tests.fakes.clock import FakeClock
from tests.fakes.internet import FakeInternet


class NoRenderer:
    """No browser on this machine."""

    async def render(
        self,
        url: CanonicalUrl,
        require_permission: RequirePermission,
        *,
        guard: PinnedGuard,
        document: Deadline,
        whole: Deadline,
        mode: ReadingMode,
        record_response: RecordResponse,
    ) -> Rendered:
        raise BrowserUnavailable(chromium_path="", error="browser rendering is not installed")


def engine(
    internet: FakeInternet,
    *,
    clock: FakeClock | None = None,
    renderer: Renderer | None = None,
    tools: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Pipeline:
    """A pipeline whose web is the fake internet; caches only where a directory is given.

    It has no browser unless one is given: `tests/fetcher/web/browser/` has the real one.
    """
    return Pipeline(
        Settings.model_validate(
            {**(tools or {}), "webfetch": {"cache_dir": "", "enabled": True, **settings}}
        ),
        resolver=internet.resolver,
        dialer=internet.dialer,
        ssl_context=internet.ssl_context,
        clock=clock or FakeClock(),
        renderer=renderer or NoRenderer(),
    )


async def digest(page: FetchedPage, question: str, max_tokens: int) -> Digest:
    """What a reader process makes of a page for an answer without a model, made here."""
    return DigestPage(question=question, max_tokens=max_tokens).run(page.document)


def fetch_options(**changes: Any) -> FetchOptions:
    """The options of `web_fetch`, with changes."""
    usual: dict[str, Any] = {
        "mode": ReadingMode.SRD,
        "timeout_seconds": 10,
        "max_bytes": 5 * 1024 * 1024,
        "accept": Accept.WEB_FETCH,
    }
    return FetchOptions(**(usual | changes))


def fetch(
    internet: FakeInternet, url: str, *, wanted: FetchOptions | None = None, **options: Any
) -> FetchedPage:
    """One page, fetched by an engine of its own."""
    return asyncio.run(engine(internet, **options).fetch(url, wanted or fetch_options()))
