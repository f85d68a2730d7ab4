"""Files that people can open: sound, safe and byte for byte what the page or the model said."""

import csv
import io
import json
import re
import tracemalloc
from unicodedata import is_normalized

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetcher.agent.errors import ToolRefused
from fetcher.agent.files import csv_text
from fetcher.agent.files.answer_files import FilePolicy, make_file, table_file
from fetcher.agent.files.file_names import distinct_name, safe_name
from fetcher.codes import AgentCode
from fetcher.web.values import Table

POLICY = FilePolicy(max_bytes=5 * 1024 * 1024, types=("text/csv", "application/json", "text/plain"))
PRICES = Table(
    caption="料金表",
    header=("プラン", "月額", "備考"),
    rows=(
        ("ライト", "1,980円", '"人気"のプラン'),
        ("プロ", "-5", "=1+1"),
        ("法人", "−", "一行目\n二行目"),
    ),
)


def _csv(content, **policy):
    return make_file("x", "text/csv", content, POLICY).content


def _refusal(*arguments):
    with pytest.raises(ToolRefused) as refused:
        make_file(*arguments)
    return refused.value


def test_a_table_becomes_csv_byte_for_byte():
    """S9: UTF-8 with BOM, CRLF, quotes where they must be, no formula."""
    file = table_file(PRICES, kind="csv", name="料金表", policy=POLICY)
    expected = (
        "\ufeffプラン,月額,備考\r\n"
        'ライト,"1,980円","""人気""のプラン"\r\n'
        "プロ,-5,'=1+1\r\n"
        '法人,−,"一行目\n二行目"\r\n'
    )
    assert (file.file_name, file.mime_type, file.content) == ("料金表.csv", "text/csv", expected.encode())


def test_a_table_becomes_json_byte_for_byte():
    table = Table(caption="", header=("名前", "値\n(円)"), rows=(("りんご", "=1+1"), ('"なし"', "")))
    file = table_file(table, kind="json", name="果物", policy=POLICY)
    expected = """[
  {
    "名前": "りんご",
    "値 (円)": "=1+1"
  },
  {
    "名前": "\\"なし\\"",
    "値 (円)": ""
  }
]
"""
    assert (file.file_name, file.mime_type, file.content) == (
        "果物.json",
        "application/json",
        expected.encode(),
    )


def test_columns_of_a_json_file_have_names_of_their_own():
    """Empty names are made up, repeated ones are numbered, and cells beyond the header are not lost."""
    table = Table(caption="", header=("a", "", "a", "column2"), rows=(("1", "2", "3", "4", "5"), ("6",)))
    content = json.loads(table_file(table, kind="json", name="t", policy=POLICY).content)
    assert content == [{"a": "1", "column2": "2", "a_2": "3", "column2_2": "4", "column5": "5"}, {"a": "6"}]


def test_a_table_without_header_has_no_made_up_one():
    table = Table(caption="", header=("", ""), rows=(("a", "b"),))
    assert table_file(table, kind="csv", name="t", policy=POLICY).content == "\ufeffa,b\r\n".encode()
    assert json.loads(table_file(table, kind="json", name="t", policy=POLICY).content) == [["a", "b"]]


@pytest.mark.parametrize(
    "sign", ["=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n", " =", "\u200b=", "\u3000@"]
)
def test_a_cell_that_begins_like_a_formula_gets_an_apostrophe(sign):
    """S9, and what a spreadsheet may skip before it sees the sign."""
    assert csv_text.safe(f"{sign}SUM(A1)") == f"'{sign}SUM(A1)"


@pytest.mark.parametrize(
    "cell",
    [
        "-5",
        "+81",
        "-1,200.5",
        "－５",
        "＋1,200",
        "-3.5%",
        "-0.5",
        "-",
        "－",
        " -5",
        "a=1",
        "5-3",
        "1+1",
        "",
        "'x",
    ],
)
def test_numbers_and_harmless_cells_stay(cell):
    assert csv_text.safe(cell) == cell


@pytest.mark.parametrize("cell", ["-5+3", "+81-3", "-1,20.5", "-5円", "--", "-1e5", "+", "-.5"])
def test_what_only_looks_like_a_number_does_not_stay(cell):
    assert csv_text.safe(cell) == f"'{cell}"


@pytest.mark.parametrize(
    ("cell", "safe"),
    [
        ("x;=1+1", "x;'=1+1"),
        ("x; =1+1", "x;' =1+1"),
        ("x\t@SUM(A1)", "x\t'@SUM(A1)"),
        ("x\n＝1+1", "x\n'＝1+1"),
        ("-5\n=1", "'-5\n'=1"),
        ('x;"=1+1', "x;'\"=1+1"),
        ("a;;-1e5;b", "a;;'-1e5;b"),
        ("最高; -5", "最高; -5"),
        ("-5;+81;-1,200.5", "'-5;+81;-1,200.5"),
        ("x;y=1\nz", "x;y=1\nz"),
    ],
)
def test_no_other_separator_turns_a_cell_into_a_formula(cell, safe):
    """Many spreadsheets part cells at semicolons or tabs, and then quotes inside a line do not count."""
    assert csv_text.safe(cell) == safe


@given(
    st.lists(st.lists(st.text(alphabet='a5;\t"=-+@\n ,＝'), min_size=1, max_size=3), min_size=1, max_size=3),
    st.sampled_from(";\t,"),
)
def test_no_cell_is_a_formula_whatever_separator_the_reader_expects(rows, separator):
    text = "".join(csv_text.csv_lines(rows)).removeprefix("\ufeff")
    for line in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
        for cell in line:
            seen = re.split('[;\t\r\n,"]', cell.lstrip())[0].strip()
            assert not re.match("[=@＝]", seen)
            assert not re.match("[-+]", seen) or csv_text.safe(seen) == seen


def test_cells_with_another_separator_stay_whole_where_it_counts_too():
    """As in readers that part cells at commas, semicolons and tabs alike."""
    assert "".join(csv_text.csv_lines([["a;b", "c\td", "e"]])) == '\ufeff"a;b","c\td",e\r\n'


def test_composed_csv_is_written_again_safely():
    content = _csv('名前,値\n"山田, 太郎","=HYPERLINK(""http://evil.example"")"\n-5,+81\n')
    assert (
        content
        == ('\ufeff名前,値\r\n"山田, 太郎","\'=HYPERLINK(""http://evil.example"")"\r\n-5,+81\r\n').encode()
    )


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a,b", [["a", "b"]]),
        ("a,b\r\nc,\r\n", [["a", "b"], ["c", ""]]),
        ("a\rb", [["a"], ["b"]]),
        ("\ufeffa\n", [["a"]]),
        ('a, "b, c"', [["a", "b, c"]]),
        ('"a"b,c"d"', [["ab", 'c"d"']]),
        ('"never closed,\nb', [["never closed,\nb"]]),
        ("a\n\nb", [["a"], [], ["b"]]),
        ('""\nb', [[""], ["b"]]),
        ("a\0b", [["ab"]]),
        ("x" * 300_000 + ",y", [["x" * 300_000, "y"]]),
    ],
)
def test_unsound_csv_is_read_as_it_was_meant(text, rows):
    written = make_file("x", "text/csv", text, POLICY).content.decode("utf-8-sig")
    assert list(csv_text.parse(written)) == rows


@given(st.lists(st.lists(st.text(alphabet='ab"，,\r\n 日=-'), min_size=1), min_size=1))
def test_what_is_written_reads_back_as_it_was(rows):
    """Both by our reader and by the csv module's."""
    safe = [[csv_text.safe(cell) for cell in row] for row in rows]
    text = "".join(csv_text.csv_lines(rows)).removeprefix("\ufeff")
    assert list(csv_text.parse(text)) == safe
    assert list(csv.reader(io.StringIO(text, newline=""))) == safe


def test_composed_json_is_indented_with_japanese_as_it_is():
    file = make_file("data", "application/json; charset=utf-8", '{"名前":"山田","n":[1,2.5,null]}', POLICY)
    assert file.content.decode() == '{\n  "名前": "山田",\n  "n": [\n    1,\n    2.5,\n    null\n  ]\n}\n'
    assert (file.file_name, file.mime_type) == ("data.json", "application/json")


@pytest.mark.parametrize(
    "text",
    ["", "{", "{'a': 1}", "NaN", "[Infinity]", "[-Infinity]", "1e999", "[" * 200_000, "9" * 5000, "[1] 2"],
)
def test_json_that_does_not_parse_is_refused(text):
    assert _refusal("x", "application/json", text, POLICY).code is AgentCode.FILE_INVALID


def test_plain_text_has_unix_line_ends_and_no_mark():
    file = make_file("メモ", "text/plain", "\ufeff一\r\n二\r三\0\ud800", POLICY)
    assert (file.file_name, file.content) == ("メモ.txt", "一\n二\n三\ufffd".encode())


def test_a_file_may_have_just_as_many_bytes_as_are_allowed():
    policy = FilePolicy(max_bytes=6, types=("text/plain",))
    assert make_file("x", "text/plain", "日本", policy).size_bytes == 6
    refusal = _refusal("x", "text/plain", "日本a", policy)
    assert refusal.code is AgentCode.FILE_TOO_LARGE
    assert "7 bytes" in refusal.message


def test_types_are_compared_without_case_and_parameters():
    policy = FilePolicy(max_bytes=100, types=("Text/CSV",))
    assert make_file("x", " TEXT/csv;charset=utf-8", "a", policy).mime_type == "text/csv"


@pytest.mark.parametrize("mime_type", ["text/html", "application/x-msdownload", "", "text/csv2", "csv"])
def test_other_types_are_refused(mime_type):
    assert _refusal("x", mime_type, "a", POLICY).code is AgentCode.FILE_TYPE_NOT_ALLOWED


def test_a_table_too_obeys_the_policy():
    for policy, code in (
        (FilePolicy(max_bytes=9, types=("text/csv",)), AgentCode.FILE_TOO_LARGE),
        (FilePolicy(max_bytes=9999, types=("text/plain",)), AgentCode.FILE_TYPE_NOT_ALLOWED),
    ):
        with pytest.raises(ToolRefused) as refused:
            table_file(PRICES, kind="csv", name="t", policy=policy)
        assert refused.value.code is code


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_a_table_of_which_nothing_fitted_makes_no_file(kind):
    with pytest.raises(ToolRefused) as refused:
        table_file(Table(caption="", header=(), rows=(), cut=True), kind=kind, name="t", policy=POLICY)
    assert refused.value.code is AgentCode.FILE_INVALID


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_no_more_of_a_file_is_written_than_may_be(kind):
    """Eleven kilobytes of spans make a table of hundreds of megabytes: it is refused at its first ones."""
    table = Table(caption="", header=("x" * 10_000,) * 1000, rows=(("y" * 10_000,) * 1000,) * 200)
    tracemalloc.start()
    with pytest.raises(ToolRefused) as refused:
        table_file(table, kind=kind, name="t", policy=POLICY)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert refused.value.code is AgentCode.FILE_TOO_LARGE
    assert peak < 100 * 1024 * 1024


@pytest.mark.parametrize(
    ("mime_type", "content"), [("text/plain", ""), ("text/csv", "\n"), ("text/plain", b"\xff")]
)
def test_an_empty_or_undecodable_file_is_none(mime_type, content):
    assert _refusal("x", mime_type, content, POLICY).code is AgentCode.FILE_INVALID


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("料金表", "料金表.csv"),
        ("料金表.csv", "料金表.csv"),
        ("REPORT.CSV", "REPORT.csv"),
        ("data.json", "data.csv"),
        ("data.xlsx", "data.csv"),
        ("v1.2", "v1.2.csv"),
        ("x.exe", "x.exe.csv"),
        ("../../etc/passwd", "_.._etc_passwd.csv"),
        ("C:\\temp\\a.csv", "C__temp_a.csv"),
        ('a<b>:"c"|d?*', "a_b___c__d__.csv"),
        ("a\x00b\x1b\x7fc\x85", "abc.csv"),
        ("a\tb\r\nc", "a b c.csv"),
        ("a \x1b b", "a b.csv"),
        ("invoice\u202evsc.exe", "invoicevsc.exe.csv"),
        ("a\u200bb\u2066c\ufeff", "abc.csv"),
        (" . 名前 . ", "名前.csv"),
        ("名\u3000前", "名\u3000前.csv"),
        ("か\u3099", "が.csv"),
        ("con", "_con.csv"),
        ("NUL.txt", "_NUL.csv"),
        ("com1.old", "_com1.old.csv"),
        ("console", "console.csv"),
        ("", "export.csv"),
        (".csv", "export.csv"),
        ("...", "export.csv"),
        ("\ud800", "\ufffd.csv"),
    ],
)
def test_names_are_made_safe(name, safe):
    assert safe_name(name, "text/csv") == safe


def test_a_long_name_is_cut_before_its_extension():
    """At most 100 characters and 240 bytes, and no character is torn apart."""
    assert safe_name("a" * 300 + ".csv", "text/csv") == "a" * 96 + ".csv"
    assert safe_name("日" * 300, "text/csv") == "日" * 78 + ".csv"
    assert safe_name("a" * 94 + "e\u0323\u0304\u0301" + "z", "text/csv") == "a" * 94 + ".csv"


@given(st.text())
def test_a_safe_name_is_safe_whatever_it_was(name):
    safe = safe_name(name, "text/csv")
    assert safe == safe_name(safe, "text/csv")
    assert len(safe) <= 100
    assert len(safe.encode()) <= 240
    assert is_normalized("NFC", safe)
    assert not set(safe) & set('/\\:*?"<>|\0\n\r\u202e\u200b')
    assert safe.endswith(".csv")
    assert not safe.startswith((".", " "))


def test_names_that_are_taken_are_numbered():
    assert distinct_name("a.csv", []) == "a.csv"
    assert distinct_name("A.csv", ["a.csv", "a (2).csv"]) == "A (3).csv"
