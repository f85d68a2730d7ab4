"""The article's data tables as rows of clean text, for exports."""

from collections.abc import Iterator
from dataclasses import replace

from fetcher.web.markdown.elements import BLOCKS, SILENT
from fetcher.web.markdown.escape import BREAK, clean, squash
from fetcher.web.markdown.grids import Grid, survey
from fetcher.web.markdown.slots import NO_CELL, Room, form
from fetcher.web.tree import Article
from fetcher.web.values import Table

MAX_TABLES = 1000
MAX_SLOTS = 200_000
MAX_CHARACTERS = 5_000_000
"""Of all tables of a page together, spans repeated: a few kilobytes of spans must not fill the memory."""

_EDGES = dict.fromkeys(BLOCKS | {"br"}, (BREAK, BREAK)) | {"rt": ("(", ")"), "q": ('"', '"')}
"""What stands before and after an element's text."""


def tables(article: Article, *, cut: bool = False) -> tuple[Table, ...]:
    """The data tables in document order, spans repeated, as far as the limits allow.

    `cut` says that the page's end is missing: a table that is open there loses its last row, which may be
    torn.
    """
    found: list[Table] = []
    room, characters = Room(MAX_SLOTS), MAX_CHARACTERS
    for grid in survey(article).values():
        if grid.is_layout:
            continue
        if len(found) == MAX_TABLES:
            found[-1] = replace(found[-1], cut=True)
            break
        torn = cut and article.tree.ends[grid.table] == len(article.tree.tags)
        if torn:
            del grid.rows[-1:], grid.groups[-1:]
        if table := _table(article, grid, room, characters):
            found.append(replace(table, cut=table.cut or torn))
            characters -= sum(len(text) for row in (table.header, *table.rows) for text in row)
    return tuple(found)


def _table(article: Article, grid: Grid, room: Room, most_characters: int) -> Table | None:
    slots = form(article.tree, grid, room)
    texts = {NO_CELL: ""} | {node: _text(article, node) for row in grid.rows for node in row}
    if not any(texts.values()):
        return None
    lines = list(_lines(slots.rows, texts, most_characters))
    heads = _header_rows(article, grid)
    names = zip(*[line for at, line in zip(slots.origins, lines, strict=False) if at in heads], strict=True)
    return Table(
        caption="" if grid.caption is None else _text(article, grid.caption),
        header=tuple(map(_joined, names)) or ("",) * (len(lines[0]) if lines else 0),
        rows=tuple(line for at, line in zip(slots.origins, lines, strict=False) if at not in heads),
        cut=slots.cut or len(lines) < len(slots.rows),
    )


def _lines(rows: list[list[int]], texts: dict[int, str], most: int) -> Iterator[tuple[str, ...]]:
    """The rows' texts, up to the last whole row for which `most` characters are enough."""
    for row in rows:
        line = tuple(texts[node] for node in row)
        most -= sum(map(len, line))
        if most < 0:
            return
        yield line


def _header_rows(article: Article, grid: Grid) -> set[int]:
    """The rows of the `thead`, else the one header row that the Markdown has too."""
    tags = article.tree.tags
    return {at for at, group in enumerate(grid.groups) if tags[group] == "thead"} or {grid.header}


def _joined(names: tuple[str, ...]) -> str:
    """A column's name under several header rows."""
    return " / ".join(dict.fromkeys(filter(None, names)))


def _text(article: Article, node: int) -> str:
    """An element's text, one line for each line break or block; nested tables stand for themselves."""
    lines = map(squash, "".join(_pieces(article, node)).split(BREAK))
    return "\n".join(filter(None, lines))


def _pieces(article: Article, node: int) -> Iterator[str]:
    tags, texts, ends, skipped = article.tree.tags, article.tree.texts, article.tree.ends, article.skipped
    node, end = node + 1, ends[node]
    due: dict[int, list[str]] = {}  # what stands at the ends of open elements
    while node < end:
        yield from reversed(due.pop(node, []))
        tag = tags[node]
        if tag in SILENT or tag == "table" or (skipped and skipped[node]):
            node = ends[node]
            continue
        if not tag:
            yield clean(texts[node])
        elif tag == "img":
            yield clean(article.tree.attribute(node, "alt") or "")
        elif edges := _EDGES.get(tag):
            yield edges[0]
            due.setdefault(ends[node], []).append(edges[1])
        node += 1
    yield from reversed(due.pop(end, []))
