"""Which rows of a table name its columns, as people read it."""

import re
from collections.abc import Sequence

from fetcher.web.reading.tables.grids import Grid
from fetcher.web.reading.tables.slots import span
from fetcher.web.reading.tree import Tree

_ARROWS = re.compile(
    r"(?<![\s\u25b2\u25bc\u25b3\u25bd\u21c5\u2195])\s*[\u25b2\u25bc\u25b3\u25bd\u21c5\u2195]++\Z"
)


def header_rows(tree: Tree, grid: Grid, order: Sequence[int]) -> list[int]:
    """The numbers of these rows: those of a `thead`, else those of `th` alone, else the first or none."""
    rows = [at for at in order if grid.rows[at]]
    heads = _rows_of_thead(tree, grid, rows)
    if heads and len(heads) < len(rows):
        return heads
    return _rows_of_names(tree, grid, rows) or _first_row(tree, grid, rows) if rows else []


def joined(names: Sequence[str]) -> str:
    """A column's name under several header rows, without the arrows by which the table can be sorted."""
    return " / ".join(dict.fromkeys(_ARROWS.sub("", name) or name for name in names if name))


def _rows_of_thead(tree: Tree, grid: Grid, rows: list[int]) -> list[int]:
    heads = [at for at in rows if tree.tags[grid.groups[at]] == "thead"]
    return [at for at in heads if grid.groups[at] == grid.groups[heads[0]]]


def _rows_of_names(tree: Tree, grid: Grid, rows: list[int]) -> list[int]:
    """The first rows of `th` alone, below rows without any; a lone `th` further down heads a section."""
    found: list[int] = []
    for at in rows:
        cells = grid.rows[at]
        if _holds_names(tree, cells) and not (found and len(cells) == 1):
            found.append(at)
        elif found or any(tree.tags[cell] == "th" for cell in cells):
            return found
    # Nothing but names: no more than the first row heads the others. Names at the very end are sums.
    return found[:1] if found[:1] == rows[:1] else []


def _holds_names(tree: Tree, cells: list[int]) -> bool:
    corner, *others = cells
    named = others if others and _is_empty(tree, corner) else cells
    return all(tree.tags[cell] == "th" for cell in named)


def _first_row(tree: Tree, grid: Grid, rows: list[int]) -> list[int]:
    """The first row, unless each row is a name and what it names, or several such pairs."""
    cells = grid.rows[rows[0]]
    if not grid.headed:
        depth = _depth(tree, cells)
        return rows[:depth] if 1 < depth < len(rows) else rows[:1]
    if _is_empty(tree, cells[0]):
        return rows[:1]
    first = [tree.tags[cell] for cell in cells]
    pairs = max(len(grid.rows[at]) for at in rows) == 2 and (len(first) == 1 or "th" in first)
    return [] if pairs or "th" in first[1:] else rows[:1]


def _depth(tree: Tree, cells: list[int]) -> int:
    """How many rows a header of plain cells has.

    Two below a title that spans the table; else as many as cells reach down beside those that span groups.
    """
    spans = [(span(tree, cell, "colspan"), span(tree, cell, "rowspan")) for cell in cells]
    if len(cells) == 1:
        return 2 if spans[0][0] > 1 else 1
    deepest = max(down for _, down in spans)
    return deepest if all(down == deepest or (across > 1 and down == 1) for across, down in spans) else 1


def _is_empty(tree: Tree, cell: int) -> bool:
    return not any(map(str.strip, tree.texts[cell : tree.ends[cell]]))
