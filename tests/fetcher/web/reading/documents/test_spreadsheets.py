"""Workbooks: sheets as tables, cells as people read them."""

import io
from datetime import date, datetime, time, timedelta
from zipfile import ZipFile

import pytest

from fetcher.codes import DocumentCode
from fetcher.web.errors import DocumentUnreadable, UnsupportedContentType
from fetcher.web.reading.documents.spreadsheets import shown
from tests.fetcher.web.reading.documents.office_files import archive, rows, workbook
from tests.fetcher.web.reading.documents.reading import document

BOXES: list[list[object]] = [["品", "数"], ["箱", 3]]
SALES: list[list[object]] = [["店", "売上", "前年比"], ["本店", 1200, 1.25], ["支店", 800.5, ""]]


def test_each_sheet_is_a_table_under_its_name():
    found = document(workbook({"売上": rows(SALES), "在庫": rows(BOXES), "空": rows([])}))
    assert [table.caption for table in found.tables] == ["売上", "在庫"]
    assert found.tables[0].rows == (("本店", "1200", "1.25"), ("支店", "800.5", ""))
    assert "## 売上" in found.markdown
    assert "| 本店 | 1200 | 1.25 |" in found.markdown


def test_titles_above_a_table_and_empty_places_are_no_cells():
    cells: list[list[object]] = [
        ["2026年度 売上報告", "", "", ""],
        ["", "", "", ""],
        ["", "店", "売上", "人数"],
        ["", "本店", 1200, 3],
    ]
    [table] = document(workbook({"報告": rows(cells)})).tables
    assert table.caption == "報告 2026年度 売上報告"
    assert (table.header, table.rows) == (("店", "売上", "人数"), (("本店", "1200", "3"),))


def test_merged_names_of_two_rows_are_joined():
    cells: list[list[object]] = [
        ["店", "売上", "", "利益", ""],
        ["", "前期", "当期", "前期", "当期"],
        ["本店", 1, 2, 3, 4],
    ]
    merged = "".join(f'<mergeCell ref="{place}"/>' for place in ("A1:A2", "B1:C1", "D1:E1"))
    merged = f"<mergeCells>{merged}</mergeCells>"
    [table] = document(workbook({"表": rows(cells) + merged})).tables
    assert table.header == ("店", "売上 / 前期", "売上 / 当期", "利益 / 前期", "利益 / 当期")
    assert table.rows == (("本店", "1", "2", "3", "4"),)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (0.1 + 0.2, "0.3"),
        (1e20, "1e+20"),
        (True, "TRUE"),
        ("", ""),
        (None, ""),
        (7, "7"),
        (date(2026, 1, 31), "2026-01-31"),
        (datetime.fromisoformat("2026-01-31T00:00:00"), "2026-01-31"),
        (datetime.fromisoformat("2026-01-31T09:05:00"), "2026-01-31 09:05:00"),
        (time(9, 5), "09:05:00"),
        (timedelta(hours=30, minutes=5), "30:05:00"),
    ],
)
def test_a_cell_is_shown_as_people_read_it(value, text):
    assert shown(value) == text


def test_hidden_sheets_are_not_read():
    body = workbook({"表": rows(SALES), "裏": rows([["SECRET", "x"], ["1", "2"]])})
    with ZipFile(io.BytesIO(body)) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    parts["xl/workbook.xml"] = parts["xl/workbook.xml"].replace(b'sheetId="2"', b'sheetId="2" state="hidden"')
    found = document(archive(parts))
    assert [table.caption for table in found.tables] == ["表"]
    assert "SECRET" not in found.markdown + found.beside


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (workbook({"表": rows(SALES)})[:400], DocumentCode.DOCUMENT_DAMAGED),
        (workbook({"空": rows([])}), DocumentCode.DOCUMENT_HAS_NO_TEXT),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), DocumentCode.DOCUMENT_DAMAGED),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le") + bytes(600),
            DocumentCode.DOCUMENT_ENCRYPTED,
        ),
    ],
    ids=["cut", "empty", "not a workbook", "password"],
)
def test_each_failure_has_its_code(body, code):
    with pytest.raises(DocumentUnreadable) as caught:
        document(body)
    assert caught.value.code is code


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (archive({"a.txt": "x"}), "application/zip"),
        (archive({"mimetype": "application/epub+zip"}), "application/epub+zip"),
        (
            archive({"[Content_Types].xml": "<x/>", "ppt/presentation.xml": "<x/>"}),
            "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        ),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le") + bytes(600),
            "application/msword",
        ),
    ],
)
def test_other_archives_are_refused_by_what_they_are(body, kind):
    with pytest.raises(UnsupportedContentType) as caught:
        document(body)
    assert caught.value.details["content_type"] == kind
