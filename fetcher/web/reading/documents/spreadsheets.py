"""Workbooks (xlsx, xls, xlsb, ods): each sheet is a table under its name."""

import io
import re
from datetime import date, datetime, time, timedelta
from functools import reduce
from typing import Any
from urllib.parse import unquote, urlsplit
from zipfile import ZipFile

import python_calamine as calamine

from fetcher.codes import DocumentCode
from fetcher.web.errors import DocumentUnreadable
from fetcher.web.reading.documents.cell_tables import CellBudget, cell_table, tables_document
from fetcher.web.values import Reading, ReadingContext, Table

MOST_SHEETS = 200
MOST_AREA = 3_000_000
"""Cells between the first and the last of a sheet, of which calamine makes a place for each."""
_MOST_COLUMNS = 1000
_PANIC = "PanicException"
"""What calamine raises where it did not expect damage; its class cannot be imported."""
_CELL = re.compile(rb'<(?:\w{1,99}:)?c\s(?>[^<>]*?r="([A-Z]{1,3})([0-9]{1,7})")[^<>]*+(?<!/)>')
_SHEET_PART = re.compile(r"(?i)xl/worksheets/[^/]+\.xml")
_REPEATED = re.compile(rb'number-(columns|rows)-repeated="([0-9]+)"[^>]*(?<!/)>')
_MOST_REPEATED = 100_000


def read_workbook(body: bytes, context: ReadingContext, kind: str) -> Reading:
    _require_dense(body)
    try:
        workbook = calamine.load_workbook(io.BytesIO(body))
        names = [
            sheet.name
            for sheet in workbook.sheets_metadata
            if sheet.typ == calamine.SheetTypeEnum.WorkSheet
            and sheet.visible == calamine.SheetVisibleEnum.Visible
        ]
        budget = CellBudget()
        found = ((name, workbook.get_sheet_by_name(name)) for name in names[:MOST_SHEETS])
        tables = {name: table for name, sheet in found if (table := _sheet(sheet, name, budget))}
    except calamine.PasswordError as error:
        raise DocumentUnreadable(DocumentCode.DOCUMENT_ENCRYPTED, error="a password is needed") from error
    except (calamine.CalamineError, OSError, ValueError) as error:
        raise DocumentUnreadable(DocumentCode.DOCUMENT_DAMAGED, error=type(error).__name__) from error
    except BaseException as error:
        if type(error).__name__ != _PANIC:
            raise
        raise DocumentUnreadable(DocumentCode.DOCUMENT_DAMAGED, error=_PANIC) from None
    if not tables:
        raise DocumentUnreadable(DocumentCode.DOCUMENT_HAS_NO_TEXT, error="its sheets are empty")
    title = unquote(urlsplit(context.url).path.rpartition("/")[2]) or None
    document = tables_document(title, [*tables.values()], headings=True, sheets=[*tables])
    return Reading(document=document, media_type=kind)


def _require_dense(body: bytes) -> None:
    """Refuse a sheet with few cells that are far apart: calamine would make room for all between them."""
    if not body.startswith(b"PK"):
        return
    with ZipFile(io.BytesIO(body)) as archive:
        for part in archive.namelist():
            if _SHEET_PART.fullmatch(part):
                cells = [
                    (reduce(lambda number, letter: number * 26 + letter - 64, column, 0), int(row))
                    for column, row in _CELL.findall(archive.read(part))
                ]
                columns, rows = ([cell[side] for cell in cells] for side in (0, 1))
                if cells and (max(columns) - min(columns) + 1) * (max(rows) - min(rows) + 1) > MOST_AREA:
                    raise DocumentUnreadable(
                        DocumentCode.DOCUMENT_TOO_LARGE, error="a sheet's cells are too far apart"
                    )
            elif part == "content.xml":
                repeated = (int(number[:9]) for _, number in _REPEATED.findall(archive.read(part)))
                if sum(number for number in repeated if number < 1_000_000) > _MOST_REPEATED * 20:
                    raise DocumentUnreadable(
                        DocumentCode.DOCUMENT_TOO_LARGE, error="it repeats cells too often"
                    )


def _sheet(sheet: Any, name: str, budget: CellBudget) -> Table | None:
    """A sheet as a table; a merged cell's text stands in each of its places."""
    if sheet.height * sheet.width > MOST_AREA:
        raise DocumentUnreadable(DocumentCode.DOCUMENT_TOO_LARGE, error="a sheet has too many cells")
    most = max(1, budget.cells // max(1, sheet.width))
    found = sheet.to_python(skip_empty_area=False, nrows=most)
    rows = [[shown(value) for value in row[:_MOST_COLUMNS]] for row in found]
    for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
        if top >= len(rows) or left >= len(rows[top]) or (bottom - top + 1) * (right - left + 1) > 10_000:
            continue
        text = rows[top][left]
        for row in rows[top : bottom + 1]:
            row[left : right + 1] = [text] * len(row[left : right + 1])
    rows = [row for row in rows if any(row)]
    if not rows:
        return None
    cut = sheet.width > _MOST_COLUMNS or sheet.height > most
    return cell_table(name, rows, budget, cut=cut)


def shown(value: Any) -> str:
    """A cell as people read it: whole numbers without a point, dates in ISO form."""
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return f"{value:.15g}" if abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "seconds")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        minutes, seconds = divmod(int(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return str(value)
