"""A search over the sample web, so that questions without a link work without any account."""

from functools import cache

from selectolax.lexbor import LexborHTMLParser

from fetcher.agent.web_search.contract import Found, SearchResult
from fetcher.sample.sample_pages import PAGES
from fetcher.settings import SearchLanguage
from fetcher.web.search.ranking import rank

SNIPPET = 200
"""Characters."""


class SampleSearch:
    """Ranks the sample pages that are HTML; it has the contract of a provider."""

    async def search(self, query: str, language: SearchLanguage, most: int) -> Found:
        pages = _indexed()
        texts = [f"# {page.title}\n{page.snippet}" for page in pages]
        best = (pages[at] for at in rank(query, texts, most=most))
        return Found(
            results=tuple(
                SearchResult(url=one.url, title=one.title, snippet=one.snippet[:SNIPPET]) for one in best
            )
        )


@cache
def _indexed() -> list[SearchResult]:
    """Each page with its title and all of its text."""
    found = []
    for page in PAGES:
        if page.file and page.content_type.startswith("text/html"):
            tree = LexborHTMLParser(page.body().decode(page.charset))
            title = tree.css_first("title")
            named = title.text(strip=True) if title else page.host
            tree.strip_tags(["head", "script", "style", "template"])
            found.append(
                SearchResult(url=page.url, title=named, snippet=tree.text(separator=" ", strip=True))
            )
    return found
