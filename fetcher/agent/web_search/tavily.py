"""Searches with Tavily: https://docs.tavily.com/documentation/api-reference/endpoint/search"""

from collections.abc import Mapping

from fetcher.agent.web_search.contract import Found, results_from, unavailable
from fetcher.agent.web_search.json_api import request_json
from fetcher.settings import SearchLanguage

API_URL = "https://api.tavily.com"
COUNTRIES: Mapping[SearchLanguage, str] = {
    "ja": "japan",
    "en": "united states",
    "ko": "south korea",
    "zh": "china",
}
"""Tavily has no languages: results of a country come first."""


class TavilySearch:
    def __init__(self, key: str, *, base_url: str = "", proxies: bool = False) -> None:
        self._headers = {"Accept": "application/json", "Authorization": f"Bearer {key}"}
        self._url = f"{(base_url or API_URL).rstrip('/')}/search"
        self._proxies = proxies

    async def search(self, query: str, language: SearchLanguage, most: int) -> Found:
        """The links for a query; raises ToolRefused."""
        wanted = {
            "query": query,
            "max_results": most,
            "search_depth": "basic",
            "topic": "general",
            "country": COUNTRIES[language],
        }
        reply = await request_json(
            "POST", self._url, headers=self._headers, proxies=self._proxies, json=wanted
        )
        if not isinstance(reply, Mapping):
            raise unavailable("the reply is not an object")
        return Found(results=results_from(reply.get("results"), snippet="content"))
