"""Data tables as GitHub's pipe tables: by the SRD (FR-WF-EXT-TABLE-01), or as people read them."""

from collections.abc import Mapping
from itertools import zip_longest

from fetcher.codes import ReadingMode
from fetcher.web.reading.tables.grids import Grid
from fetcher.web.reading.tables.headers import header_rows, joined
from fetcher.web.reading.tables.slots import SlotBudget, form
from fetcher.web.reading.tree import Tree

_BORDER = 3
"""The characters between two cells."""
_MOST_PADDING = 40
"""How many times the cells of a table may grow by filling short rows: readers also accept short rows."""
_MOST_GROWTH = 16
"""How many times as long a table may become by its spans."""

_Texts = Mapping[int, str]
"""The text of each cell, as Markdown."""


def pipe_table(tree: Tree, grid: Grid, texts: _Texts, budget: SlotBudget) -> str:
    """The table, its header first, cells repeated wherever they reach; rows without any text are left out."""
    if grid.mode is ReadingMode.SRD:
        plain = _unresolved(grid, texts)
        return _written(plain.pop(grid.header), list(plain.values()))
    slots = form(tree, grid, budget)
    most = _MOST_GROWTH * sum(len(text) + _BORDER for text in texts.values())
    rows = {
        at: [texts.get(cell, "") for cell in row] for at, row in zip(slots.origins, slots.rows, strict=True)
    }
    if slots.cut or sum(len(text) + _BORDER for row in rows.values() for text in row) > most:
        rows = _unresolved(grid, texts)  # spans are ignored
    heads = header_rows(tree, grid, list(rows))
    for at, row in rows.items():
        if len(grid.rows[at]) == 1 and len(set(row)) == 1:  # a section's heading or a note: said once
            row[1:] = [""] * (len(row) - 1)
    names = map(joined, zip_longest(*(rows.pop(at) for at in heads), fillvalue=""))
    return _written(list(names), list(rows.values()))


def _unresolved(grid: Grid, texts: _Texts) -> dict[int, list[str]]:
    return {at: [texts[cell] for cell in row] for at, row in enumerate(grid.rows)}


def _written(header: list[str], body: list[list[str]]) -> str:
    """The lines of a pipe table, short rows filled up."""
    width = max(map(len, [header, *body]))
    body = [row for row in body if any(row)]
    cells = len(header) + sum(map(len, body))
    padded = width if width * len(body) <= _MOST_PADDING * cells else 0
    return "\n".join([_line(header, width), "|" + "---|" * width, *[_line(row, padded) for row in body]])


def _line(cells: list[str], width: int) -> str:
    return "| " + " | ".join(cells + [""] * (width - len(cells))) + " |"
