"""JSON as an outline, with tables."""

import json

import pytest

from tests.fetcher.web.reading.documents.reading import document


def test_objects_are_an_outline():
    text = document('{"店": {"名前": "本店", "席": 40}, "休み": ["月", "火"]}', "application/json").markdown
    assert text == "- **店**:\n  - **名前**: 本店\n  - **席**: 40\n- **休み**:\n  - 月\n  - 火\n"


def test_lists_of_objects_are_tables():
    rows = [{"品名": "りんご", "価格": 100}, {"品名": "みかん", "価格": 80, "備考": None}]
    found = document(json.dumps({"商品": rows, "件数": 2}), "application/json")
    [table] = found.tables
    assert (table.caption, table.header) == ("商品", ("品名", "価格", "備考"))
    assert table.rows == (("りんご", "100", ""), ("みかん", "80", ""))
    assert "| りんご | 100 |" in found.markdown
    assert "**件数**: 2" in found.markdown


@pytest.mark.parametrize("body", ["[]", "{}", "7", '"x"', "null", "{broken", "[" * 100_000, "[1, 2"])
def test_anything_else_is_shown(body):
    assert document(body, "application/json").markdown.strip()


def test_marks_of_markdown_in_it_are_words():
    assert "\\*\\*" in document('{"a": "**bold** [x](http://evil.example)"}', "application/json").markdown
