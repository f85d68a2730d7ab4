"""The cells of a table in the slots of the HTML Standard's table model ("forming a table").

Two departures, both as browsers show tables. A row exists only where the page has a `<tr>` (`rowspan` does
not reach out of its row group). Columns in which no cell begins do not exist after the last one, nor where
they are many (`colspan="100"` means "all of them"). If two cells claim a slot, the first of them gets it.
"""

import re
from bisect import bisect_left
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

_NUMBER = re.compile(r"[\t\n\f\r ]*+(?>\+|-(?=0++(?![0-9])))?+0*+([0-9]*+)(?<=[0-9])")
"""The Standard's rules for parsing non-negative integers: white space, a sign, digits; more is ignored."""
_MOST = {"colspan": 1000, "rowspan": 65534}
"""The Standard's limits of `colspan` and `rowspan`."""

_MOST_BETWEEN = 20
"""Neighbouring columns in which no cell begins; more of them come from a span wider than the table."""

_CLAIMS = 5
"""How often each slot may be claimed by cells that overlap."""


class SlotBudget:
    """How many slots the tables of a page may still have; it is checked while they are formed."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.cells = self.claims = _CLAIMS * slots


class _Cell(NamedTuple):
    node: int
    first: int
    """Its first column."""
    across: int
    last: int
    """The number of the last row that it reaches, in its row group or after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    rows: list[list[int]]
    """For each row and column the node of the cell that is seen there, or NO_CELL."""
    origins: list[int]
    """For each row its number among the grid's rows: the rows of a `tfoot` come last."""
    cut: bool
    """True when the budget was too small for all rows or all columns."""


def form(tree: Tree, grid: Grid, budget: SlotBudget) -> Slots:
    """The table with its spans resolved, up to the last whole row within the budget."""
    rows: list[list[_Cell]] = []
    origins: list[int] = []
    row: list[_Cell] = []
    begun: set[int] = {0}
    group, cut = NO_CELL, False
    for at in sorted(range(len(grid.rows)), key=lambda at: tree.tags[grid.groups[at]] == "tfoot"):
        above, group = (row if grid.groups[at] == group else []), grid.groups[at]
        row = [cell for cell in above if cell.last >= at]
        own = _placed(tree, grid.rows[at], at, sorted(row, key=attrgetter("first")))
        begun.update(cell.first for cell in own)
        row += own
        budget.cells -= len(row)
        if budget.cells < 0 or len(rows) > budget.slots // min(len(begun), MAX_COLUMNS):
            cut = True
            break
        if row:
            rows.append(row)
            origins.append(at)
    # Columns exist where a cell begins, and between these unless they are many.
    columns: list[int] = []
    for before, first in pairwise((-1, *sorted(begun))):
        between = range(before + 1, first)
        columns += [*between, first] if len(between) <= _MOST_BETWEEN else [first]
    cut, columns = cut or len(columns) > MAX_COLUMNS, columns[:MAX_COLUMNS]
    fitting: list[list[int]] = []
    for cells in rows[: budget.slots // len(columns)]:
        slots = [NO_CELL] * len(columns)
        for cell in cells:
            first, end = bisect_left(columns, cell.first), bisect_left(columns, cell.first + cell.across)
            budget.claims -= end - first
            slots[first:end] = [cell.node if slot == NO_CELL else slot for slot in slots[first:end]]
        if budget.claims < 0:
            break
        budget.slots -= len(columns)
        fitting.append(slots)
    return Slots(rows=fitting, origins=origins[: len(fitting)], cut=cut or len(fitting) < len(rows))


def _placed(tree: Tree, nodes: list[int], at: int, above: list[_Cell]) -> list[_Cell]:
    """A row's own cells, in the columns that the cells from above, ordered by column, leave free."""
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


def span(tree: Tree, node: int, name: str) -> int:
    """A span as the Standard parses it; 0, for rows, means to the end of the group."""
    digits = _NUMBER.match(tree.attribute(node, name) or "")
    return min(int(digits[1][:6] or "0"), _MOST[name]) if digits else 1
