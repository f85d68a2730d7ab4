"""Whether a row of plain cells names the columns below it, or is one of their values.

A value that is taken for a name misleads: the other rows would be told under it. A name that is taken for a
value is only the first row of a table whose columns have no names. So where two columns could be pairs of a
name and a value, the row has to show that it is a header: by its look, by a word such as "price" or "date",
or by figures or sentences below each of its cells. A row of more cells is a header unless it has figures like
those below it.
"""

import re
from collections import Counter
from itertools import pairwise

from fetcher.web.reading.markdown.neighbours import NARROW
from fetcher.web.reading.tables.grids import Grid
from fetcher.web.reading.tables.wordlists import COLUMN_NAME
from fetcher.web.reading.tree import Tree

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


def reads_as_names(tree: Tree, grid: Grid, at: int, below: list[int]) -> bool | None:
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
