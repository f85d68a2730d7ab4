"""Searches with Brave: https://api-dashboard.search.brave.com/api-reference/web/search/get"""

import html
from collections.abc import Mapping
from dataclasses import replace

from fetcher.agent.web_search.contract import Found, results_from, unavailable
from fetcher.agent.web_search.json_api import request_json
from fetcher.settings import SearchLanguage

API_URL = "https://api.search.brave.com"
PLACES: Mapping[SearchLanguage, tuple[str, str]] = {
    "ja": ("jp", "JP"),  # Brave's own code of Japanese is the country's
    "en": ("en", "US"),
    "ko": ("ko", "KR"),
    "zh": ("zh-hans", "CN"),
}
"""`search_lang` and `country`."""


class BraveSearch:
    def __init__(self, key: str, *, base_url: str = "", proxies: bool = False) -> None:
        self._headers = {"Accept": "application/json", "X-Subscription-Token": key}
        self._url = f"{(base_url or API_URL).rstrip('/')}/res/v1/web/search"
        self._proxies = proxies

    async def search(self, query: str, language: SearchLanguage, most: int) -> Found:
        """The links for a query; raises ToolRefused."""
        search_lang, country = PLACES[language]
        wanted = {
            "q": query,
            "count": most,
            "search_lang": search_lang,
            "country": country,
            "result_filter": "web",
            "text_decorations": "false",
            "operators": "false",  # `site:` would let a page pick the host that is read next
        }
        reply = await request_json(
            "GET", self._url, headers=self._headers, proxies=self._proxies, params=wanted
        )
        if not isinstance(reply, Mapping):
            raise unavailable("the reply is not an object")
        web = reply.get("web")  # left out where nothing was found
        rows = web.get("results") if isinstance(web, Mapping) else [] if web is None else None
        results = results_from(rows, snippet="description")
        # Titles and descriptions come with HTML's escapes.
        plain = (
            replace(one, title=html.unescape(one.title), snippet=html.unescape(one.snippet))
            for one in results
        )
        return Found(results=tuple(plain))
