"""The article's data tables as rows of clean text, for exports."""

from dataclasses import replace

from fetcher.codes import ReadingMode
from fetcher.web.reading.markdown.writer import plain_texts
from fetcher.web.reading.tables.grids import Grid, survey
from fetcher.web.reading.tables.headers import header_rows, joined, names_rows
from fetcher.web.reading.tables.slots import MAX_SLOTS, NO_CELL, SlotBudget, form
from fetcher.web.reading.tree import Article
from fetcher.web.values import Table

MAX_TABLES = 1000
MAX_CHARACTERS = 5_000_000
"""Of all tables of a page together, spans repeated: so a few kilobytes of spans cannot fill the memory."""


def tables(*articles: Article, cut: bool = False) -> tuple[Table, ...]:
    """The data tables of the parts of a page in document order, spans repeated, within the limits.

    `cut` says that the page's end is missing: a table that is open there loses its last row, which may be
    incomplete.
    """
    found: list[Table] = []
    budget, characters = SlotBudget(MAX_SLOTS), MAX_CHARACTERS
    data = []
    for each in articles:
        article = replace(each, mode=ReadingMode.ARTICLE)
        data += [(article, grid) for grid in survey(article).values() if not grid.is_layout]
    for article, grid in data:
        if len(found) == MAX_TABLES:
            found[-1] = replace(found[-1], cut=True)
            break
        torn = cut and article.tree.ends[grid.table] == len(article.tree.tags)
        if torn:
            del grid.rows[-1:], grid.groups[-1:]
        if table := _table(article, grid, budget, characters):
            found.append(replace(table, cut=table.cut or torn))
            characters -= sum(len(text) for row in (table.header, *table.rows) for text in row)
    return tuple(found)


def _table(article: Article, grid: Grid, budget: SlotBudget, most_characters: int) -> Table | None:
    slots = form(article.tree, grid, budget)
    text_of = plain_texts(article)
    texts = {NO_CELL: ""} | {node: text_of(node) for row in grid.rows for node in row}
    if not any(texts.values()):
        return None
    lines: list[tuple[str, ...]] = []
    for row in slots.rows:
        line = tuple(texts[node] for node in row)
        most_characters -= sum(map(len, line))
        if most_characters < 0:
            break
        lines.append(line)
    numbered = dict(zip(slots.origins, lines, strict=False))
    heads = [numbered.pop(at) for at in header_rows(article.tree, grid, list(numbered))]
    named_rows = not heads and names_rows(article.tree, grid, list(numbered.values()))
    return Table(
        caption="" if grid.caption is None else text_of(grid.caption),
        header=tuple(map(joined, zip(*heads, strict=True))) or ("",) * len(next(iter(lines), ())),
        rows=tuple(numbered.values()),
        cut=slots.cut or len(lines) < len(slots.rows),
        named_rows=named_rows,
    )
