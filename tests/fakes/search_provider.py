"""A server on loopback that speaks Brave's and Tavily's search APIs, with their faults.

Authorities. Brave: the API reference (`api-dashboard.search.brave.com/api-reference`) for names, bounds
and values of parameters and the errors 404, 422 and 429; `src/tools/web/params.ts` and `types.ts` of
brave/brave-search-mcp-server for languages, countries and the reply. A wrong key is 422, not 401. Tavily: the
page of the endpoint `/search`, and `tavily/async_tavily.py` of tavily-ai/tavily-python for fields and errors.

What was not seen: that `operators` holds for web searches too is taken from the reference of Brave's other
searches. That Brave leaves `web` out where nothing was found follows from its type. That its titles come with
HTML's escapes, and Tavily's names of Korea and China, rest on memory (docs/playground.md has the whole list).
"""

import json
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.fakes.answers import Request, Script, answer
from tests.fakes.http_request import HttpRequest
from tests.fakes.scripted import ScriptedServer

KEY = "search-key"
BRAVE_LANGUAGES = {"jp", "en", "en-gb", "ko", "zh-hans", "zh-hant", "fr", "de"}
BRAVE_COUNTRIES = {"JP", "US", "GB", "KR", "CN", "TW", "FR", "DE", "ALL"}
BRAVE_SWITCHES = {"text_decorations", "operators", "spellcheck"}
BRAVE_FIELDS = {"q", "count", "search_lang", "country", "result_filter", *BRAVE_SWITCHES}
TAVILY_FIELDS = {"query", "max_results", "search_depth", "topic", "country"}
TAVILY_COUNTRIES = {"japan", "united states", "south korea", "china"}
Row = tuple[str, str, str]
"""URL, title and snippet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """One search as it arrived."""

    request: HttpRequest
    query: str
    fields: dict[str, Any]

    @property
    def is_brave(self) -> bool:
        return self.request.method == "GET"


class FakeSearchProvider(ScriptedServer[Searched, Script]):
    """Both providers; they find `pages` for every query unless a script says otherwise."""

    def __init__(self) -> None:
        self.pages: list[Row] = []
        super().__init__(self.pages)

    @property
    def queries(self) -> list[str]:
        return [searched.query for searched in self.requests]

    def _understood(self, request: HttpRequest) -> Searched:
        if request.method == "GET":
            fields = {name: values[0] for name, values in parse_qs(urlsplit(request.target).query).items()}
            return Searched(request=request, query=fields.get("q", ""), fields=fields)
        body = json.loads(request.body)
        return Searched(request=request, query=body.get("query", ""), fields=body)

    def _answer(self, asked: Searched) -> AsyncGenerator[bytes, None]:
        script = self._turns.popleft() if self._turns else self._reply(asked)
        return script(
            Request(method=asked.request.method, scheme="http", host="", target="", headers=(), peer=("", 0))
        )

    def _reply(self, asked: Searched) -> Script:
        headers = asked.request.headers
        if asked.is_brave and headers.get("x-subscription-token") != KEY:
            return brave_error(422, "SUBSCRIPTION_TOKEN_INVALID")
        if not asked.is_brave and headers.get("authorization") != f"Bearer {KEY}":
            return tavily_error(401, "Unauthorized: missing or invalid API key.")
        if complaint := next((_brave if asked.is_brave else _tavily)(asked), ""):
            self.refusals.append(complaint)
            return brave_error(422, "VALIDATION") if asked.is_brave else tavily_error(400, complaint)
        return (brave_found if asked.is_brave else tavily_found)(self.pages)


def _brave(asked: Searched) -> Iterator[str]:
    fields = asked.fields
    if not asked.request.target.startswith("/res/v1/web/search?"):
        yield "no such endpoint"
    if not 1 <= len(asked.query) <= 400 or len(asked.query.split()) > 50:
        yield "q: 1 to 400 characters, and 50 words"
    if not 1 <= int(fields.get("count", 20)) <= 20:
        yield "count: 1 to 20"
    if fields.get("search_lang", "en") not in BRAVE_LANGUAGES:
        yield "search_lang: not one of the languages"
    if fields.get("country", "US") not in BRAVE_COUNTRIES:
        yield "country: not one of the countries"
    if unknown := fields.keys() - BRAVE_FIELDS:
        yield f"unknown: {sorted(unknown)}"
    if any(fields.get(name, "true") not in ("true", "false") for name in BRAVE_SWITCHES):
        yield "a switch is true or false"


def _tavily(asked: Searched) -> Iterator[str]:
    fields = asked.fields
    if asked.request.target != "/search" or asked.request.headers.get("content-type") != "application/json":
        yield "no such endpoint, or no JSON"
    if not asked.query or len(asked.query) > 400:
        yield "query: 1 to 400 characters"
    if not isinstance(most := fields.get("max_results", 5), int) or not 0 <= most <= 20:
        yield "max_results: 0 to 20"
    if fields.get("search_depth", "basic") not in ("basic", "advanced", "fast", "ultra-fast"):
        yield "search_depth: not one of the depths"
    if fields.get("country", "japan") not in TAVILY_COUNTRIES or fields.get("topic", "general") != "general":
        yield "country: available for the topic general, by its English name"
    if unknown := fields.keys() - TAVILY_FIELDS:
        yield f"unknown: {sorted(unknown)}"


def brave_found(rows: list[Row]) -> Script:
    found = [
        {"type": "search_result", "subtype": "generic", "url": url, "title": title, "description": text}
        for url, title, text in rows
    ]
    web = {"web": {"type": "search", "results": found, "family_friendly": True}} if found else {}
    return as_json({"type": "search", "query": {"original": "", "more_results_available": False}, **web})


def tavily_found(rows: list[Row]) -> Script:
    found = [{"url": url, "title": title, "content": text, "score": 0.9} for url, title, text in rows]
    return as_json({"query": "", "answer": None, "images": [], "results": found, "response_time": 0.5})


def brave_error(status: int, code: str) -> Script:
    error = {"id": "x", "code": code, "detail": "…", "status": status, "meta": {"component": "x"}}
    return as_json({"type": "ErrorResponse", "error": error, "time": 1663072993}, status=status)


def tavily_error(status: int, error: str) -> Script:
    return as_json({"detail": {"error": error}}, status=status)


def as_json(body: Any, *, status: int = 200) -> Script:
    return answer(json.dumps(body), status=status, headers={"Content-Type": "application/json"})
