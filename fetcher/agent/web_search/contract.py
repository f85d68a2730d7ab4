"""The contract with a provider of searches: a query goes out, links come back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from fetcher.agent.errors import ToolRefused
from fetcher.agent.values import Usage
from fetcher.codes import AgentCode
from fetcher.settings import SearchLanguage

MOST_ROWS = 40
"""Of a reply; settings want at most half as many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """A link that a provider found; all of it is the text of strangers."""

    url: str
    title: str = ""
    snippet: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What one search has brought, best first, and what it cost a model."""

    results: tuple[SearchResult, ...] = ()
    usage: Usage = field(default_factory=Usage)


class WebSearch(Protocol):
    async def search(self, query: str, language: SearchLanguage, most: int) -> Found:
        """The links for a query; raises ToolRefused with `SEARCH_UNAVAILABLE` or `SEARCH_REJECTED`."""


def unavailable(why: str) -> ToolRefused:
    """The provider gave no answer that can be used; another try may succeed."""
    return ToolRefused(AgentCode.SEARCH_UNAVAILABLE, f"The search failed: {why}", retryable=True)


def rejected(why: str) -> ToolRefused:
    """The provider refuses the key or the request; another try is pointless."""
    return ToolRefused(AgentCode.SEARCH_REJECTED, f"The search was refused: {why}")


def results_from(rows: Any, *, snippet: str) -> tuple[SearchResult, ...]:
    """The results in rows of JSON, whose snippets have this name; raises ToolRefused."""
    if not isinstance(rows, list):
        raise unavailable("the reply has no list of results")
    return tuple(
        SearchResult(url=row["url"], title=_text(row, "title"), snippet=_text(row, snippet))
        for row in rows[:MOST_ROWS]
        if isinstance(row, Mapping) and isinstance(row.get("url"), str)
    )


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""
