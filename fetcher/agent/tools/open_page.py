"""A page that is open while a question is answered, and why another is not opened ahead of the model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from fetcher.agent.model.contract import Block
from fetcher.agent.safety.fencing import plain_label
from fetcher.codes import Note
from fetcher.web.values import CanonicalUrl, Chunk, Document, FetchedPage, Table

PASSAGE_TOKENS = 160
"""Small, because the API cites whole passages."""


class IsPicture(Exception):
    """A file that was read ahead is a picture, which the model can see."""

    def __init__(self, blocks: list[Block]) -> None:
        super().__init__()
        self.blocks = blocks


class NeedsBrowser(Exception):
    """A page that was read ahead over HTTP turned out to be one for a browser: it is left to the tools."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPage:
    """A page that was read, cut into passages."""

    url: CanonicalUrl
    title: str
    document: Document
    passages: tuple[Chunk, ...]
    notes: frozenset[Note]
    cut: bool = False
    """True when only the beginning of the page was downloaded."""

    @property
    def length(self) -> int:
        """Of the whole text, in characters."""
        return len(self.document.markdown)

    @property
    def tables(self) -> tuple[Table, ...]:
        return self.document.tables

    def texts_of(self, numbers: Sequence[int]) -> list[str]:
        """The texts of some passages; the title and the day of a story come before its first."""
        head = [self.document.head] if self.document.head and 0 in numbers else []
        return head + [self.passages[number].text for number in numbers]

    @classmethod
    def of(cls, page: FetchedPage, passages: tuple[Chunk, ...]) -> Self:
        return cls(
            url=page.final_url,
            title=title_of(page),
            document=page.document,
            passages=passages,
            notes=page.notes.union(map(Note, page.truncation)),
            cut=page.cut,
        )


def title_of(page: FetchedPage) -> str:
    return plain_label(page.document.title or str(page.final_url))
