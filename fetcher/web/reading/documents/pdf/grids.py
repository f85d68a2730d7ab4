"""Tables that rules draw: cells between lines, merged where a line is missing."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from fetcher.web.reading.documents.pdf.characters import Run
from fetcher.web.reading.documents.pdf.drawings import Box, Drawings

MOST_RULES = 4000
"""Of a page; more are a drawing or a pattern."""
_NEAR = 3.0
"""Points within which two rules are the same, or touch."""
_FEWEST_FILLED = 0.3
"""The share of a table's cells that has text; a chart or a form of boxes has less."""

_Rule = tuple[float, float, float]
_Axis = tuple[list[float], list[_Rule]]
"""The positions of the lines of a grid, and the rules that draw them."""


@dataclass(slots=True)
class Cell:
    row: int
    column: int
    down: int
    across: int
    runs: list[Run]


@dataclass(slots=True)
class RuledTable:
    box: Box
    cells: list[Cell]


def ruled_tables(drawings: Drawings, runs: Sequence[Run]) -> list[RuledTable]:
    """The tables of a page with the runs in their cells."""
    if not 0 < len(drawings.horizontal) + len(drawings.vertical) <= MOST_RULES:
        return []
    left_rows, left_columns = _joined(drawings.horizontal), _joined(drawings.vertical)
    found = []
    while left_columns:  # one group of rules that touch one another at a time
        rows, columns = list[_Rule](), [left_columns.pop()]
        fresh_rows, fresh_columns = list[_Rule](), columns[:]
        while fresh_columns or fresh_rows:
            fresh_rows, left_rows = _split(left_rows, fresh_columns)
            rows += fresh_rows
            fresh_columns, left_columns = _split(left_columns, fresh_rows)
            columns += fresh_columns
        if table := _table(rows, columns, runs):
            found.append(table)
    return found


def _joined(rules: Sequence[_Rule]) -> list[_Rule]:
    """Rules in one line that touch or overlap, as one."""
    found: list[_Rule] = []
    for at, start, end in sorted(rules):
        for number in range(len(found) - 1, -1, -1):
            other, first, last = found[number]
            if at - other > _NEAR:
                found.append((at, start, end))
                break
            if start <= last + _NEAR and end >= first - _NEAR:
                found[number] = other, min(first, start), max(last, end)
                break
        else:
            found.append((at, start, end))
    return found


def _split(rules: list[_Rule], others: list[_Rule]) -> tuple[list[_Rule], list[_Rule]]:
    """Those rules that cross or touch one of the others, and the rest."""
    crossing, rest = list[_Rule](), list[_Rule]()
    for rule in rules:
        at, start, end = rule
        hit = any(
            start - _NEAR <= other <= end + _NEAR and first - _NEAR <= at <= last + _NEAR
            for other, first, last in others
        )
        (crossing if hit else rest).append(rule)
    return crossing, rest


def _positions(rules: Sequence[_Rule], others: Sequence[_Rule]) -> list[float]:
    """Where lines of a grid are: at its rules, and at the ends of those that cross them."""
    ends = [min(start for _, start, _ in others), max(end for _, _, end in others)]
    found: list[float] = []
    for at in sorted([*(at for at, _, _ in rules), *ends]):
        if not found or at - found[-1] > _NEAR:
            found.append(at)
    return found


def _table(rows: list[_Rule], columns: list[_Rule], runs: Sequence[Run]) -> RuledTable | None:
    if not rows or not columns:
        return None
    xs, ys = _positions(columns, rows), _positions(rows, columns)
    if len(xs) < 3 or len(ys) < 3 or (len(xs) - 1) * (len(ys) - 1) > MOST_RULES:
        return None
    cells: dict[tuple[int, int], Cell] = {}
    for row, column in product(range(len(ys) - 1), range(len(xs) - 1)):
        if (row, column) not in cells:
            cell = _cell(row, column, (ys, rows), (xs, columns))
            for down, across in product(range(cell.down), range(cell.across)):
                cells.setdefault((row + down, column + across), cell)
    box = xs[0], ys[0], xs[-1], ys[-1]
    for run in runs:
        x, y = run.middle
        if box[0] <= x <= box[2] and box[1] <= y <= box[3]:
            at = max(0, bisect_right(ys, y) - 1), max(0, bisect_right(xs, x) - 1)
            if at in cells:
                cells[at].runs.append(run)
    own = list({id(cell): cell for cell in cells.values()}.values())
    filled = sum(bool(cell.runs) for cell in own)
    if filled < 3 or filled < _FEWEST_FILLED * len(own) or len(own) < 4:
        return None
    return RuledTable(box, own)


def _cell(
    row: int,
    column: int,
    down_page: _Axis,
    across_page: _Axis,
) -> Cell:
    """The cell that begins at a place of the grid, as far as no rule ends it."""
    (ys, rows), (xs, columns) = down_page, across_page
    across, down = 1, 1
    middle = (ys[row] + ys[row + 1]) / 2
    while column + across < len(xs) - 1 and not _covers(columns, xs[column + across], middle):
        across += 1
    inner = [(xs[column + at] + xs[column + at + 1]) / 2 for at in range(across)]
    while row + down < len(ys) - 1 and not any(_covers(rows, ys[row + down], x) for x in inner):
        down += 1
    return Cell(row, column, down, across, [])


def _covers(rules: Sequence[_Rule], at: float, across: float) -> bool:
    return any(abs(other - at) <= _NEAR and start - 1 <= across <= end + 1 for other, start, end in rules)
