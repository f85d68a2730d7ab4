"""Which rows of a table name its columns, as people read it.

Markup decides where it says anything. A row of plain cells is harder: a value that is taken for a name
misleads, because the other rows would be told under it; a name that is taken for a value is only the first
row of a table whose columns have no names. So where two columns could be pairs of a name and a value, the
row has to show that it is a header: by its look, by a word such as "price" or "date", or by figures or
sentences below each of its cells. A row of more cells is a header unless it has figures like those below it.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from fetcher.web.reading.markdown.notation import NARROW
from fetcher.web.reading.tables.grids import Grid
from fetcher.web.reading.tables.slots import span
from fetcher.web.reading.tables.wordlists import COLUMN_NAME
from fetcher.web.reading.tree import Tree

_ARROWS = re.compile(
    r"(?<![\s\u25b2\u25bc\u25b3\u25bd\u21c5\u2195])\s*[\u25b2\u25bc\u25b3\u25bd\u21c5\u2195]++\Z"
)

_LEAST_PAIRS = 3
_LONGEST_NAME = 20
_MOST_ROWS = 60
"""Rows below that are compared, at most."""
_LONGEST = 80
_SHORTEST_SENTENCE = 15
_MOST_NODES = 12
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_FIGURE = re.compile(r"([$\u00a3\u00a5\u20a0-\u20bf])?\s?([0-9](?:[0-9,.]*[0-9])?)\s?([^\s0-9]?)")
_MONEY = re.compile(r"[$\u00a3\u00a5\u20a0-\u20bf]\s?[0-9]|[0-9]\s?[\u5186\u20ac]")
_BOLD = frozenset({"b", "strong"})
_LOOKS = ("class", "bgcolor", "style")


def header_rows(tree: Tree, grid: Grid, order: Sequence[int]) -> list[int]:
    """The numbers of the header rows: all in a `thead`, else all with only `th`, else the first or none."""
    rows = [at for at in order if grid.rows[at]]
    if not rows:
        return []
    heads = [at for at in rows if tree.tags[grid.groups[at]] == "thead"]
    heads = [at for at in heads if grid.groups[at] == grid.groups[heads[0]]]
    if heads and len(heads) < len(rows):
        if any(len(grid.rows[at]) > 1 for at in heads):
            return heads
        # A `thead` of titles: the names of the columns may stand below it.
        names = _rows_of_names(tree, grid, rows)
        return (
            names
            if any(len(grid.rows[at]) > 1 for at in names)
            else _with_names_below(tree, grid, heads, rows)
        )
    names = _rows_of_names(tree, grid, rows)
    if any(len(grid.rows[at]) > 1 for at in names):
        return names
    return _with_names_below(tree, grid, names, rows) if names else _plain_names(tree, grid, rows)


def names_rows(tree: Tree, grid: Grid, lines: Sequence[Sequence[str]]) -> bool:
    """Whether the first cells of a table without header rows name the rows: by markup, or as pairs do."""
    rows = [row for row in grid.rows if row]
    if not lines or min(map(len, lines)) < 2:
        return False
    if all(tree.tags[row[0]] == "th" and tree.tags[row[-1]] == "td" for row in rows if len(row) > 1):
        return any(len(row) > 1 for row in rows)
    names = [line[0] for line in lines]
    is_pairs = len(lines) >= _LEAST_PAIRS and all(len(line) == 2 for line in lines)
    return (
        is_pairs and len(set(names)) == len(names) and all(0 < len(name) <= _LONGEST_NAME for name in names)
    )


def joined(names: Sequence[str]) -> str:
    """A column's name under several header rows, without the arrows by which the table can be sorted."""
    return " / ".join(dict.fromkeys(_ARROWS.sub("", name) or name for name in names if name))


def _rows_of_names(tree: Tree, grid: Grid, rows: list[int]) -> list[int]:
    """The first rows with only `th`, at the top or below titles of one cell.

    A single `th` in a row is a title if it comes first, and a section's name if it comes later, or if others
    like it come later.
    """
    lone = [len(grid.rows[at]) == 1 and tree.tags[grid.rows[at][0]] == "th" for at in rows]
    titles = lone.index(False) if False in lone else len(lone)
    has_sections = titles > 0 and any(lone[at] and not lone[at + 1] for at in range(titles, len(rows) - 1))
    found: list[int] = []
    for at, is_lone in zip(rows, lone, strict=True):
        cells = grid.rows[at]
        if is_lone and ((found and len(grid.rows[found[-1]]) > 1) or has_sections):
            if found:
                return found
        elif _tags(tree, cells) == {"th"}:
            found.append(at)
        elif found:
            return found
        elif len(cells) > 1:
            return []  # names below values are in their place there
    # All rows are names: only the first heads the others. Names only at the very end are sums.
    return found[:1] if found[:1] == rows[:1] else []


def _with_names_below(tree: Tree, grid: Grid, titles: list[int], rows: list[int]) -> list[int]:
    """Titles, and the row of plain cells below them if it is plainly a header."""
    below = rows[rows.index(titles[-1]) + 1 :]
    if below and len(grid.rows[below[0]]) > 1 and _reads_as_names(tree, grid, below[0], below[1:]):
        return [*titles, below[0]]
    return titles


def _plain_names(tree: Tree, grid: Grid, rows: list[int]) -> list[int]:
    """The first row of several plain cells, unless it is a row of values or pairs of a name and a value.

    A header of plain cells has two rows if the first is a title that spans the table. Else it has as many
    rows as its cells reach down beside those that span groups of columns.
    """
    top = next((number for number, at in enumerate(rows) if len(grid.rows[at]) > 1), 0)
    at, below = rows[top], rows[top + 1 :]
    cells, width = grid.rows[at], max(len(grid.rows[row]) for row in rows)
    tags = [tree.tags[cell] for cell in cells]
    if tags == ["th"]:
        return []  # the name of a section
    if any(len(_tags(tree, grid.rows[row])) > 1 for row in rows):
        if _is_empty(tree, cells[0]):
            return [at]
        if "th" in tags and (
            width == 2 or "th" in tags[1:] or _reads_as_names(tree, grid, at, below) is False
        ):
            return []
        return [at]
    spans = [(span(tree, cell, "colspan"), span(tree, cell, "rowspan")) for cell in cells]
    depth = max(down for _, down in spans)
    if not all(down == depth or (across > 1 and down == 1) for across, down in spans):
        depth = 1
    if depth == 1 and width > 1:
        is_header = _reads_as_names(tree, grid, at, below)
        is_pair = width == 2 and not _is_empty(tree, cells[0])
        if is_header is False or (is_header is None and (is_pair or not below)):
            return []
    if (
        top == 1
        and tree.tags[grid.rows[rows[0]][0]] == "td"
        and span(tree, grid.rows[rows[0]][0], "colspan") > 1
    ):
        return rows[:2]
    return rows[top : top + depth] if 1 < depth < len(below) + 1 else [at]


def _tags(tree: Tree, cells: list[int]) -> set[str]:
    """The kinds of a row's cells, an empty corner aside."""
    named = cells[1:] if len(cells) > 1 and _is_empty(tree, cells[0]) else cells
    return {tree.tags[cell] for cell in named}


def _is_empty(tree: Tree, cell: int) -> bool:
    return not any(map(str.strip, tree.texts[cell : tree.ends[cell]]))


def _reads_as_names(tree: Tree, grid: Grid, at: int, below: list[int]) -> bool | None:
    """True if a row is a header by its look or its words, False if it is a row of values, else None."""
    cells = grid.rows[at]
    first = [_text(tree, cell) for cell in cells]
    body = [grid.rows[row] for row in below[:_MOST_ROWS] if len(grid.rows[row]) == len(cells)]
    columns = list(zip(*([_text(tree, cell) for cell in row] for row in body), strict=True))
    # The figures of a row may be a sequence, such as years or lessons, behind the name of the rows.
    figures = [figure[2] for figure in map(_FIGURE.search, first[1:]) if figure]
    is_short = all(figure.isdigit() and len(figure) <= 4 for figure in figures)
    steps = {int(after) - int(before) for before, after in pairwise(figures)} if is_short else set[int]()
    counts_up = steps in ({1}, {-1}) and (len(figures) > 2 or all(map(_YEAR.fullmatch, figures)))
    if not counts_up and _has_values(first, columns):
        return False
    if _looks_different(tree, cells, body):
        return True
    if any(map(COLUMN_NAME.fullmatch, first[1:])):
        return True
    if not columns:
        return None
    for text, column in zip(first, columns, strict=True):
        over_figures = not _shape(text) and any(column) and all(map(_shape, filter(None, column)))
        over_sentences = min(map(len, column)) > max(_SHORTEST_SENTENCE, 3 * len(text))
        if not (text and (over_figures or over_sentences)):
            return None
    return True


def _has_values(first: list[str], columns: list[tuple[str, ...]]) -> bool:
    """Whether the row has a sum of money, or a figure like most of those below it."""
    if any(map(_MONEY.search, first)):
        return True
    for text, column in zip(first, columns, strict=False):
        shape, shapes = _shape(text), Counter(map(_shape, filter(None, column)))
        if shape and 2 * shapes[shape] > shapes.total():
            return True
    return False


def _looks_different(tree: Tree, cells: list[int], body: list[list[int]]) -> bool:
    """Whether all cells of a row are bold and not all of the next, or its look is none of those below."""
    if not body:
        return False
    if all(_is_bold(tree, cell) for cell in cells) and not all(_is_bold(tree, cell) for cell in body[0]):
        return True
    looks = [tuple(map(tree.attributes[row[-1]].get, _LOOKS)) for row in (cells, *body)]
    rows = [tuple(map(tree.attributes[tree.parents[row[0]]].get, _LOOKS)) for row in (cells, *body)]
    # Where two looks take turns, they are stripes.
    return any(len(others) > 1 and any(look) and look not in others for look, *others in (looks, rows))


def _is_bold(tree: Tree, cell: int) -> bool:
    """Whether an element for bold text is all that a cell has."""
    inner = range(cell + 1, min(cell + 4, tree.ends[cell]))
    return any(tree.tags[at] in _BOLD and tree.ends[at] == tree.ends[cell] for at in inner)


def _shape(text: str) -> str:
    """The unit of a text's first figure, or a sign that it has none; empty for a text without figures."""
    figure = _FIGURE.search(text)
    if not figure:
        return ""
    return f"{figure[1] or ''}{'year' if _YEAR.fullmatch(figure[2]) else '0'}{figure[3]}"


def _text(tree: Tree, cell: int) -> str:
    end = min(tree.ends[cell], cell + _MOST_NODES)
    return " ".join("".join(tree.texts[cell:end])[:_LONGEST].translate(NARROW).split())
