"""`--online`: one search of the web, by the provider that the settings choose."""

import asyncio
from collections.abc import Iterator

from fetcher import configuration
from fetcher.agent import load_remote
from fetcher.agent.errors import ToolRefused
from fetcher.agent.web_search.opening import open_search
from fetcher.codes import AgentCode
from slackapp.doctor.findings import Examination, Finding, bad, good, hint, skipped

QUERY = "Wikipedia"
"""A word that says nothing of this installation, and that every provider finds."""
ADVICE = {
    AgentCode.SEARCH_REJECTED: "Check SEARCH_API_KEY, SEARCH_BASE_URL and the limits of the account.",
    AgentCode.SEARCH_UNAVAILABLE: "Check the network and the provider's limits; behind a proxy, set "
    "WEBFETCH_HTTP__USE_SYSTEM_PROXY=true.",
}


def check_search(examination: Examination) -> Iterator[Finding]:
    """One search with the settings of every other search; the account pays for it."""
    environ = examination.environ
    settings, web = configuration.load_agent(environ), configuration.load(environ)
    search = open_search(settings, proxies=web.webfetch.http.use_system_proxy)
    if search is None:
        yield skipped("searches of the web: SEARCH_PROVIDER is not set")
        return
    if load_remote(environ).agent_remote:
        yield skipped("searches of the web: the agent on AgentCore has settings of its own")
        return
    name = settings.search_provider
    try:
        found = asyncio.run(search.search(QUERY, settings.search_languages[0], settings.search_results))
    except ToolRefused as error:
        yield bad(f"{name}: {error.message}", ADVICE[error.code])
        return
    if found.results:
        yield good(f"{name} finds pages")
    else:
        yield hint(f"{name} answers, and finds nothing for {QUERY}", "Check SEARCH_LANGUAGES.")
