"""The article's data tables as rows of clean text, for exports."""

from collections.abc import Iterator

from fetcher.web.markdown.elements import BLOCKS, SILENT
from fetcher.web.markdown.escape import BREAK, clean, squash
from fetcher.web.markdown.grids import Grid, survey
from fetcher.web.tree import Article
from fetcher.web.values import Table

_MAX_CELLS = 200_000
"""Of one table with its spans resolved: `colspan=1000 rowspan=65534` must not fill the memory."""
_MAX_COLUMNS = 1000

_EDGES = dict.fromkeys(BLOCKS | {"br"}, (BREAK, BREAK)) | {"rt": ("(", ")"), "q": ('"', '"')}
"""What stands before and after an element's text."""

_Row = dict[int, str]
"""The text in each column."""


def tables(article: Article, *, cut: bool = False) -> tuple[Table, ...]:  # noqa: ARG001
    """The data tables in document order: spans repeated, hidden cells and empty rows left out."""
    grids = (grid for grid in survey(article).values() if not grid.is_layout)
    return tuple(table for grid in grids if (table := _table(article, grid)))


def _table(article: Article, grid: Grid) -> Table | None:
    rows, width = _resolve(article, grid)
    lines = [tuple(row.get(column, "") for column in range(width)) for row in rows[: _MAX_CELLS // width]]
    if not any(map(any, lines)):
        return None
    heads = _header_rows(article, grid)
    names = zip(*[line for at, line in enumerate(lines) if at in heads], strict=True)
    return Table(
        caption="" if grid.caption is None else _text(article, grid.caption),
        header=tuple(map(_joined, names)) or ("",) * width,
        rows=tuple(line for at, line in enumerate(lines) if at not in heads and any(line)),
    )


def _header_rows(article: Article, grid: Grid) -> set[int]:
    """The rows of the `thead`, else the one header row that the Markdown has too."""
    tags = article.tree.tags
    return {at for at, group in enumerate(grid.groups) if tags[group] == "thead"} or {grid.header}


def _joined(names: tuple[str, ...]) -> str:
    """A column's name under several header rows."""
    return " / ".join(dict.fromkeys(filter(None, names)))


def _resolve(article: Article, grid: Grid) -> tuple[list[_Row], int]:
    """The rows, spans repeated, and the number of columns in which a cell begins.

    `colspan="100"` often means "all of them": columns in which no cell begins are none.
    """
    rows: list[_Row] = []
    spans: dict[int, tuple[int, str]] = {}
    width, cells = 1, 0
    for at, nodes in enumerate(grid.rows):
        if at and grid.groups[at] != grid.groups[at - 1]:
            spans = {}  # a span ends with its row group
        row = {column: text for column, (_, text) in spans.items()}
        spans = {column: (left - 1, text) for column, (left, text) in spans.items() if left > 1}
        width = max(width, _place(article, nodes, row, spans))
        rows.append(row)
        cells += len(row)
        if cells > _MAX_CELLS:
            break
    return rows, width


def _place(article: Article, nodes: list[int], row: _Row, spans: dict[int, tuple[int, str]]) -> int:
    """Puts a row's cells where spans from above leave room; returns the number of the last column begun."""
    column = begun = 0
    for node in nodes:
        while column in row:
            column += 1
        if column >= _MAX_COLUMNS:
            break
        begun = column + 1
        text = _text(article, node)
        across, down = _span(article, node, "colspan") or 1, _span(article, node, "rowspan")
        for reached in range(column, min(column + across, _MAX_COLUMNS)):
            row.setdefault(reached, text)
            if down != 1:
                spans[reached] = (down - 1 if down else _MAX_CELLS, text)
        column += across
    return begun


def _span(article: Article, node: int, name: str) -> int:
    """A span of at most 65534; 0, for rows, means to the end of the group."""
    text = (article.tree.attribute(node, name) or "").strip()
    return min(int(text[:6]), 65534) if text.isascii() and text.isdigit() else 1


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
