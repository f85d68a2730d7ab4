"""Inline content as it gathers, and the inline elements that are open in it."""

from dataclasses import dataclass

from fetcher.web.reading.markdown.escape import (
    BREAK,
    CODE,
    EMPHASIS_END,
    LINK,
    STRIKE_END,
    STRONG_END,
    clean,
    code_span,
)

_WHITE = frozenset({" ", BREAK})
_ENDS = frozenset({STRONG_END, EMPHASIS_END, STRIKE_END})


@dataclass(slots=True)
class _Mark:
    opening: str
    closing: str
    start: int
    """The index of the opening among the pieces."""


class InlineRun:
    """Text and marks in the order of the page (see `escape.py`), to be taken block by block."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._open: list[_Mark] = []
        self._marks: list[_Mark] = []
        """Those of the open elements that are not closed in the Markdown: few, however deep a page nests."""

    @property
    def in_code(self) -> bool:
        return bool(self._marks) and self._marks[-1].opening == CODE

    @property
    def last(self) -> str:
        """The last character so far, also white space; empty where a line or an element begins."""
        return next((piece[-1] for piece in reversed(self.pieces[-4:]) if piece and piece not in _ENDS), "")

    def add_text(self, text: str) -> None:
        """Adds text of the page; white space between elements becomes one space."""
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

    def open(self, opening: str, closing: str) -> bool:
        """Begins an element, if it is not inside code or another of its kind; returns whether it did."""
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
        if not self._marks:
            run = "".join(self.pieces)
            self.pieces.clear()
            return run
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
