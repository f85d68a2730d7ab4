"""The cells of a table in the slots of the HTML Standard's table model ("forming a table").

Two departures, both as browsers show it: a row exists only where the page has a `<tr>` (`rowspan` does
not reach out of its row group), and columns in which no cell begins do not exist behind the last one,
nor where they are many (`colspan="100"` means "all of them"). Where two cells claim a slot, the first of
them has it.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from fetcher.web.reading.tables.grids import Grid
from fetcher.web.reading.tree import Tree

NO_CELL = -1
MAX_COLUMNS = 1000
MAX_SLOTS = 200_000
"""Of all tables of a page together."""

_NUMBER = re.compile(r"[\t\n\f\r ]*+(?:\+|-(?=0++(?![0-9])))?+0*+([0-9]*+)(?<=[0-9])")
"""The Standard's rules for parsing non-negative integers: white space, a sign, digits, whatever follows."""
_MOST = {"colspan": 1000, "rowspan": 65534}
"""The Standard's limits of `colspan` and `rowspan`."""

_MOST_BETWEEN = 20
"""Columns in a row in which no cell begins: more of them are a span that was written at random."""

_CLAIMS = 5
"""How often each slot may be claimed by cells that overlap."""


_first_column = attrgetter("first")


class SlotBudget:
    """How many slots the tables of a page may still have: bounded while they are made."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.cells = self.claims = _CLAIMS * slots


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


def form(tree: Tree, grid: Grid, room: SlotBudget) -> Slots:
    """The table with its spans resolved, up to the last whole row for which there is room."""
    rows: list[list[_Cell]] = []
    origins: list[int] = []
    row: list[_Cell] = []
    begun: set[int] = {0}
    group, cut = NO_CELL, False
    for at in _in_order(tree, grid):
        above, group = (row if grid.groups[at] == group else []), grid.groups[at]
        row = [cell for cell in above if cell.last >= at]
        own = _placed(tree, grid.rows[at], at, sorted(row, key=_first_column))
        begun.update(cell.first for cell in own)
        row += own
        room.cells -= len(row)
        if room.cells < 0 or len(rows) > room.slots // min(len(begun), MAX_COLUMNS):
            cut = True
            break
        if row:
            rows.append(row)
            origins.append(at)
    columns = _columns(begun)
    fitting = list(_filled(rows, columns[:MAX_COLUMNS], room))
    return Slots(
        rows=fitting,
        origins=origins[: len(fitting)],
        cut=cut or len(fitting) < len(rows) or len(columns) > MAX_COLUMNS,
    )


def _in_order(tree: Tree, grid: Grid) -> list[int]:
    """The numbers of the rows, those of a `tfoot` last."""
    return sorted(range(len(grid.rows)), key=lambda at: tree.tags[grid.groups[at]] == "tfoot")


def _placed(tree: Tree, nodes: list[int], at: int, above: list[_Cell]) -> list[_Cell]:
    """A row's own cells, where those from above, in the order of their columns, leave room."""
    found: list[_Cell] = []
    column, passed = 0, 0
    for node in nodes:
        while passed < len(above) and above[passed].first <= column:
            column = max(column, above[passed].first + above[passed].across)
            passed += 1
        across, down = 1, 1
        if tree.attributes[node]:
            across = span(tree, node, "colspan") or 1
            down = span(tree, node, "rowspan") or len(tree.tags)
        found.append(_Cell(node, column, across, at + down - 1))
        column += across
    return found


def _columns(begun: set[int]) -> list[int]:
    """The columns that exist: those in which a cell begins, and those between them, unless they are many."""
    columns: list[int] = []
    for first, after in pairwise((-1, *sorted(begun))):
        between = range(first + 1, after)
        columns += [*between, after] if len(between) <= _MOST_BETWEEN else [after]
    return columns


def _filled(rows: list[list[_Cell]], columns: list[int], room: SlotBudget) -> Iterator[list[int]]:
    """The slots of the rows, as far as there is room."""
    for row in rows[: room.slots // len(columns)]:
        slots = [NO_CELL] * len(columns)
        for cell in row:
            first, end = bisect_left(columns, cell.first), bisect_left(columns, cell.first + cell.across)
            room.claims -= end - first
            slots[first:end] = [cell.node if slot == NO_CELL else slot for slot in slots[first:end]]
        if room.claims < 0:
            return
        room.slots -= len(columns)
        yield slots


def span(tree: Tree, node: int, name: str) -> int:
    """A span as the Standard parses it; 0, for rows, means to the end of the group."""
    digits = _NUMBER.match(tree.attribute(node, name) or "")
    return min(int(digits[1][:6] or "0"), _MOST[name]) if digits else 1
