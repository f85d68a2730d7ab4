"""What pages say about a question, in their own words: the answer of a reader without a model."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fetcher.agent.offline.excerpts import Excerpt, excerpts, lead, outline
from fetcher.agent.offline.phrases import OfflinePhrases
from fetcher.agent.offline.ranking import rank
from fetcher.web.reading.markdown import escape
from fetcher.web.values import FetchedPage

LONGEST = 2500
"""Characters of an answer, about: people read it in a chat."""
_EXCERPT_TOKENS = 160
_ALL_TOKENS = 480
"""Of the first excerpts of all pages together."""
_MOST_EXCERPTS = 4
_LEAD = 500
_MOST_HEADINGS = 12
_LONGEST_TITLE = 200
_TITLE_PARTS = re.compile(r"(?<!\s)(?:\s++[-|\u2013\u2014/:]\s++|\s*+[|｜]\s*+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedPage:
    """A page that was read, with its number among the sources."""

    number: int
    title: str
    """One plain line."""
    page: FetchedPage

    @property
    def url(self) -> str:
        return str(self.page.final_url)

    @property
    def markdown(self) -> str:
        return self.page.document.markdown


def numbered(pages: Sequence[FetchedPage]) -> list[NumberedPage]:
    """The pages with numbers and titles: a page's own title, else its first heading, else its URL."""
    found = []
    for number, page in enumerate(pages, start=1):
        title = escape.squash(escape.clean(page.document.title or ""))[:_LONGEST_TITLE]
        title = title or next(iter(outline(page.document.markdown)), str(page.final_url))
        found.append(NumberedPage(number=number, title=title, page=page))
    return found


def section(page: NumberedPage, *paragraphs: str) -> str:
    """Something about a page, under its title and number."""
    return "\n\n".join([f"**{escape.inline(page.title)}** [{page.number}]", *filter(None, paragraphs)])


def beginnings(pages: Sequence[NumberedPage], phrases: OfflinePhrases) -> str:
    """How each page begins, and what it goes on about."""
    room = LONGEST // len(pages)
    sections = []
    for page in pages:
        text = "\n\n".join(_fitting(lead(_cut(page, len(pages))), min(room, _LEAD)))
        headings = [heading for heading in outline(page.markdown) if not _repeats(heading, page.title)]
        entries = [f"- {escape.inline(heading)}" for heading in headings[:_MOST_HEADINGS]]
        contents = "\n".join([phrases.outline(), "", *entries])
        if entries and len(text) + len(contents) <= room:
            text = f"{text}\n\n{contents}".strip()
        sections.append(section(page, text or phrases.empty_page()))
    return "\n\n".join(sections)


def findings(topic: str, pages: Sequence[NumberedPage], phrases: OfflinePhrases) -> str:
    """The excerpts of each page that bear on the topic; how the pages begin where nothing does."""
    room = LONGEST // len(pages)
    cuts = [_cut(page, len(pages)) for page in pages]
    # The excerpts of all pages are measured against one another.
    all_excerpts = [(page.number, excerpt) for page, cut in zip(pages, cuts, strict=True) for excerpt in cut]
    most = len(all_excerpts)
    best = rank(topic, [excerpt.under_heading for _, excerpt in all_excerpts], most=most)
    best = best or rank(topic, [excerpt.under_all_headings for _, excerpt in all_excerpts], most=most)
    if not best:
        return "\n\n".join([phrases.no_match(), beginnings(pages, phrases)])
    sections = []
    for page, cut in zip(pages, cuts, strict=True):
        found = [excerpt for number, excerpt in (all_excerpts[at] for at in best) if number == page.number]
        quoted = _fitting((_under_headings(excerpt, page.title) for excerpt in found[:_MOST_EXCERPTS]), room)
        sections.append(section(page, *(quoted if found else [phrases.no_match(), *lead(cut)[:1]])))
    return "\n\n".join(sections)


def _cut(page: NumberedPage, pages: int) -> list[Excerpt]:
    """The page's excerpts, shorter ones where there are many pages."""
    return excerpts(page.markdown, min(_EXCERPT_TOKENS, max(48, _ALL_TOKENS // pages)))


def _under_headings(excerpt: Excerpt, title: str) -> str:
    """The excerpt below its headings, without those that repeat the page's title."""
    headings = [heading for heading in excerpt.headings if not _repeats(heading, title)]
    above = f"**{escape.inline(' › '.join(headings))}**\n\n" if headings else ""
    return above + excerpt.text


def _repeats(heading: str, title: str) -> bool:
    """Whether a heading only repeats the title, which often has the site's name besides."""
    return heading == title or heading in _TITLE_PARTS.split(title)


def _fitting(texts: Iterable[str], room: int) -> Iterator[str]:
    """The first text, and those after it for which there is room."""
    for at, text in enumerate(texts):
        room -= len(text)
        if at and room < 0:
            return
        yield text
