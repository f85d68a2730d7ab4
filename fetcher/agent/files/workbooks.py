"""Excel workbooks of tables: numbers are numbers, dates are dates, and no cell is ever a formula."""

import io
import re
import zlib
from collections.abc import Mapping
from datetime import date
from typing import Any
from unicodedata import east_asian_width, normalize
from zipfile import BadZipFile, ZipFile

from fetcher.agent.japanese_words import DATE_MARKS, YEN
from fetcher.agent.safety.mentions import without_mentions
from fetcher.web.reading.markdown.escape import clean
from fetcher.web.values import Table

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384
LONGEST_CELL = 32_767
"""Excel's own limits."""
_LONGEST_SHEET_NAME = 31
_WIDEST, _NARROWEST = 60, 6
_ROWS_MEASURED = 500

_NUMBER = re.compile(
    rf"(?P<sign>[-+△▲]?)(?P<money>[¥$€£]?)(?P<whole>0|[1-9][0-9]{{0,14}}|[1-9][0-9]{{0,2}}(?:,[0-9]{{3}}){{1,4}})"
    rf"(?P<rest>\.[0-9]{{1,10}})?(?P<unit>%|{YEN})?"
)
"""Zeros at the beginning belong to codes and telephone numbers, which stay text."""
_YEAR, _MONTH, _DAY = DATE_MARKS
_DATE = re.compile(rf"([12][0-9]{{3}})(?:-|/|{_YEAR})([0-9]{{1,2}})(?:-|/|{_MONTH})([0-9]{{1,2}}){_DAY}?")
_OUR_PARTS = re.compile(
    r"\[Content_Types\]\.xml|_rels/\.rels|docProps/(?:app|core)\.xml|xl/_rels/workbook\.xml\.rels"
    r"|xl/(?:workbook|styles|sharedStrings|theme/theme1|worksheets/sheet[0-9]+)\.xml"
)
_PROLOGUE = b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_NOT_OF_CELLS = re.compile(
    rb"<(?!/?(?:c|v|row|si|t|sst|sheetData|worksheet|dimension|sheetViews?|pane|selection|sheetFormatPr|cols?"
    rb"|autoFilter|pageMargins|workbook|fileVersion|workbookPr|bookViews|workbookView|sheets?|calcPr"
    rb'|definedNames|definedName(?=>| name="_xlnm\._FilterDatabase"))[ />])'
)
"""What our writer does not write: formulas, conditions, validations, links, other names of ranges."""
_PASSIVE_PART = re.compile(r"xl/styles\.xml|xl/theme/theme1\.xml|docProps/.*|\[Content_Types\]\.xml|.*\.rels")
_MOST_UNPACKED = 200 * 1024 * 1024
_NOT_IN_SHEET_NAMES = re.compile(r"[\[\]:*?/\\\x00-\x1f]")


def workbook(tables: Mapping[str, Table]) -> bytes:
    """The tables as sheets of one workbook, each under its name."""
    from xlsxwriter import Workbook

    content = io.BytesIO()
    options = {
        "in_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    book = Workbook(content, options)
    formats: dict[str, Any] = {"head": book.add_format({"bold": True, "bottom": 1, "text_wrap": True})}
    names: list[str] = []
    for number, (wanted, table) in enumerate(tables.items(), start=1):
        # Excel takes names that are short, without some signs, and none twice.
        plain = _NOT_IN_SHEET_NAMES.sub(" ", without_mentions(clean(wanted)))
        base = " ".join(plain.split()).strip("'")[:_LONGEST_SHEET_NAME].rstrip("' ") or f"Sheet{number}"
        name, copy = base, 1
        while name.casefold() in {other.casefold() for other in names} or name.casefold() == "history":
            copy += 1
            name = f"{base[: _LONGEST_SHEET_NAME - 5]} ({copy})"
        names.append(name)
        _write_sheet(book, book.add_worksheet(name), table, formats)
    book.close()
    return content.getvalue()


def is_plain_workbook(file: bytes) -> bool:
    """Whether a workbook has cells only: no formula, no macro, no link, nothing from outside."""
    try:
        with ZipFile(io.BytesIO(file)) as archive:
            parts = archive.infolist()
            if not all(_OUR_PARTS.fullmatch(part.filename) for part in parts):
                return False
            if sum(part.file_size for part in parts) > _MOST_UNPACKED:
                return False
            for part in parts:
                content = archive.read(part)
                xml = content.removeprefix(_PROLOGUE)
                # As our writer writes it: other encodings and entities could hide anything.
                if xml == content or b"<!" in xml or b"<?" in xml:
                    return False
                is_passive = _PASSIVE_PART.fullmatch(part.filename) is not None
                if b"TargetMode" in xml if is_passive else _NOT_OF_CELLS.search(xml):
                    return False
            return True
    except (BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError, zlib.error):
        return False


def _write_sheet(book: Any, sheet: Any, table: Table, formats: dict[str, Any]) -> None:
    named = any(table.header)
    rows = [table.header, *table.rows] if named else list(table.rows)
    for at, row in enumerate(rows[:MOST_ROWS]):
        for column, cell in enumerate(row[:MOST_COLUMNS]):
            if named and at == 0:
                sheet.write_string(at, column, _text(cell), formats["head"])
            elif cell:
                _write_cell(book, sheet, at, column, cell, formats)
    width = min(max(map(len, rows), default=0), MOST_COLUMNS)
    for column in range(width):
        cells = (row[column][:1000] for row in rows[:_ROWS_MEASURED] if column < len(row))
        lines = (line[:_WIDEST] for cell in cells for line in cell.split("\n"))
        # A Japanese character is as wide as two narrow ones.
        widths = (sum(1 + (east_asian_width(each) in "WFA") for each in line) for line in lines)
        widest = max(widths, default=0)
        sheet.set_column(column, column, min(max(widest + 2, _NARROWEST), _WIDEST))
    if named and width:
        sheet.freeze_panes(1, 0)
        sheet.autofilter(0, 0, max(1, min(len(rows), MOST_ROWS) - 1), width - 1)


def _write_cell(book: Any, sheet: Any, row: int, column: int, cell: str, formats: dict[str, Any]) -> None:
    plain = normalize("NFKC", cell.strip()) if len(cell) <= 40 else ""
    found = _DATE.fullmatch(plain)
    try:
        day = date(*(int(part) for part in found.groups())) if found else None
    except ValueError:  # such as February 30
        day = None
    if number := _NUMBER.fullmatch(plain):  # written in the format in which it looks as it did
        rest = number["rest"] or ""
        value = float(number["whole"].replace(",", "") + rest)
        shape = ("#,##0" if "," in number["whole"] else "0") + ("." + "0" * (len(rest) - 1) if rest else "")
        if number["unit"] == "%":
            value, shape = value / 100, f"{shape}%"
        elif number["unit"]:
            shape = f'{shape}"{number["unit"]}"'
        if number["money"]:
            shape = f'"{number["money"]}"{shape}'
        if number["sign"] in ("△", "▲"):
            shape = f'{shape};"{number["sign"]}"{shape}'
        value = value if number["sign"] in ("", "+") else -value
        shown = _format(book, formats, shape) if shape != "0" else None
        sheet.write_number(row, column, value, shown)
    elif day and day.year >= 1900:
        sheet.write_datetime(row, column, day, _format(book, formats, "yyyy/mm/dd"))
    else:
        sheet.write_string(row, column, _text(cell))


def _format(book: Any, formats: dict[str, Any], shape: str) -> Any:
    if shape not in formats:
        formats[shape] = book.add_format({"num_format": shape})
    return formats[shape]


def _text(cell: str) -> str:
    return clean(cell)[:LONGEST_CELL]
