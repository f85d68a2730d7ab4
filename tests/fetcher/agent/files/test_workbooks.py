"""Excel workbooks: what stands in their cells, and what never does."""

import io
from datetime import date
from zipfile import ZipFile

import pytest
from python_calamine import load_workbook

from fetcher.agent.errors import ToolRefused
from fetcher.agent.files.answer_files import FilePolicy, make_file, table_file, workbook_file
from fetcher.agent.files.workbooks import XLSX, is_plain_workbook, workbook
from fetcher.web.values import Table
from tests.fetcher.web.reading.documents.office_files import archive

POLICY = FilePolicy(max_bytes=1_000_000, types=("text/csv", XLSX))


def _table(*rows, header=("名前", "値"), caption="表"):
    return Table(caption=caption, header=header, rows=rows)


def _cells(content):
    return load_workbook(io.BytesIO(content)).get_sheet_by_index(0).to_python()


def _part(content, name):
    with ZipFile(io.BytesIO(content)) as book:
        return book.read(name).decode()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1200", 1200),
        ("1,200", 1200),
        ("-1,200.5", -1200.5),
        ("１２３", 123),
        ("△1,200", -1200),
        ("12.5%", 0.125),
        ("¥980", 980),
        ("1,980円", 1980),
        ("2026-01-31", date(2026, 1, 31)),
        ("2026/1/31", date(2026, 1, 31)),
        ("2026年1月31日", date(2026, 1, 31)),
        ("2026-13-31", "2026-13-31"),
        ("0120", "0120"),
        ("090-1234-5678", "090-1234-5678"),
        ("1234567890123456", "1234567890123456"),
        ("=1+1", "=1+1"),
        ("@SUM(A1)", "@SUM(A1)"),
        ("{=A1}", "{=A1}"),
        ("http://evil.example/", "http://evil.example/"),
        ("一行目\n二行目", "一行目\n二行目"),
        ("", ""),
    ],
)
def test_a_cell_is_what_it_means(text, value):
    [_, [_, found]] = _cells(table_file(_table(("x", text)), kind="xlsx", name="表", policy=POLICY).content)
    assert found == value


def test_no_formula_and_no_link_ever_comes_from_a_page():
    cells = [(f'{start}HYPERLINK("http://evil.example")', "=cmd|' /C calc'!A0") for start in "=+-@＝"]
    content = workbook({"表": _table(*cells)})
    assert "<f" not in _part(content, "xl/worksheets/sheet1.xml").replace("<filter", "")
    assert is_plain_workbook(content)


def test_the_header_is_frozen_and_filtered_and_columns_fit():
    sheet = _part(workbook({"表": _table(("とても長い日本語の名前です", "1"))}), "xl/worksheets/sheet1.xml")
    assert 'state="frozen"' in sheet
    assert '<autoFilter ref="A1:B2"/>' in sheet
    assert 'width="28' in sheet


def test_several_tables_are_sheets_of_one_workbook():
    tables = {"売上/前期": _table(("a", "1")), "売上:前期": _table(("b", "2")), "x" * 50: _table(("c", "3"))}
    file = workbook_file(tables, "まとめ", POLICY)
    assert file.file_name == "まとめ.xlsx"
    assert load_workbook(io.BytesIO(file.content)).sheet_names == ["売上 前期", "売上 前期 (2)", "x" * 31]


def test_a_table_without_names_has_no_header():
    content = workbook({"表": _table(("1", "2"), header=("", ""))})
    assert _cells(content) == [[1.0, 2.0]]
    assert "frozen" not in _part(content, "xl/worksheets/sheet1.xml")


def test_composed_csv_becomes_a_workbook():
    file = make_file("見積", XLSX, "品名,価格\nりんご,100\n", POLICY)
    assert file.file_name == "見積.xlsx"
    assert _cells(file.content) == [["品名", "価格"], ["りんご", 100.0]]


@pytest.mark.parametrize(
    "policy", [FilePolicy(max_bytes=100, types=(XLSX,)), FilePolicy(max_bytes=1_000_000, types=("text/csv",))]
)
def test_limits_hold_as_for_other_files(policy):
    with pytest.raises(ToolRefused):
        table_file(_table(("x", "1")), kind="xlsx", name="表", policy=policy)


SHEET, BOOK, RELATIONS = "xl/worksheets/sheet1.xml", "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        (SHEET, "<v>", "<f>1+1</f><v>"),
        (SHEET, "<v>", "<f\n>1+1</f><v>"),
        (SHEET, "<v>", f'<x:f xmlns:x="{NAMESPACE}">1+1</x:f><v>'),
        (SHEET, "<worksheet", '<!DOCTYPE x [<!ENTITY f "&#60;f>1+1&#60;/f>">]><worksheet'),
        (SHEET, "<pageMargins", "<conditionalFormatting><cfRule><formula>1</formula></cfRule><pageMargins"),
        (SHEET, "<pageMargins", "<dataValidation><formula1>1</formula1></dataValidation><pageMargins"),
        (SHEET, "<pageMargins", '<hyperlinks><hyperlink ref="A1"/></hyperlinks><pageMargins'),
        (SHEET, 'encoding="UTF-8"', 'encoding="UTF-16"'),
        (BOOK, "<definedNames>", '<definedNames><definedName name="Auto_Open">1</definedName>'),
        (RELATIONS, "</Rel", "<Relationship Target='http://evil.example' TargetMode='External'/></Rel"),
        ("xl/vbaProject.bin", "", "x"),
    ],
)
def test_a_workbook_from_elsewhere_has_cells_only(part, old, new):
    """It is written as our own writer writes: what another notation could hide is refused as well."""
    own = ZipFile(io.BytesIO(workbook({"表": _table(("x", "1"))})))
    parts = {name: own.read(name).decode() for name in own.namelist()}
    assert is_plain_workbook(archive(parts))
    changed = parts.get(part, "").replace(old, new, 1)
    assert new in changed
    encoded = changed.encode("utf-16" if "UTF-16" in new else "utf-8")
    with pytest.raises(ToolRefused):
        make_file("x", XLSX, archive(parts | {part: encoded}), POLICY)


@pytest.mark.parametrize("row", [("x" * 32_768, "1"), ("1",) * 16_385])
def test_what_a_sheet_cannot_hold_is_refused_and_not_cut(row):
    with pytest.raises(ToolRefused, match="make csv instead"):
        table_file(_table(row), kind="xlsx", name="表", policy=POLICY)
    assert table_file(_table(row), kind="csv", name="表", policy=POLICY)


def test_what_is_no_workbook_is_refused():
    with pytest.raises(ToolRefused):
        make_file("x", XLSX, b"no workbook", POLICY)


def test_our_own_workbook_comes_through_unchanged():
    """An agent in another process sends its files as bytes."""
    content = workbook({"表": _table(("x", "1"))})
    assert make_file("x", XLSX, content, POLICY).content == content
