"""Previews of files."""

import pytest

from slackapp.playground.page.file_previews import MAX_CHARS, MAX_COLUMNS, MAX_ROWS, preview
from slackapp.playground.workspace.files import StoredFile


def _file(name, content):
    return StoredFile(id="F1", name=name, length=1, user="U1", created=0, content=content)


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (
            "プラン,月額\r\nおためし,980円\r\n".encode("utf-8-sig"),
            [["プラン", "月額"], ["おためし", "980円"]],
        ),
        (b'a,"b\nc"\n"=1+1",<script>', [["a", "b\nc"], ["=1+1", "<script>"]]),
        (b"", []),
        (b"\xff\xfe", [["\ufffd\ufffd"]]),
    ],
)
def test_a_csv_is_a_table(content, rows):
    assert preview(_file("A.CSV", content)) == {"kind": "table", "rows": rows, "cut": False}


def test_a_long_table_is_cut_and_says_so():
    """The head and as many rows as fit; columns likewise."""
    line = ",".join(["x"] * (MAX_COLUMNS + 1))
    shown = preview(_file("a.csv", "\n".join([line] * (MAX_ROWS + 2)).encode()))
    assert (len(shown["rows"]), len(shown["rows"][0]), shown["cut"]) == (MAX_ROWS + 1, MAX_COLUMNS, True)


def test_the_longest_table_is_not_cut():
    assert preview(_file("a.csv", b"x\n" * (MAX_ROWS + 1)))["cut"] is False


def test_a_table_that_cannot_be_read_is_a_text():
    """A cell that is longer than cells may be."""
    assert preview(_file("a.csv", b"x" * 1_100_000))["kind"] == "text"


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.json", b'{"a": [1]}', "json"),
        ("a.json", b"{", "text"),
        ("a.json", b"[" * 100_000, "text"),
        ("a.json", b'"' + b"x" * MAX_CHARS + b'"', "text"),
        ("a.txt", b"{}", "text"),
        ("a.html", b"<script>", "text"),
        ("noname", b"x", "text"),
    ],
)
def test_a_json_is_a_tree_and_everything_else_a_text(name, content, kind):
    assert preview(_file(name, content))["kind"] == kind


def test_a_long_text_is_cut_and_says_so():
    shown = preview(_file("a.txt", b"x" * (MAX_CHARS + 1)))
    assert (len(shown["text"]), shown["cut"]) == (MAX_CHARS, True)
