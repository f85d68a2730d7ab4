"""Where a page lists data: in tables, in definitions, in code.

Cells, terms and lines of code mean something by their places. A rule may leave out such a block as a
whole, but takes nothing out of it: a cell that is missing moves all cells behind it.
"""

from bisect import bisect_left

from fetcher.web.reading.extract.features import PROSE, Features
from fetcher.web.reading.tables.grids import survey
from fetcher.web.reading.tree import Article, Tree


def inside_data(tree: Tree, features: Features) -> bytearray:
    """1 for each node inside a data table, a list of definitions or a code block."""
    found = bytearray(len(tree.tags))
    terms = tree.named("dt")  # without any, a list of definitions defines nothing: it is a menu
    lists = (at for at in tree.named("dl") if bisect_left(terms, at) < bisect_left(terms, tree.ends[at]))
    blocks = [*lists, *tree.named("pre")]
    if tree.named("table"):
        page = Article(tree=tree, root=0, skipped=bytearray(len(tree.tags)), base="")
        least = max(features.prose_in(0) / 2, 2 * PROSE)
        for grid in survey(page).values():
            if grid.is_layout:
                continue
            # One cell may hold the paragraphs of a page, and the others what stands around them.
            arranges_page = not grid.headed and any(
                features.prose_in(cell) >= least
                and sum(map(bool, features.prose[cell : features.ends[cell]])) > 1
                for row in grid.rows
                for cell in row
            )
            if not arranges_page:
                blocks.append(grid.table)
    for index in blocks:
        end = tree.ends[index]
        found[index + 1 : end] = b"\1" * (end - index - 1)
    return found
