"""Parts of a table: columns, rows, their order and number."""

import json

import pytest

from fetcher.agent.errors import ToolRefused
from fetcher.agent.files.answer_files import FilePolicy, table_file
from fetcher.agent.files.cell_values import number
from fetcher.agent.files.table_selection import Condition, Selection, selected
from fetcher.codes import AgentCode
from fetcher.web.values import Table

SHOPS = Table(
    caption="店舗",
    header=("店名", "都道府県", "売上"),
    rows=(
        ("梅田", "大阪府", "1億2,000万円"),
        ("堺", "大阪府", "980万円"),
        ("四条", "京都府", "未公表"),
        ("三宮", "兵庫県", "3,000万円"),
    ),
)
PROFILE = Table(caption="", header=("", ""), rows=(("設立", "1968年"), ("資本金", "1億円")), named_rows=True)


def _names(**selection):
    return [row[0] for row in selected(SHOPS, Selection(**selection)).rows]


@pytest.mark.parametrize(
    ("operator", "column", "value", "names"),
    [
        ("is", "都道府県", "大阪府", ["梅田", "堺"]),
        ("is", "都道府県", "大阪", []),
        ("is_not", "都道府県", "大阪府", ["四条", "三宮"]),
        ("contains", "都道府県", "府", ["梅田", "堺", "四条"]),
        ("not_contains", "都道府県", "府", ["三宮"]),
        ("at_least", "売上", "3000万", ["梅田", "三宮"]),
        ("at_most", "売上", "３，０００万円", ["堺", "三宮"]),
    ],
)
def test_rows_are_kept_by_conditions(operator, column, value, names):
    """A row whose cell has no number meets no bound."""
    assert _names(where=(Condition(column=column, operator=operator, value=value),)) == names


def test_numbers_are_sorted_as_numbers_and_rows_without_one_come_last():
    assert _names(sort="売上", descending=True) == ["梅田", "三宮", "堺", "四条"]
    assert _names(sort="売上", limit=2) == ["堺", "三宮"]


def test_columns_are_kept_in_the_order_that_is_asked_for():
    part = selected(SHOPS, Selection(columns=("売上", "店名"), limit=1))
    assert (part.header, part.rows) == (("売上", "店名"), (("1億2,000万円", "梅田"),))


def test_a_column_is_kept_once_and_arguments_have_a_measure():
    """A program may name a column a million times: the file would be as much larger than the page."""
    assert selected(SHOPS, Selection(columns=("店名", "売上", "店 名"), limit=1)).header == ("店名", "売上")
    assert selected(PROFILE, Selection(columns=("設立", "設立"))).rows == (("設立", "1968年"),)
    condition = Condition(column="売上", operator="contains", value="")
    for much in (Selection(columns=("店名",) * 10**6), Selection(where=(condition,) * 10**4)):
        with pytest.raises(ToolRefused, match="At most"):
            selected(SHOPS, much)


def test_a_column_that_is_not_there_is_refused_with_the_names_of_those_that_are():
    with pytest.raises(ToolRefused, match="店名, 都道府県, 売上") as refusal:
        selected(SHOPS, Selection(columns=("住所",)))
    assert refusal.value.code == AgentCode.NO_SUCH_COLUMN


def test_rows_with_names_become_an_object_of_names_and_values():
    policy = FilePolicy(max_bytes=1000, types=("text/csv", "application/json"))
    assert json.loads(table_file(PROFILE, kind="json", name="t", policy=policy).content) == {
        "設立": "1968年",
        "資本金": "1億円",
    }
    assert selected(PROFILE, Selection(columns=("資本金",))).rows == (("資本金", "1億円"),)


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("3億2,000万円", 320_000_000),
        ("約11時間", 11),
        ("−", None),
        ("-5", -5),
        ("１２．５kg", 12.5),
        ("", None),
    ],
)
def test_figures_are_read_as_people_write_them(cell, value):
    assert number(cell) == value
