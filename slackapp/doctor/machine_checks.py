"""What the app needs besides Slack: its store, its model, the way to pages, searches of the web."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from uuid import uuid4

from fetcher import configuration, sample
from fetcher.agent import load_remote
from fetcher.agent.errors import ModelFailed, ModelRejected, ToolRefused
from fetcher.agent.model.claude import open_model
from fetcher.agent.model.contract import ModelCall
from fetcher.agent.web_search.opening import open_search
from fetcher.codes import AgentCode
from fetcher.settings import Settings
from fetcher.web.errors import FetchError
from fetcher.web.net.network import Dialer, Resolver
from fetcher.web.pipeline import Pipeline
from fetcher.web.sandbox.pool import START_SECONDS
from fetcher.web.sandbox.process import ReaderProcess
from fetcher.web.tool import WebFetchTool
from slackapp.commands.terminal import own_command
from slackapp.doctor.findings import Examination, Finding, bad, good, hint, skipped
from slackapp.guard.effective_policy import effective_policy
from slackapp.run.health import model_of
from slackapp.run.socket_mode import store_place
from slackapp.stores.contract import StoreError, StoreMismatch, StoreUnavailable
from slackapp.stores.opening import open_store
from slackapp.stores.store import Store

KEPT_SECONDS = 60.0
"""How long the rows of a round trip are kept."""
LONGEST_SECONDS = 20.0
CALL = ModelCall(system=(), tools=(), messages=({"role": "user", "content": "ping"},), max_tokens=256)
"""A word, and few tokens for the answer: a fraction of a yen."""
MODEL_ADVICE = {
    "401": "The key is wrong: copy it again from console.anthropic.com into ANTHROPIC_API_KEY.",
    "402": "The account has no credit: look at Billing at console.anthropic.com.",
    "403": "The key or the AWS identity may not use this model.",
    "404": "No model has this name: check ANTHROPIC_MODEL or BEDROCK_MODEL_ID.",
    "429": "The account's limit is reached: wait, or raise it.",
}
PAGE = "https://example.com/"
"""A page that exists for tests like this one (RFC 2606)."""
QUERY = "Wikipedia"
"""A word that says nothing of this installation, and that every provider finds."""
SEARCH_ADVICE = {
    AgentCode.SEARCH_REJECTED: "Check SEARCH_API_KEY, SEARCH_BASE_URL and the limits of the account.",
    AgentCode.SEARCH_UNAVAILABLE: "Check the network and the provider's limits; behind a proxy, set "
    "WEBFETCH_HTTP__USE_SYSTEM_PROXY=true.",
}


def check_store(examination: Examination) -> Iterator[Finding]:
    """Whether the store opens, has its tables, and returns what was written."""
    place = store_place(examination.settings)
    try:
        with closing(open_store(examination.settings, examination.environ)) as store:
            _make_round_trip(store, examination.clock.now().timestamp())
            examination.policy = effective_policy(store, examination.settings)
    except StoreError as error:
        advice = "Check that the disk has room, and that the file and its directory belong to this user."
        if examination.settings.store_kind == "dynamodb":
            advice = f"Run: {own_command('tables create')}. If that fails too, check region and credentials."
        if isinstance(error, StoreMismatch):
            advice = "Name a place of the app's own: SQLITE_PATH, or DYNAMODB_TABLE_PREFIX. Nothing changed."
        yield bad(f"the store ({place}) cannot be used: {error}", advice)
    else:
        yield good(f"the store ({place}) has its tables, and returns what was written")


def _make_round_trip(store: Store, now: float) -> None:
    """Write rows, and read one; raises StoreError."""
    name, until = f"doctor:{uuid4().hex}", now + KEPT_SECONDS
    store.cache_values({name: name}, expires_at=until)
    store.add_usage(name, 1, limit=None, expires_at=until)
    if store.cached_values({name}, now=now) != {name: name}:
        raise StoreUnavailable("it does not return what was written")


def check_model(examination: Examination) -> Iterator[Finding]:
    """One call with the settings of every other call; it is not tried again."""
    environ = examination.environ
    if load_remote(environ).agent_remote:
        yield skipped("model: the agent on AgentCore answers; ask it a question to see whether it works")
        return
    settings = configuration.load_agent(environ)
    seconds = min(settings.model_timeout_seconds, LONGEST_SECONDS)
    quick = settings.model_copy(update={"model_timeout_seconds": seconds, "model_max_retries": 0})
    if (model := open_model(quick)) is None:
        advice = "Set ANTHROPIC_API_KEY (or BEDROCK_MODEL_ID) to let Claude answer."
        yield hint("no model is set: the offline reader answers", advice)
        return

    async def call() -> None:
        try:
            async with asyncio.timeout(2 * seconds):
                await model.turn(CALL, lambda _: None)
        finally:
            await model.aclose()

    try:
        asyncio.run(call())
    except (ModelRejected, ModelFailed, TimeoutError) as error:
        reason = getattr(error, "message", "no answer")
        other = "Check the network, HTTPS_PROXY, status.claude.com and the settings (docs/settings.md)."
        yield bad(f"{model_of(environ)} does not answer: {reason}", MODEL_ADVICE.get(reason[:3], other))
    else:
        yield good(f"{model_of(environ)} answers")


def check_pages(examination: Examination) -> Iterator[Finding]:
    """Read a page of the sample web, which needs no network, with and without a browser; and a public one."""
    settings = configuration.load_unattended(examination.environ)
    if settings.switched_off_by:
        yield skipped(f"reading pages is switched off by {settings.switched_off_by}")
        return
    with sample.SampleSite() as site:
        network = sample.SampleNetwork(site.port)
        if failure := _read(settings, sample.URL, network, network):
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
        elif failure := _read(settings, sample.URL, network, network, browser=True):
            why = str(failure.details.get("error") or failure.code)
            advice = "Pages that need scripts are not read. docs/browser.md says how to get Chromium."
            yield hint(f"Chromium cannot show a page: {why}", advice)
        else:
            yield good("Chromium starts, and shows a page")
    proxy, uses_proxy = examination.proxy(), settings.webfetch.http.use_system_proxy
    if failure := _read(settings, PAGE, examination.resolver, examination.dialer):
        advice = "Check DNS, the firewall and the proxy: outgoing HTTP and HTTPS must be allowed."
        yield bad(f"{PAGE} cannot be read: {failure.code}", advice)
    else:
        yield good(f"{PAGE} can be read" + (f", through the proxy {proxy}" if proxy and uses_proxy else ""))
    if proxy and not uses_proxy:
        advice = "If pages must go through it too, set WEBFETCH_HTTP__USE_SYSTEM_PROXY=true."
        yield hint(f"calls of Slack go through the proxy {proxy}, pages do not", advice)


def _read(
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


def check_search(examination: Examination) -> Iterator[Finding]:
    """One search with the settings of every other search; the account pays for it."""
    settings, web = (
        configuration.load_agent(examination.environ),
        configuration.load_unattended(examination.environ),
    )
    search = open_search(settings, proxies=web.webfetch.http.use_system_proxy)
    if search is None or load_remote(examination.environ).agent_remote:
        return
    name = settings.search_provider
    if not examination.online:
        yield skipped(f"{name}: --online searches the web once")
        return
    try:
        found = asyncio.run(search.search(QUERY, settings.search_languages[0], settings.search_results))
    except ToolRefused as error:
        yield bad(f"{name}: {error.message}", SEARCH_ADVICE[error.code])
        return
    if found.results:
        yield good(f"{name} finds pages")
    else:
        yield hint(f"{name} answers, and finds nothing for {QUERY}", "Check SEARCH_LANGUAGES.")
