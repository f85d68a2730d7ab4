"""Rows of cells as a table with named columns, and as Markdown that does not become a wall of text."""

from collections.abc import Sequence
from dataclasses import dataclass

from fetcher.web.reading.documents.wordlists import CELL_FIGURE
from fetcher.web.reading.markdown import escape
from fetcher.web.reading.tables.headers import joined
from fetcher.web.values import Document, Table
from fetcher.wording import fixed_ja

MOST_CELLS = 400_000
"""Of all tables of a document together."""
MOST_CHARACTERS = 5_000_000
SHOWN_ROWS = 60
"""Rows of a table in the Markdown; the others are found by a search and are in the table itself."""
SHOWN_CHARACTERS = 40_000
SEARCHABLE_CHARACTERS = 150_000
"""Of the rows that are not shown; the parent takes a bounded head."""
_MOST_HEADER_ROWS = 3
_MOST_TITLES = 5


@dataclass(slots=True)
class CellBudget:
    """How many cells and characters a document may still have."""

    cells: int = MOST_CELLS
    characters: int = MOST_CHARACTERS

    def fitting(self, rows: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
        """As many of the rows as there is room for, all of one width and without invisible characters."""
        width = max(map(len, rows), default=0)
        found: list[tuple[str, ...]] = []
        for row in rows:
            cells = tuple(escape.clean(cell).strip() for cell in row) + ("",) * (width - len(row))
            self.cells -= width
            self.characters -= sum(map(len, cells))
            if self.cells < 0 or self.characters < 0:
                break
            found.append(cells)
        return found


def cell_table(
    caption: str, rows: Sequence[Sequence[str]], budget: CellBudget, *, cut: bool = False
) -> Table:
    """A table of rows: lines above it join the caption, its first rows may name the columns."""
    kept = budget.fitting(rows)
    is_cut = cut or len(kept) < len(rows)
    kept = [row for row in kept if any(row)]
    titles, width = 0, max((sum(map(bool, row)) for row in kept), default=0)
    while width > 2 and titles < len(kept) - 1 and len(set(filter(None, kept[titles]))) == 1:
        titles += 1
    if titles > _MOST_TITLES:  # a column that is mostly alone is data
        titles = 0
    above = [next(filter(None, row)) for row in kept[:titles]]
    body = kept[titles:]
    used = [at for at in range(len(body[0])) if any(row[at] for row in body)] if body else []
    body = [tuple(row[at] for at in used) for row in body]
    depth = 0  # how many of the first rows name the columns
    for at, row in enumerate(body[:_MOST_HEADER_ROWS] if len(body) > 1 and used else ()):
        figures = [int(cell) for cell in row[1:] if cell.isdecimal() and len(cell) <= 4]
        counts_up = len(figures) > 1 and figures == list(range(figures[0], figures[0] + len(figures)))
        # The first row may have figures that count up, as years and months do.
        if any(map(CELL_FIGURE.fullmatch, filter(None, row))) and not (at == 0 and counts_up):
            break
        # A further row of names is one that fills gaps, or tells apart what stands above it more than once.
        if at and all(body[at - 1]) and len(set(body[at - 1])) == len(body[at - 1]):
            break
        depth = at + 1
    depth = 1 if depth == len(body) > 0 else depth
    header = tuple(joined(names) for names in zip(*body[:depth], strict=True)) if depth else ("",) * len(used)
    name = " ".join(dict.fromkeys(filter(None, [caption, *(" ".join(line.split()) for line in above)])))
    return Table(caption=name, header=header, rows=tuple(body[depth:]), cut=is_cut)


def table_markdown(table: Table) -> tuple[str, str]:
    """The table's first rows as a pipe table, and the others as lines to be searched."""
    header = list(table.header) if any(table.header) else [""] * len(table.header)
    if not header:
        return "", ""
    lines, size = [_line(header), "|" + "---|" * len(header)], 0
    shown = 0
    for row in table.rows[:SHOWN_ROWS]:
        line = _line(row)
        size += len(line)
        if size > SHOWN_CHARACTERS:
            break
        lines.append(line)
        shown += 1
    text = "\n".join(lines)
    if shown < len(table.rows):
        text += "\n\n" + fixed_ja.rows_left_out(shown, len(table.rows))
    rest: list[str] = []
    size = 0
    for row in table.rows[shown:]:
        names = (
            f"{name}: {cell}" if name else cell for name, cell in zip(table.header, row, strict=True) if cell
        )
        rest.append(escape.inline("、".join(names)))
        size += len(rest[-1])
        if size > SEARCHABLE_CHARACTERS:
            break
    return text, "\n\n".join(rest)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(escape.cell(cell.replace("\n", escape.BREAK)) for cell in cells) + " |"


def tables_document(
    title: str | None, tables: Sequence[Table], *, headings: bool, sheets: Sequence[str] = ()
) -> Document:
    """A document of tables alone, each under its caption where there are several.

    `sheets` are the names of the sheets that the tables stand on, if it is a workbook.
    """
    parts, hidden, starts = list[str](), list[str](), list[int]()
    length = 0
    for table in tables:
        shown, rest = table_markdown(table)
        heading = "## " + escape.heading(table.caption) if headings and table.caption else ""
        starts.append(length)
        if part := "\n\n".join(filter(None, [heading, shown])):
            parts.append(part)
            length += len(part) + 2
        hidden.append(rest)
    return Document(
        markdown="\n\n".join(parts) + "\n",
        pages=tuple(starts) if sheets else (),
        page_names=tuple(sheets),
        title=title,
        tables=tuple(tables),
        beside="\n\n".join(filter(None, hidden))[:SEARCHABLE_CHARACTERS],
    )
