"""How pages are read: reader processes, Chromium, the way to the web, proxies."""

import asyncio
from collections.abc import Iterator
from contextlib import closing

from fetcher import configuration, sample
from fetcher.settings import Settings
from fetcher.web.errors import FetchError
from fetcher.web.net.network import Dialer, Resolver
from fetcher.web.pipeline import Pipeline
from fetcher.web.sandbox.pool import START_SECONDS
from fetcher.web.sandbox.process import ReaderProcess
from fetcher.web.tool import WebFetchTool
from slackapp.doctor.findings import Examination, Finding, bad, good, hint, skipped
from slackapp.doctor.slack_failures import shown_proxy

PAGE = "https://example.com/"
"""A page that exists for tests like this one (RFC 2606)."""
BROWSER = "browser_unavailable"


def check_readers(examination: Examination) -> Iterator[Finding]:
    """Read a page of the sample web, which needs no network, with and without a browser."""
    settings = configuration.load(examination.environ)
    if settings.switched_off_by:
        yield skipped(f"reading pages is switched off by {settings.switched_off_by}")
        return
    with sample.SampleSite() as site:
        network = sample.SampleNetwork(site.port)
        if failure := read(settings, sample.URL, network, network):
            advice = "Try a larger WEBFETCH_READER__MEMORY_MB, and report it with this output."
            yield bad(f"reader processes cannot read a page: {failure.code}", advice)
            return
        yield good("reader processes start, and read a page")
        with closing(ReaderProcess(settings.webfetch.reader.memory_mb)) as reader:
            reader.wait_until_ready(START_SECONDS)
            if not reader.is_filtered:
                advice = "Allow seccomp filters (prctl) on this machine or in its container; see SECURITY.md."
                yield hint("the kernel does not filter the system calls of reader processes", advice)
        if not settings.webfetch.browser.enabled:
            yield skipped("Chromium: WEBFETCH_BROWSER__ENABLED is false")
        elif failure := read(settings, sample.URL, network, network, browser=True):
            why = str(failure.details.get("error") or failure.code)
            advice = "Pages that need scripts are not read. docs/browser.md says how to get Chromium."
            yield hint(f"Chromium cannot show a page: {why}", advice)
        else:
            yield good("Chromium starts, and shows a page")


def check_web(examination: Examination) -> Iterator[Finding]:
    """Read a public page, as the agent does."""
    settings = configuration.load(examination.environ)
    if settings.switched_off_by:
        return
    proxy = shown_proxy(examination.client().proxy)
    uses_proxy = settings.webfetch.http.use_system_proxy
    if failure := read(settings, PAGE, examination.resolver, examination.dialer):
        advice = "Check DNS, the firewall and the proxy: outgoing HTTP and HTTPS must be allowed."
        if proxy and not uses_proxy:
            advice += " If pages must go through the proxy, set WEBFETCH_HTTP__USE_SYSTEM_PROXY=true."
        yield bad(f"{PAGE} cannot be read: {failure.code}", advice)
    else:
        yield good(f"{PAGE} can be read" + (f", through the proxy {proxy}" if proxy and uses_proxy else ""))
    if proxy:
        yield good(f"calls of Slack go through the proxy {proxy}")
        if not uses_proxy:
            yield hint(
                "pages are read without the proxy",
                "If they must go through it too, set WEBFETCH_HTTP__USE_SYSTEM_PROXY=true.",
            )


def read(
    settings: Settings, url: str, resolver: Resolver | None, dialer: Dialer | None, *, browser: bool = False
) -> FetchError | None:
    """Read a page without the cache; the failure, if any."""
    uncached = settings.model_copy(
        update={"webfetch": settings.webfetch.model_copy(update={"cache_dir": ""})}
    )
    tool = WebFetchTool(uncached, Pipeline(uncached, resolver=resolver, dialer=dialer))
    try:
        asyncio.run(tool.execute({"url": url, "no_cache": True, "force_browser": browser}))
    except FetchError as error:
        return error
    return None
