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
    """The numbers of the header rows: all in a `thead`, else all with only `th`, else the first or none."""
    rows = [at for at in order if grid.rows[at]]
    heads = [at for at in rows if tree.tags[grid.groups[at]] == "thead"]
    heads = [at for at in heads if grid.groups[at] == grid.groups[heads[0]]]
    if heads and len(heads) < len(rows):
        return heads
    named = _rows_of_names(tree, grid, rows)
    if named or not rows:
        return named
    cells = grid.rows[rows[0]]
    if not grid.headed:
        # Plain cells: two rows if the first is a title that spans the table, else as many rows as the cells
        # reach down beside those that span groups of columns.
        spans = [(span(tree, cell, "colspan"), span(tree, cell, "rowspan")) for cell in cells]
        depth = max(down for _, down in spans)
        if len(cells) == 1:
            depth = 2 if spans[0][0] > 1 else 1
        elif not all(down == depth or (across > 1 and down == 1) for across, down in spans):
            depth = 1
        return rows[:depth] if 1 < depth < len(rows) else rows[:1]
    if _is_empty(tree, cells[0]):
        return rows[:1]
    # No header if each row is a name and what it names, or several such pairs.
    first = [tree.tags[cell] for cell in cells]
    pairs = max(len(grid.rows[at]) for at in rows) == 2 and (len(first) == 1 or "th" in first)
    return [] if pairs or "th" in first[1:] else rows[:1]


def joined(names: Sequence[str]) -> str:
    """A column's name under several header rows, without the arrows by which the table can be sorted."""
    return " / ".join(dict.fromkeys(_ARROWS.sub("", name) or name for name in names if name))


def _rows_of_names(tree: Tree, grid: Grid, rows: list[int]) -> list[int]:
    """The first rows with only `th`, below rows without any; a single `th` further down heads a section."""
    found: list[int] = []
    for at in rows:
        cells = grid.rows[at]
        named = cells[1:] if len(cells) > 1 and _is_empty(tree, cells[0]) else cells  # an empty corner
        if all(tree.tags[cell] == "th" for cell in named) and not (found and len(cells) == 1):
            found.append(at)
        elif found or any(tree.tags[cell] == "th" for cell in cells):
            return found
    # All rows are names: only the first heads the others. Names only at the very end are sums.
    return found[:1] if found[:1] == rows[:1] else []


def _is_empty(tree: Tree, cell: int) -> bool:
    return not any(map(str.strip, tree.texts[cell : tree.ends[cell]]))
