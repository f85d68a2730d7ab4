"""Inline content as it gathers, and what a rule for an element gets and returns (see `writer.py`)."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from fetcher.web.reading.markdown.escape import (
    BREAK,
    CODE,
    LINK,
    STRIKE,
    clean,
    code_span,
    without_marks,
)
from fetcher.web.reading.markdown.links import Links
from fetcher.web.reading.tree import Article

_WHITE = frozenset({" ", BREAK})
_LONGEST_TAIL = 24


@dataclass(slots=True)
class _Mark:
    opening: str
    closing: str
    start: int
    """The index of the opening among the pieces."""


class InlineRun:
    """Text and marks in the order of the page (see `escape.py`), to be taken block by block."""

    def __init__(self, *, plain: bool = False) -> None:
        self.plain = plain
        """True for text without Markdown, as in files: of all marks, only those of deletions are kept."""
        self.pieces: list[str] = []
        self._open: list[_Mark] = []
        self._marks: list[_Mark] = []
        """Those of the open elements that are not closed in the Markdown: few, however deep a page nests."""
        self._apart_from: re.Pattern[str] | None = None
        """The beginning of a next text that is to be set apart from what is written so far."""

    @property
    def in_code(self) -> bool:
        return bool(self._marks) and self._marks[-1].opening == CODE

    def tail(self) -> str:
        """The last characters of the line so far, without marks."""
        ends = (piece[-_LONGEST_TAIL:] if piece[-1:].isprintable() else piece for piece in self.pieces[-6:])
        return without_marks("".join(ends)).rpartition(BREAK)[2][-_LONGEST_TAIL:]

    def add_text(self, text: str) -> None:
        """Adds text of the page; white space between elements becomes one space."""
        if self._apart_from:
            if self._apart_from.match(text):
                self.pieces.append(" ")
            self._apart_from = None
        if text.isspace():
            self.add_space()
        else:
            self.pieces.append(text if text.isprintable() else clean(text))

    def add_space(self) -> None:
        """Adds a space, unless there is one already."""
        if self.pieces and self.pieces[-1] not in _WHITE:
            self.pieces.append(" ")

    def drop_space(self) -> None:
        """Removes the white space at the end."""
        if not self.pieces:
            return
        text = self.pieces[-1].rstrip(" \t\n\f")
        if text or not self.pieces[-1]:
            self.pieces[-1] = text
        else:
            self.pieces.pop()

    def end_line(self) -> None:
        """Ends the current line of a cell, if it has any content."""
        if self.in_code:
            self.add_space()
            return
        self.drop_space()
        if self.pieces and self.pieces[-1] != BREAK:
            self.pieces.append(BREAK)

    def set_apart_from(self, next_text: re.Pattern[str]) -> None:
        """Has a space before the next text, if it begins as the pattern says."""
        self._apart_from = next_text

    def open(self, opening: str, closing: str) -> bool:
        """Begins an element, if it is not inside code or another of its kind; returns whether it did."""
        if self.plain and opening != STRIKE:
            return False
        if self._marks and any(mark.opening in (opening, CODE) for mark in self._marks):
            return False
        mark = _Mark(opening, closing, len(self.pieces))
        self._open.append(mark)
        self._marks.append(mark)
        self.pieces.append(opening)
        return True

    def close(self) -> None:
        """Ends the element that was opened last."""
        mark = self._open.pop()
        if self._marks and self._marks[-1] is mark:
            self._end(self._marks.pop())

    def take(self) -> str:
        """Removes and returns what has gathered; open elements, except links, continue in the next run.

        A link around several blocks is written in the first of them only: repeating its URL says nothing new.
        """
        self._apart_from = None
        filled = [mark for mark in reversed(self._marks) if self._end(mark)]
        self._marks = [mark for mark in self._marks if mark.opening != LINK or mark not in filled]
        run = "".join(self.pieces)
        self.pieces.clear()
        for mark in self._marks:
            mark.start = len(self.pieces)
            self.pieces.append(mark.opening)
        return run

    def _end(self, mark: _Mark) -> bool:
        """Writes an element's end, unless it is empty; white space at its edges moves outside."""
        pieces, start, tail = self.pieces, mark.start, ""
        while len(pieces) > start + 1:
            piece = pieces[-1]
            pieces[-1] = text = piece.rstrip()
            tail = piece[len(text) :] + tail
            if text:
                break
            pieces.pop()
        filled = len(pieces) > start + 1
        if not filled:
            pieces.pop()
        elif mark.opening == CODE:
            pieces[start:] = [self._cut_head(start), code_span("".join(pieces[start + 1 :]))]
        else:
            pieces[start] = self._cut_head(start) + mark.opening
            pieces.append(mark.closing)
        if tail:
            pieces.append(tail)
        return filled

    def _cut_head(self, start: int) -> str:
        """Removes and returns the white space after an element's opening."""
        pieces, head = self.pieces, ""
        for at in range(start + 1, len(pieces)):
            piece = pieces[at]
            pieces[at] = text = piece.lstrip()
            head += piece[: len(piece) - len(text)]
            if text:
                break
        return head


Close = Callable[[], None]
"""What is to be done where an element ends."""


class Writing(Protocol):
    """What rules know of the writer."""

    article: Article
    run: InlineRun
    links: Links


Rule = Callable[[Writing, int], Close | None]
"""Writes the beginning of an element, given by its node."""


def done() -> None:
    """Returned by a rule that has dealt with an element's content itself."""


def in_turn(*closings: Close | None) -> Close:
    """One closing that does several, in their order."""

    def close() -> None:
        for each in closings:
            if each:
                each()

    return close
