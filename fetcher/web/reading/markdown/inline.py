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
    """Where the opening stands among the pieces."""


class InlineRun:
    """Text and marks in the order of the page (see `escape.py`), to be taken block by block."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._open: list[_Mark] = []
        self._marks: list[_Mark] = []
        """Those of the open elements that still have something to say: a few, however deep a page nests."""

    @property
    def in_code(self) -> bool:
        return bool(self._marks) and self._marks[-1].opening == CODE

    @property
    def last(self) -> str:
        """The last character so far, white space too; empty where a line or an element begins."""
        return next((piece[-1] for piece in reversed(self.pieces[-4:]) if piece and piece not in _ENDS), "")

    def text(self, text: str) -> None:
        """Adds text of the page; of white space between elements one space is enough."""
        if text.isspace():
            self.space()
        else:
            self.pieces.append(text if text.isprintable() else clean(text))

    def space(self) -> None:
        """Adds a space, unless there is one."""
        if self.pieces and self.pieces[-1] not in _WHITE:
            self.pieces.append(" ")

    def unspace(self) -> None:
        """Takes back the white space at the end."""
        if not self.pieces:
            return
        kept = self.pieces[-1].rstrip(" \t\n\f")
        if kept or not self.pieces[-1]:
            self.pieces[-1] = kept
        else:
            self.pieces.pop()

    def open(self, opening: str, closing: str) -> bool:
        """Begins an element, unless it says nothing new where it stands."""
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
        """What has gathered; elements that are still open go on afterwards, links apart.

        A link around blocks stays on the first of them: nothing is gained by repeating its URL.
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
        pieces, start = self.pieces, mark.start
        tail = self._cut_tail(start)
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

    def _cut_tail(self, start: int) -> str:
        pieces, tail = self.pieces, ""
        while len(pieces) > start + 1:
            piece = pieces[-1]
            pieces[-1] = kept = piece.rstrip()
            tail = piece[len(kept) :] + tail
            if kept:
                break
            pieces.pop()
        return tail

    def _cut_head(self, start: int) -> str:
        pieces, head = self.pieces, ""
        for at in range(start + 1, len(pieces)):
            piece = pieces[at]
            pieces[at] = kept = piece.lstrip()
            head += piece[: len(piece) - len(kept)]
            if kept:
                break
        return head
