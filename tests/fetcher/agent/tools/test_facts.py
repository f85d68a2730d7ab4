"""What people would ask of a hundred small pages can be reached by the agent's tools."""

import asyncio
import re
from collections import Counter

import pytest

from fetcher.agent.files.answer_files import FilePolicy
from fetcher.agent.safety.provenance import FetchPolicy, Provenance
from fetcher.agent.tools.open_pages import OpenPages
from fetcher.agent.tools.toolbox import Toolbox, ToolSettings
from fetcher.settings import WebFetchSettings
from tests.engine import engine
from tests.fetcher.web.reading.extract.fact_pages import fact_pages

PAGES = {page.name: page for page in fact_pages()}
IN_ARTICLE = 0.92
"""The share of the facts that the article text has; the rest is found beside it."""

_MARKS = re.compile(r"\]\([^)]*\)|[\\*_`|~\[\]]|\s+")


def _plain(text):
    """Text without the marks of Markdown and white space."""
    return _MARKS.sub("", text)


def _ask(internet, page, *queries):
    """What `fetch_url` tells of a page, and what `find_in_page` tells for each query."""
    url = page.url.replace("https:", "http:")
    internet.page(url, page.html)
    policy = FetchPolicy(max_fetches=8, max_url_chars=2000, allowed_domains=(), blocked_domains=())
    pages = OpenPages(engine(internet), Provenance((url,), policy), lambda _: None)
    files = FilePolicy(max_bytes=10_000, types=("text/csv",))
    box = Toolbox(pages, ToolSettings(web=WebFetchSettings(), files=files, max_files=5))
    calls = [
        ("fetch_url", {"url": url}),
        *(("find_in_page", {"url": url, "query": each}) for each in queries),
    ]

    async def story():
        return [
            await box.run({"type": "tool_use", "id": f"t{number}", "name": name, "input": arguments})
            for number, (name, arguments) in enumerate(calls)
        ]

    return [_told(result) for result in asyncio.run(story())]


def _told(result):
    return "".join(
        _plain(piece["text"])
        for block in result["content"]
        for piece in (block["content"] if block["type"] == "search_result" else [block])
    )


def test_the_pages_are_of_twenty_kinds_and_show_their_facts():
    """Four or six of each kind, half of them Japanese, three to eight facts each, none made up."""
    assert set(Counter(page.kind for page in PAGES.values()).values()) == {4, 6}
    assert len(PAGES) == 100
    assert sum('lang="ja"' in page.html for page in PAGES.values()) == 50
    assert all(3 <= len(page.facts) <= 8 for page in PAGES.values())


@pytest.mark.parametrize("name", list(PAGES)[::3])
def test_every_fact_can_be_reached(internet, name):
    """Where the article text lacks it, `find_in_page` shows it."""
    page = PAGES[name]
    article, *found = _ask(internet, page, *page.facts)
    lacking = [
        fact
        for fact, shown in zip(page.facts, found, strict=True)
        if _plain(fact) not in article and _plain(fact) not in shown
    ]
    assert lacking == []


def test_most_facts_stand_in_the_article_text(internet):
    """At least 85 % are asked for; what is reached is kept."""
    lacking = [
        f"{page.name}: {fact}"
        for page in PAGES.values()
        for article in _ask(internet, page)
        for fact in page.facts
        if _plain(fact) not in article
    ]
    total = sum(len(page.facts) for page in PAGES.values())
    assert 1 - len(lacking) / total >= IN_ARTICLE, "\n".join(lacking)


@pytest.mark.parametrize(
    ("name", "query", "fact"),
    [
        ("shop_5", "電話番号", "045-555-0123"),
        ("news_2", "who wrote this article", "By Dana Whitfield"),
        ("event_6", "when does it start", "6:30 PM EDT"),
    ],
)
def test_a_question_finds_what_stands_beside_the_main_text(internet, name, query, fact):
    """Also where the page does not use the question's words."""
    _, found = _ask(internet, PAGES[name], query)
    assert _plain(fact) in found
