"""What a page draws besides text: the rules of tables, painted areas, and pictures."""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pypdfium2.raw as pdfium

MOST_OBJECTS = 20_000
"""Of a page; more are a drawing, not tables."""
_MOST_SEGMENTS = 2000
"""Of one path."""
_DEEPEST = 6
_THIN = 2.5
"""Points: a painted box that is thinner is a rule."""
_STRAIGHT = 0.7
_SHORTEST = 4.0
_NEARLY_WHITE = 245

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, in points from the page's upper left corner."""


@dataclass(slots=True)
class Drawings:
    """Rules as (position, from, to), and the boxes of what is painted."""

    horizontal: list[tuple[float, float, float]] = field(default_factory=list)
    vertical: list[tuple[float, float, float]] = field(default_factory=list)
    painted: list[Box] = field(default_factory=list)
    pictures: list[Box] = field(default_factory=list)

    def is_painted(self, x: float, y: float) -> bool:
        """Whether something that is not white lies at a point."""
        return any(
            left <= x <= right and top <= y <= bottom for left, top, right, bottom in self.painted
        ) or (self.is_picture(x, y))

    def is_picture(self, x: float, y: float) -> bool:
        return any(left <= x <= right and top <= y <= bottom for left, top, right, bottom in self.pictures)

    def divides(self, left: float, right: float, y: float) -> bool:
        """Whether a vertical rule stands between two characters."""
        return any(left <= x <= right and top <= y <= bottom for x, top, bottom in self.vertical)


class Frame:
    """The page's own coordinates, turned so that people read from the upper left corner."""

    def __init__(self, page: Any) -> None:
        box = pdfium.FS_RECTF()
        pdfium.FPDF_GetPageBoundingBox(page, box)
        self._left, self._top, self._right, self._bottom = box.left, box.top, box.right, box.bottom
        self._turn = pdfium.FPDFPage_GetRotation(page)
        sides = (self._right - self._left, self._top - self._bottom)
        self.width, self.height = sides if self._turn % 2 == 0 else sides[::-1]

    def point(self, x: float, y: float) -> tuple[float, float]:
        if self._turn == 0:
            return x - self._left, self._top - y
        if self._turn == 1:
            return y - self._bottom, x - self._left
        if self._turn == 2:
            return self._right - x, y - self._bottom
        return self._top - y, self._right - x

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        (x0, y0), (x1, y1) = self.point(left, bottom), self.point(right, top)
        return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def drawings_of(page: Any, frame: Frame) -> Drawings:
    """The rules and painted areas of a page, at most `MOST_OBJECTS` objects looked at."""
    found = Drawings()
    for count, (shape, kind, matrices) in enumerate(_objects(page)):
        if count >= MOST_OBJECTS:
            return Drawings(pictures=found.pictures)
        edges = [ctypes.c_float() for _ in range(4)]
        if not pdfium.FPDFPageObj_GetBounds(shape, *edges):
            continue
        left, bottom, right, top = (edge.value for edge in edges)
        (x0, y0), (x1, y1) = (_moved(x, y, matrices) for x, y in ((left, bottom), (right, top)))
        bounds = left, top, right, bottom = frame.box(x0, y0, x1, y1)
        if kind != pdfium.FPDF_PAGEOBJ_PATH:
            found.pictures.append(bounds)
            continue
        mode, stroked = ctypes.c_int(), ctypes.c_int()
        pdfium.FPDFPath_GetDrawMode(shape, mode, stroked)
        if mode.value and min(right - left, bottom - top) <= _THIN:
            x, y = (left + right) / 2, (top + bottom) / 2
            is_flat = right - left >= bottom - top
            _add_rule(found, *(((left, y), (right, y)) if is_flat else ((x, top), (x, bottom))))
        elif mode.value:
            red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
            coloured = pdfium.FPDFPageObj_GetFillColor(shape, red, green, blue, alpha)
            lightest = min(red.value, green.value, blue.value) if alpha.value else _NEARLY_WHITE
            if not coloured or lightest < _NEARLY_WHITE:
                found.painted.append(bounds)
        if stroked.value:
            _add_edges(found, shape, matrices, frame)
    return found


def _objects(page: Any) -> Iterator[tuple[Any, int, tuple[Any, ...]]]:
    """Each path and picture with the matrices of the forms around it."""
    count = _few(pdfium.FPDFPage_CountObjects(page))
    open_: list[tuple[Any, tuple[Any, ...]]] = [
        (pdfium.FPDFPage_GetObject(page, at), ()) for at in reversed(range(count))
    ]
    while open_:
        shape, matrices = open_.pop()
        kind = pdfium.FPDFPageObj_GetType(shape)
        if kind == pdfium.FPDF_PAGEOBJ_FORM and len(matrices) < _DEEPEST:
            matrix = pdfium.FS_MATRIX()
            pdfium.FPDFPageObj_GetMatrix(shape, matrix)
            inner = range(_few(pdfium.FPDFFormObj_CountObjects(shape)))
            open_.extend(
                (pdfium.FPDFFormObj_GetObject(shape, at), (matrix, *matrices)) for at in reversed(inner)
            )
        elif kind in (pdfium.FPDF_PAGEOBJ_PATH, pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_SHADING):
            yield shape, kind, matrices


def _few(count: int) -> int:
    return max(0, min(count, MOST_OBJECTS + 1))


def _moved(x: float, y: float, matrices: tuple[Any, ...]) -> tuple[float, float]:
    for matrix in matrices:
        x, y = matrix.a * x + matrix.c * y + matrix.e, matrix.b * x + matrix.d * y + matrix.f
    return x, y


def _add_edges(found: Drawings, shape: Any, matrices: tuple[Any, ...], frame: Frame) -> None:
    """The straight edges of a path that is stroked."""
    own = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(shape, own)
    x, y = ctypes.c_float(), ctypes.c_float()
    start = last = None
    for at in range(min(pdfium.FPDFPath_CountSegments(shape), _MOST_SEGMENTS)):
        segment = pdfium.FPDFPath_GetPathSegment(shape, at)
        if not pdfium.FPDFPathSegment_GetPoint(segment, x, y):
            continue
        point = frame.point(*_moved(x.value, y.value, (own, *matrices)))
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_LINETO and last is not None:
            _add_rule(found, last, point)
        elif kind == pdfium.FPDF_SEGMENT_MOVETO:
            start = point
        last = point
        if pdfium.FPDFPathSegment_GetClose(segment) and start is not None:
            _add_rule(found, point, start)


def _add_rule(found: Drawings, start: tuple[float, float], end: tuple[float, float]) -> None:
    (x0, y0), (x1, y1) = start, end
    if abs(y0 - y1) <= _STRAIGHT and abs(x0 - x1) >= _SHORTEST:
        found.horizontal.append(((y0 + y1) / 2, min(x0, x1), max(x0, x1)))
    elif abs(x0 - x1) <= _STRAIGHT and abs(y0 - y1) >= _SHORTEST:
        found.vertical.append(((x0 + x1) / 2, min(y0, y1), max(y0, y1)))
