"""CSV and TSV as one table; the character that separates the cells is found from the text."""

import csv
import io
from collections import Counter
from collections.abc import Sequence

from fetcher.web.net.content_kinds import TSV
from fetcher.web.reading.decode import decode_text
from fetcher.web.reading.documents.cell_tables import MOST_CELLS, CellBudget, cell_table, tables_document
from fetcher.web.values import Reading, ReadingContext

_DELIMITERS = (",", "\t", ";", "|")
_LOOKED_AT = 20_000
"""Characters from which the delimiter is found."""
_LONGEST_CELL = 1_000_000

csv.field_size_limit(_LONGEST_CELL)


def read_delimited(body: bytes, context: ReadingContext) -> Reading:
    decoded = decode_text(body, context)
    text = decoded.text.replace("\x00", "")
    candidates = ("\t",) if context.media_type == TSV else _DELIMITERS
    delimiter, best = candidates[0], 0.0
    beginning = text[:_LOOKED_AT]
    if len(text) > _LOOKED_AT:
        beginning = beginning[: beginning.rfind("\n") + 1] or beginning
    # The delimiter with which most lines have the same number of cells, more than one.
    for candidate in candidates:
        widths = Counter(len(row) for row in _rows(beginning, candidate) if row)
        width, count = max(widths.items(), key=lambda each: (each[0] > 1, each[1]), default=(1, 0))
        score = count / widths.total() * min(width, 10) if width > 1 else 0.0
        if score > best:
            delimiter, best = candidate, score
    rows = _rows(text, delimiter)
    if context.cut:
        rows = rows[:-1]  # its last line may be half a line
    table = cell_table("", rows, CellBudget(), cut=context.cut or len(rows) >= MOST_CELLS)
    return Reading(
        document=tables_document(None, [table] if table.header else [], headings=False),
        media_type=context.media_type,
        fallback=decoded.fallback,
    )


def _rows(text: str, delimiter: str) -> list[Sequence[str]]:
    rows: list[Sequence[str]] = []
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            rows.append(row)
            if len(rows) >= MOST_CELLS:
                break
    except csv.Error:  # a quote that is never closed takes the rest of the file for one cell
        rows = [line.split(delimiter) for line in text.splitlines()[:MOST_CELLS]]
    return rows
