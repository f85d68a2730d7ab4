"""The cells of a table in the slots of the HTML Standard's table model ("forming a table").

Two departures, both as browsers show it: a row exists only where the page has a `<tr>` (`rowspan` does
not reach out of its row group), and columns behind the last one in which a cell begins do not exist
(`colspan="100"` means "all of them"). Where two cells claim a slot, the first of them has it.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

from fetcher.web.markdown.grids import Grid
from fetcher.web.tree import Tree

NO_CELL = -1
MAX_COLUMNS = 1000
MAX_SLOTS = 200_000
"""Of all tables of a page together."""

_NUMBER = re.compile(r"[\t\n\f\r ]*+(?:\+|-(?=0++(?![0-9])))?+0*+([0-9]*+)(?<=[0-9])")
"""The Standard's rules for parsing non-negative integers: white space, a sign, digits, whatever follows."""
_MOST_ACROSS = 1000
_MOST_DOWN = 65534
"""The Standard's limits of `colspan` and `rowspan`."""

_CLAIMS = 5
"""How often each slot may be claimed: by cells that overlap, or that reach behind the last column."""


class Room:
    """How many slots the tables of a page may still have: bounded while they are made."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.claims = _CLAIMS * slots


class _Cell(NamedTuple):
    node: int
    first: int
    """Its first column."""
    across: int
    last: int
    """The number of the last row that it reaches, in its row group or behind it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    rows: list[list[int]]
    """For each row and column the node of the cell that is seen there, or NO_CELL."""
    origins: list[int]
    """For each row its number among the grid's rows: the rows of a `tfoot` come last."""
    cut: bool
    """True when there was no room for all rows or all columns."""


def form(tree: Tree, grid: Grid, room: Room) -> Slots:
    """The table with its spans resolved, up to the last whole row for which there is room."""
    rows: list[list[_Cell]] = []
    origins: list[int] = []
    row: list[_Cell] = []
    group, columns, cut = NO_CELL, 1, False
    for at in _in_order(tree, grid):
        above, group = (row if grid.groups[at] == group else []), grid.groups[at]
        row = [cell for cell in above if cell.last >= at]
        begun, whole = _place(tree, grid.rows[at], at, row)
        columns, cut = max(columns, begun), cut or not whole
        room.claims -= sum(cell.across for cell in row)
        if room.claims < 0 or len(rows) > room.slots // columns:
            cut = True
            break
        if row:
            rows.append(row)
            origins.append(at)
    fitting = rows[: room.slots // columns]
    room.slots -= columns * len(fitting)
    return Slots(
        rows=[_slots(row, columns) for row in fitting],
        origins=origins[: len(fitting)],
        cut=cut or len(fitting) < len(rows),
    )


def _in_order(tree: Tree, grid: Grid) -> list[int]:
    """The numbers of the rows, those of a `tfoot` last."""
    return sorted(range(len(grid.rows)), key=lambda at: tree.tags[grid.groups[at]] == "tfoot")


def _place(tree: Tree, nodes: list[int], at: int, row: list[_Cell]) -> tuple[int, bool]:
    """Adds a row's own cells where those from above leave room.

    Returns the number of columns up to the last one begun, and whether all cells found a place.
    """
    taken = {column for cell in row for column in range(cell.first, cell.first + cell.across)}
    column = begun = 0
    for node in nodes:
        while column in taken:
            column += 1
        if column >= MAX_COLUMNS:
            return begun, False
        begun = column + 1
        across, down = 1, 1
        if tree.attributes[node]:
            across = min(_span(tree, node, "colspan", _MOST_ACROSS) or 1, MAX_COLUMNS - column)
            down = _span(tree, node, "rowspan", _MOST_DOWN) or len(tree.tags)
        row.append(_Cell(node, column, across, at + down - 1))
        column += across
    return begun, True


def _slots(row: list[_Cell], columns: int) -> list[int]:
    slots = [NO_CELL] * columns
    for node, first, across, _ in reversed(row):
        end = min(first + across, columns)
        slots[first:end] = [node] * (end - first)
    return slots


def _span(tree: Tree, node: int, name: str, most: int) -> int:
    """A span as the Standard parses it; 0, for rows, means to the end of the group."""
    digits = _NUMBER.match(tree.attribute(node, name) or "")
    return min(int(digits[1][:6] or "0"), most) if digits else 1
