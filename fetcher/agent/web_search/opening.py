"""The provider of searches that the settings choose."""

from fetcher.agent.web_search.brave import BraveSearch
from fetcher.agent.web_search.claude import ClaudeSearch
from fetcher.agent.web_search.contract import WebSearch
from fetcher.agent.web_search.tavily import TavilySearch
from fetcher.settings import AgentSettings


def open_search(settings: AgentSettings, *, proxies: bool) -> WebSearch | None:
    """The provider, or None if the settings choose none; it connects for each search."""
    key, base_url = settings.search_api_key.get_secret_value(), settings.search_base_url
    match settings.search_provider:
        case "brave":
            return BraveSearch(key, base_url=base_url, proxies=proxies)
        case "tavily":
            return TavilySearch(key, base_url=base_url, proxies=proxies)
        case "anthropic":
            return ClaudeSearch(settings)
        case "":
            return None
