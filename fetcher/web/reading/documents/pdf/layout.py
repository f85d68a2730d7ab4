"""The order in which people read a page: columns one after the other, lines from top to bottom."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from fetcher.web.reading.documents.pdf.characters import Run
from fetcher.web.reading.documents.pdf.drawings import Box
from fetcher.web.reading.documents.pdf.grids import RuledTable
from fetcher.web.reading.documents.wordlists import LIST_ITEM
from fetcher.web.reading.markdown.escape import CJK

_DEEPEST = 12
_NARROWEST_GUTTER = 7.0
"""Points between two columns of text."""
_FEWEST_LINES = 4
_FULL = 0.45
"""The share of its column that a line of text fills; the cells of a table without rules are shorter."""
_FEWEST_CHARACTERS = 12
_WIDE_BESIDE = re.compile(f"[{CJK}]")


@dataclass(slots=True)
class Line:
    """Runs beside one another; or a table, which stands like a line among the others."""

    box: Box
    size: float
    runs: list[Run] = field(default_factory=list)
    table: RuledTable | None = None

    @property
    def text(self) -> str:
        return "".join(told for told, _ in pieces([self]))


def lines_in_order(runs: Sequence[Run], tables: Sequence[RuledTable]) -> list[list[Line]]:
    """Groups of lines, each a column or a stretch over the whole width, in reading order."""
    inside = {id(run) for table in tables for cell in table.cells for run in cell.runs}
    lines = [Line(run.box, run.size, [run]) for run in runs if id(run) not in inside and run.text.strip()]
    lines += [Line(table.box, 0.0, table=table) for table in tables]
    groups: list[list[Line]] = []
    open_ = [(lines, 0)]
    while open_:
        part, depth = open_.pop()
        halves = _halves(part) if depth < _DEEPEST and len(part) > 1 else None
        if halves:
            open_.extend((half, depth + 1) for half in reversed(halves))
        elif part:
            groups.append(rows_of(part))
    return groups


def _halves(part: list[Line]) -> list[list[Line]] | None:
    """A part cut at the widest gutter between two columns of text; else at its widest gap from top to bottom,
    if a half of it may have columns."""
    gap, at = _widest_gap([(line.box[0], line.box[2]) for line in part])
    if gap >= _NARROWEST_GUTTER:
        left = [line for line in part if line.box[2] <= at]
        right = [line for line in part if line.box[0] >= at]
        if _is_column(left) and _is_column(right):
            return [left, right]
    sizes = [line.size for line in part if line.size]
    gap, at = _widest_gap([(line.box[1], line.box[3]) for line in part])
    if gap <= 0.15 * (median(sizes) if sizes else 10.0):
        return None
    upper = [line for line in part if line.box[3] <= at]
    lower = [line for line in part if line.box[1] >= at]
    # Cutting is of use only where it frees a gutter.
    return [upper, lower] if _has_columns(upper) or _has_columns(lower) else None


def _is_column(part: list[Line]) -> bool:
    texts = [line for line in part if line.table is None]
    rows = rows_of(texts)
    if len(rows) < _FEWEST_LINES:
        return False
    width = max(line.box[2] for line in texts) - min(line.box[0] for line in texts)
    full = median(sum(run.box[2] - run.box[0] for run in row.runs) for row in rows) / max(1.0, width)
    characters = median(sum(map(len, (run.text for run in row.runs))) for row in rows)
    return full >= _FULL and characters >= _FEWEST_CHARACTERS


def _has_columns(part: list[Line]) -> bool:
    """Whether two long runs stand beside one another on most of the lines."""
    rows = rows_of(part)
    pairs = sum(len(row.runs) > 1 for row in rows if row.table is None)
    return len(rows) >= _FEWEST_LINES and pairs * 3 >= len(rows)


def _widest_gap(spans: list[tuple[float, float]]) -> tuple[float, float]:
    """The widest stretch that no span covers, and its middle."""
    widest, middle, reached = 0.0, 0.0, None
    for start, end in sorted(spans):
        if reached is not None and start - reached > widest:
            widest, middle = start - reached, (start + reached) / 2
        reached = end if reached is None else max(reached, end)
    return widest, middle


def rows_of(part: Sequence[Line]) -> list[Line]:
    """Lines of the runs that stand beside one another, from top to bottom."""
    rows: list[Line] = []
    for line in sorted(part, key=lambda each: (each.box[1] + each.box[3]) / 2):
        last = rows[-1] if rows else None
        beside = last is not None and (
            min(last.box[3], line.box[3]) - max(last.box[1], line.box[1])
            > 0.5 * min(last.box[3] - last.box[1], line.box[3] - line.box[1])
        )
        if last is None or last.table or line.table or not beside:
            rows.append(Line(line.box, line.size, list(line.runs), line.table))
            continue
        last.runs.extend(line.runs)
        last.size = max(last.size, line.size)
        boxes = last.box, line.box
        last.box = (
            min(box[0] for box in boxes),
            min(box[1] for box in boxes),
            max(box[2] for box in boxes),
            max(box[3] for box in boxes),
        )
    for row in rows:
        row.runs.sort(key=lambda run: run.box[0])
    return rows


def paragraphs(group: Sequence[Line]) -> list[list[Line]]:
    """The lines of a column as paragraphs: a short line, a wide gap, another size or an item ends one."""
    found: list[list[Line]] = []
    right = max((line.box[2] for line in group), default=0.0)
    for line in group:
        last = found[-1][-1] if found else line
        size = max(1.0, last.size)
        if (
            not found
            or last.table
            or line.table
            or abs(line.size - last.size) > 0.12 * size
            or line.box[1] - last.box[3] > 0.6 * size
            or last.box[2] < right - 2.5 * size
            or line.box[0] - last.box[0] > 0.8 * size
            or len(line.runs) > 2
            or len(last.runs) > 2
            or LIST_ITEM.match(line.runs[0].text)
        ):
            found.append([line])
        else:
            found[-1].append(line)
    return found


def pieces(lines: Sequence[Line]) -> list[tuple[str, str]]:
    """The text of lines with the link of each piece; Japanese lines are joined without a space."""
    found: list[tuple[str, str]] = []
    for line in lines:
        for number, run in enumerate(line.runs):
            text = run.text
            if found:
                before = found[-1][0]
                ideographs = _WIDE_BESIDE.match(before[-1:]) and _WIDE_BESIDE.match(text[:1])
                gap = run.box[0] - line.runs[number - 1].box[2]
                if before.endswith("\xad"):
                    found[-1] = before[:-1], found[-1][1]
                elif gap >= (0.6 if ideographs else 0.15) * line.size if number else not ideographs:
                    text = " " + text
            found.append((text, run.link))
    return found
