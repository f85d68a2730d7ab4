"""What is made of a page's text for an answer: passages, finds, a digest.

A page may be hostile, and cutting and ranking its text takes time and memory. So reader processes do it
(`sandbox/`), under their limits: a task goes there with the text, and what it makes comes back. That is
small, and is checked like every answer of a reader.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Protocol, TypeVar

from fetcher.codes import ReadingMode
from fetcher.web.output.chunks import chunk
from fetcher.web.search.find import Found, best_passages, find, indexed
from fetcher.web.search.passages import Passage, lead, outline, table_headings
from fetcher.web.search.ranking import rank
from fetcher.web.values import Chunk, Document

T_co = TypeVar("T_co", covariant=True)

LEAD = 500
"""Characters of how a page begins."""
MOST_QUOTED = 3
_MOST_HEADINGS = 100


class Task(Protocol[T_co]):
    """Makes something of a document, whose tables it does not see."""

    makes: ClassVar[Any]
    """The type of what it makes."""

    def run(self, document: Document) -> T_co: ...

    def is_sound(self, made: Any, document: Document) -> bool:
        """Whether what a reader has made of a document fits the document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutPage:
    """Cuts a page into passages, each of which stands on one page of a document."""

    makes: ClassVar[Any] = tuple[Chunk, ...]
    max_tokens: int
    mode: ReadingMode = ReadingMode.ARTICLE

    def run(self, document: Document) -> tuple[Chunk, ...]:
        starts = (0, *document.pages)  # the text of page 0 is that of a document without pages
        return tuple(
            replace(passage, page=number, start=starts[number] + passage.start)
            for number, part in document.parts
            for passage in chunk(part, self.max_tokens, self.mode)
        )

    def is_sound(self, made: tuple[Chunk, ...], document: Document) -> bool:
        starts = (0, *(each.start for each in made), len(document.markdown))
        pages = (0, *(each.page for each in made), len(document.pages))
        return all(before <= after for before, after in (*pairwise(starts), *pairwise(pages)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Finds:
    """What of a page bears on a query, best first."""

    passages: tuple[Found, ...]
    links: tuple[int, ...]
    """Their places among the links of the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindInPage:
    """Finds the passages and links of a page that bear on a query."""

    makes: ClassVar[Any] = Finds
    query: str
    passages: int
    links: int

    def run(self, document: Document) -> Finds:
        labels = [link.label for link in document.links]
        return Finds(
            passages=tuple(find(self.query, indexed(document), self.passages)),
            links=tuple(rank(self.query, labels, most=self.links)),
        )

    def is_sound(self, made: Finds, document: Document) -> bool:
        return all(0 <= at < len(document.links) for at in made.links)


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """What an answer without a model says of a page."""

    quoted: tuple[Passage, ...] = ()
    """What bears on the question, best first."""
    lead: tuple[str, ...] = ()
    """How the page begins."""
    outline: tuple[str, ...] = ()
    """Its headings, with the head of a story."""
    table_headings: tuple[str, ...] = ()
    """The heading above each block that is a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestPage:
    """Makes the digest of a page for a question, which may be empty."""

    makes: ClassVar[Any] = Digest
    question: str
    max_tokens: int

    def run(self, document: Document) -> Digest:
        index, text = indexed(document, self.max_tokens), document.headed_markdown
        quoted = best_passages(self.question, index, MOST_QUOTED) if self.question else ()
        return Digest(
            quoted=tuple(passage for passage, _ in quoted),
            lead=tuple(fitting(lead(index.main), LEAD)),
            outline=tuple(outline(text)[:_MOST_HEADINGS]),
            table_headings=tuple(table_headings(text)),
        )

    def is_sound(self, made: Digest, document: Document) -> bool:
        return True


TASKS: dict[str, type[CutPage | FindInPage | DigestPage]] = {
    task.__name__: task for task in (CutPage, FindInPage, DigestPage)
}


def fitting(texts: Iterable[str], room: int) -> Iterator[str]:
    """The first text, and those after it for which there is room."""
    for at, text in enumerate(texts):
        room -= len(text)
        if at and room < 0:
            return
        yield text
