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
_TITLE_PARTS = re.compile(r"(?<!\s)(?:\s++[-|\u2013\u2014/:]\s++|\s*+[|\uff5c]\s*+)")


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
    return [
        NumberedPage(number=number, title=_title(page), page=page)
        for number, page in enumerate(pages, start=1)
    ]


def _title(page: FetchedPage) -> str:
    """The page's title, else its first heading, else its URL."""
    document = page.document
    title = escape.squash(escape.clean(document.title or ""))[:_LONGEST_TITLE]
    return title or next(iter(outline(document.markdown)), str(page.final_url))


def section(page: NumberedPage, *paragraphs: str) -> str:
    """Something about a page, under its title and number."""
    return "\n\n".join([f"**{escape.inline(page.title)}** [{page.number}]", *filter(None, paragraphs)])


def beginnings(pages: Sequence[NumberedPage], say: OfflinePhrases) -> str:
    """How each page begins, and what it goes on about."""
    room = LONGEST // len(pages)
    return "\n\n".join(section(page, _beginning(page, _cut(page, len(pages)), room, say)) for page in pages)


def findings(topic: str, pages: Sequence[NumberedPage], say: OfflinePhrases) -> str:
    """The excerpts of each page that bear on the topic; how the pages begin where nothing does."""
    room = LONGEST // len(pages)
    cuts = [_cut(page, len(pages)) for page in pages]
    found = _bearing(topic, cuts)
    if not any(found):
        return "\n\n".join([say.no_match(), beginnings(pages, say)])
    return "\n\n".join(
        section(page, *(_quoted(best, page, room) if best else [say.no_match(), *lead(cut)[:1]]))
        for page, cut, best in zip(pages, cuts, found, strict=True)
    )


def _bearing(topic: str, cuts: Sequence[Sequence[Excerpt]]) -> list[list[Excerpt]]:
    """Of each page the excerpts that bear on the topic, best first, measured against those of all pages."""
    places = [(number, excerpt) for number, cut in enumerate(cuts) for excerpt in cut]
    own, within = [excerpt.own for _, excerpt in places], [excerpt.within for _, excerpt in places]
    best = rank(topic, own, most=len(places)) or rank(topic, within, most=len(places))
    return [[places[at][1] for at in best if places[at][0] == number] for number in range(len(cuts))]


def _cut(page: NumberedPage, pages: int) -> list[Excerpt]:
    """The page's excerpts, shorter ones where there are many pages."""
    return excerpts(page.markdown, min(_EXCERPT_TOKENS, max(48, _ALL_TOKENS // pages)))


def _quoted(found: Sequence[Excerpt], page: NumberedPage, room: int) -> Iterator[str]:
    """The best excerpts, each under its headings, as many as there is room for."""
    return _fitting((_under_headings(excerpt, page.title) for excerpt in found[:_MOST_EXCERPTS]), room)


def _under_headings(excerpt: Excerpt, title: str) -> str:
    headings = [heading for heading in excerpt.headings if not _says(title, heading)]
    place = f"**{escape.inline(' › '.join(headings))}**\n\n" if headings else ""
    return place + excerpt.text


def _says(title: str, heading: str) -> bool:
    """Whether a heading only repeats the title, which often has the site's name besides."""
    return heading == title or heading in _TITLE_PARTS.split(title)


def _beginning(page: NumberedPage, cut: Sequence[Excerpt], room: int, say: OfflinePhrases) -> str:
    """The first paragraphs, and the headings if there is room for them."""
    text = "\n\n".join(_fitting(lead(cut), min(room, _LEAD)))
    headings = [heading for heading in outline(page.markdown) if not _says(page.title, heading)]
    entries = [f"- {escape.inline(heading)}" for heading in headings[:_MOST_HEADINGS]]
    contents = "\n".join([say.outline(), "", *entries])
    if entries and len(text) + len(contents) <= room:
        return f"{text}\n\n{contents}".strip()
    return text or say.empty_page()


def _fitting(texts: Iterable[str], room: int) -> Iterator[str]:
    """The first text, and those after it for which there is room."""
    for at, text in enumerate(texts):
        room -= len(text)
        if at and room < 0:
            return
        yield text
