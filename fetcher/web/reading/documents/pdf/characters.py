"""The characters of a page as runs: pieces of a line without a wide gap, a rule or a link's end in them."""

import ctypes
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

import pypdfium2.raw as pdfium

from fetcher.web.reading.documents.pdf.drawings import Box, Drawings, Frame
from fetcher.web.reading.markdown.escape import CJK

MOST_CHARACTERS = 200_000
"""Of a page."""
_WIDE_GAP = 1.3
"""Ems between two characters that are not read one after the other."""
_WORD_GAP = 0.22
_SMALLEST = 1.0
"""Points of height and width below which people see no text."""
_BAND = 20.0
"""Points: links are looked up by the band of the page that they are in."""
_SPACES = frozenset({9, 10, 13, 32, 160})
_HYPHEN = 2
"""What pdfium gives for a hyphen at a line's end."""
_FLATTEST, _NARROWEST = 0.3, 0.1
"""Points of height of a line, and of width of a character in it, below which text is only a stroke."""
_INVISIBLE = 3
"""The render mode of text that is not painted, as OCR puts it over a scan."""
_FILLED, _STROKED = frozenset({0, 2, 4, 6}), frozenset({1, 2, 5, 6})
"""Render modes (ISO 32000-1, 9.3.6); mode 7 paints nothing either."""
_NEARLY_WHITE = 245
_FAINTEST = 255 * 0.05
"""Of 255: less opaque text is invisible."""
_IDEOGRAPH = re.compile(f"[{CJK}]")


class Look(Enum):
    """How a piece of text is painted."""

    SEEN = auto()
    WHITE = auto()
    UNPAINTED = auto()
    GONE = auto()


@dataclass(slots=True)
class Run:
    """A piece of a line."""

    text: str
    box: Box
    size: float
    link: str = ""

    @property
    def middle(self) -> tuple[float, float]:
        left, top, right, bottom = self.box
        return (left + right) / 2, (top + bottom) / 2


@dataclass(slots=True)
class PageText:
    runs: list[Run]
    unmapped: int
    """Characters whose font does not say which they are."""
    upright: bool
    """False where lines run from top to bottom; then `runs` has the text as the page draws it."""


def page_text(page: Any, frame: Frame, drawings: Drawings, links: Sequence[tuple[Box, str]]) -> PageText:
    """The text of a page that people can see."""
    text = pdfium.FPDFText_LoadPage(page)
    if not text:
        return PageText([], 0, True)
    try:
        return _Reading(text, frame, drawings, links).read()
    finally:
        pdfium.FPDFText_ClosePage(text)


class _Reading:
    def __init__(self, text: Any, frame: Frame, drawings: Drawings, links: Sequence[tuple[Box, str]]) -> None:
        self._text = text
        self._frame = frame
        self._drawings = drawings
        self._links: dict[int, list[tuple[Box, str]]] = {}
        for box, target in links:
            for band in range(int(box[1] // _BAND), int(min(box[3], frame.height) // _BAND) + 1):
                self._links.setdefault(band, []).append((box, target))
        self._runs: list[Run] = []
        self._pieces: list[str] = []
        self._box: list[float] = []
        self._link = ""
        self._look = self._run_look = Look.SEEN
        self._shape = 0
        """The address of the text object that has this look."""
        self._space = False
        self._unmapped = self._downward = self._sideways = 0

    def read(self) -> PageText:
        loose = pdfium.FS_RECTF()
        width, height = self._frame.width, self._frame.height
        for at in range(min(pdfium.FPDFText_CountChars(self._text), MOST_CHARACTERS)):
            code = pdfium.FPDFText_GetUnicode(self._text, at)
            if code in _SPACES:
                self._space = True
                continue
            if not pdfium.FPDFText_GetLooseCharBox(self._text, at, loose):
                continue
            box = self._frame.box(loose.left, loose.bottom, loose.right, loose.top)
            left, top, right, bottom = box
            if right < 0 or left > width or bottom < 0 or top > height:
                continue
            if bottom - top < 0.5 * (right - left) and code > 0x2E80:
                # pdfium gives a flat ideograph such as the number one the box of its stroke alone.
                middle, half = (top + bottom) / 2, (right - left) / 2
                box = left, middle - half, right, middle + half
            elif max(right - left, bottom - top) < _SMALLEST:
                continue
            if code != _HYPHEN and (code < 32 or 0xE000 <= code < 0xF900 or 0xFFF0 <= code < 0x10000):
                self._unmapped += 1
                continue
            shape = pdfium.FPDFText_GetTextObject(self._text, at)
            if shape and (address := ctypes.addressof(shape.contents)) != self._shape:
                self._shape, self._look = address, self._look_of(shape, at)
            self._add("\xad" if code == _HYPHEN else chr(code), box)
        self._end()
        runs = self._runs
        return PageText(runs, self._unmapped, self._downward <= self._sideways)

    def _add(self, character: str, box: Box) -> None:
        left, top, right, bottom = box
        if self._box:
            size = max(1.0, self._box[3] - self._box[1])
            gap = left - self._box[2]
            level = abs((top + bottom) / 2 - (self._box[1] + self._box[3]) / 2) < 0.35 * size
            if not level and abs(gap + right - left) < 0.5 * size:
                self._downward += 1
            else:
                self._sideways += 1
            middle = (left + right) / 2, (top + bottom) / 2
            if (
                not level
                or self._look is not self._run_look
                or not -0.6 * size < gap < _WIDE_GAP * size
                or (
                    (self._space or gap > 0.1 * size)
                    and self._drawings.divides(self._box[2] - 1, left + 1, middle[1])
                )
                or self._link_at(*middle) != self._link
            ):
                self._end()
            elif self._space or gap > _WORD_GAP * size:
                beside_ideographs = _IDEOGRAPH.match(self._pieces[-1]) and _IDEOGRAPH.match(character)
                if not beside_ideographs or gap > 0.6 * size:
                    self._pieces.append(" ")
        self._space = False
        if not self._box:
            self._box = [left, top, right, bottom]
            self._run_look = self._look
            self._link = self._link_at((left + right) / 2, (top + bottom) / 2)
        else:
            self._box[1], self._box[3] = min(self._box[1], top), max(self._box[3], bottom)
            self._box[2] = max(self._box[2], right)
        self._pieces.append(character)

    def _link_at(self, x: float, y: float) -> str:
        for (left, top, right, bottom), target in self._links.get(int(y // _BAND), ()):
            if left <= x <= right and top <= y <= bottom:
                return target
        return ""

    def _end(self) -> None:
        """Keep the run that ends here, unless people cannot see it."""
        if self._pieces:
            left, top, right, bottom = self._box
            x, y, look = (left + right) / 2, (top + bottom) / 2, self._run_look
            is_large = bottom - top >= _FLATTEST and right - left >= _NARROWEST * len(self._pieces)
            if is_large and (
                look is Look.SEEN
                or (look is Look.UNPAINTED and self._drawings.is_picture(x, y))
                or (look is Look.WHITE and self._drawings.is_painted(x, y))
            ):
                text = "".join(self._pieces)
                if not text.isascii():
                    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
                self._runs.append(Run(text, (left, top, right, bottom), bottom - top, self._link))
        self._pieces, self._box = [], []

    def _look_of(self, shape: Any, at: int) -> Look:
        """How the text object of a character is painted."""
        mode = pdfium.FPDFTextObj_GetTextRenderMode(shape)
        if mode == _INVISIBLE:
            return Look.UNPAINTED
        look, (red, green, blue, alpha) = Look.GONE, (ctypes.c_uint() for _ in range(4))
        for paints, colour_of in (
            (mode in _FILLED or mode < 0, pdfium.FPDFText_GetFillColor),
            (mode in _STROKED, pdfium.FPDFText_GetStrokeColor),
        ):
            if not paints:
                continue
            if not colour_of(self._text, at, red, green, blue, alpha):
                return Look.SEEN
            if alpha.value <= _FAINTEST:
                continue
            if min(red.value, green.value, blue.value) < _NEARLY_WHITE:
                return Look.SEEN
            look = Look.WHITE
        return look
