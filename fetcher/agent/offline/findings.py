"""What pages say about a question, in their own words: the answer of a reader without a model."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fetcher.agent.offline.intent_words import ORDERS
from fetcher.agent.offline.phrases import OfflinePhrases
from fetcher.web.reading.markdown import escape
from fetcher.web.search.find import PASSAGE_TOKENS
from fetcher.web.search.tasks import LEAD, Digest, fitting
from fetcher.web.values import FetchedPage

LONGEST = 2500
"""Characters of an answer, about: people read it in a chat."""
_ALL_TOKENS = 768
"""Of the first passages of all pages together."""
_MOST_HEADINGS = 12
_LONGEST_TITLE = 200
_ORDER = re.compile("|".join(ORDERS), re.IGNORECASE)
_TITLE_PARTS = re.compile(r"(?<!\s)(?:\s++[-|\u2013\u2014/:]\s++|\s*+[|｜]\s*+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedPage:
    """A page that was read, with its number among the sources."""

    number: int
    title: str
    """One plain line."""
    page: FetchedPage
    digest: Digest

    @property
    def url(self) -> str:
        return str(self.page.final_url)


def numbered(pages: Sequence[tuple[FetchedPage, Digest]]) -> list[NumberedPage]:
    """The pages with numbers and titles: a page's own title, else its first heading, else its URL."""
    found = []
    for number, (page, digest) in enumerate(pages, start=1):
        title = escape.squash(escape.clean(page.document.title or ""))[:_LONGEST_TITLE]
        title = title or next(iter(digest.outline), str(page.final_url))
        found.append(NumberedPage(number=number, title=title, page=page, digest=digest))
    return found


def section(page: NumberedPage, *paragraphs: str) -> str:
    """Something about a page, under its title and number."""
    return "\n\n".join([f"**{escape.inline(page.title)}** [{page.number}]", *filter(None, paragraphs)])


def beginnings(pages: Sequence[NumberedPage], phrases: OfflinePhrases) -> str:
    """How each page begins, and what it goes on about."""
    room = LONGEST // len(pages)
    sections = []
    for page in pages:
        begun = fitting(page.digest.lead, min(room, LEAD))
        text = "\n\n".join(_as_page_words(passage, phrases) for passage in begun)
        headings = [heading for heading in page.digest.outline if not _repeats(heading, page.title)]
        entries = [f"- {escape.inline(heading)}" for heading in headings[:_MOST_HEADINGS]]
        contents = "\n".join([phrases.outline(), "", *entries])
        if entries and len(text) + len(contents) <= room:
            text = f"{text}\n\n{contents}".strip()
        sections.append(section(page, text or phrases.empty_page()))
    return "\n\n".join(sections)


def findings(pages: Sequence[NumberedPage], phrases: OfflinePhrases, no_match: str) -> str:
    """The passages of each page that bear on the question; how a page begins where none does.

    Such a beginning stands below `no_match`. A page without text is only said to have none.
    """
    room, sections = LONGEST // len(pages), []
    found = {page.number: list(fitting(quotes(page), room)) for page in pages}
    if not any(found.values()):
        told = no_match if any(page.page.document.headed_markdown.strip() for page in pages) else ""
        return "\n\n".join(filter(None, [told, beginnings(pages, phrases)]))
    for page in pages:
        quoted = [_as_page_words(passage, phrases) for passage in found[page.number]]
        if not quoted:
            begun = [_as_page_words(passage, phrases) for passage in page.digest.lead[:1]]
            quoted = [no_match, *begun] if begun else [phrases.empty_page()]
        sections.append(section(page, *quoted))
    return "\n\n".join(sections)


def quotes(page: NumberedPage) -> list[str]:
    """The passages that bear on the question, best first, each below its headings.

    Headings that repeat the page's title are left out.
    """
    found = []
    for passage in page.digest.quoted:
        headings = [heading for heading in passage.headings if not _repeats(heading, page.title)]
        above = f"**{escape.inline(' › '.join(headings))}**\n\n" if headings else ""
        found.append(above + passage.text)
    return found


def _as_page_words(passage: str, phrases: OfflinePhrases) -> str:
    """A passage that tries to instruct its reader as a quotation, marked as the page's words."""
    if not _ORDER.search(passage):
        return passage
    return "\n".join([phrases.page_words(), "", *(f"> {line}".rstrip() for line in passage.split("\n"))])


def passage_tokens(pages: int) -> int:
    """Of a passage: shorter ones where there are many pages."""
    return min(PASSAGE_TOKENS, max(48, _ALL_TOKENS // pages))


def _repeats(heading: str, title: str) -> bool:
    """Whether a heading only repeats the title, which often has the site's name besides."""
    return heading == title or heading in _TITLE_PARTS.split(title)
