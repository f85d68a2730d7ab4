"""Cells as people write them are compared by what they mean."""

import pytest

from fetcher.agent.errors import ToolRefused
from fetcher.agent.files.cell_values import number, value_of
from fetcher.agent.files.table_selection import Condition, Selection, selected
from fetcher.codes import AgentCode
from fetcher.web.values import Table


def _table(*cells):
    return Table(caption="", header=("値",), rows=tuple((cell,) for cell in cells))


def _cells(table, **selection):
    return [row[0] for row in selected(table, Selection(**selection)).rows]


@pytest.mark.parametrize(
    "ascending",
    [
        ["2025/12/31", "2026年2月1日", "2026-03-09", "2026年10月5日"],
        ["昭和63年1月1日", "平成31年4月1日", "令和元年5月1日", "令和8年1月5日", "2026年2月1日"],
        ["2月3日", "2月14日", "12月3日"],
        ["2026-03-09 9:30", "2026-03-09 10:00", "2026-03-10 8:00"],
        ["9:00〜17:00", "9:30〜18:00", "10:00〜20:00", "午後1時", "14時半"],
        ["▲1,200円", "−300円", "-¥5", "0円", "２，０００円", "1万5,000円", "3億2千万円", "1兆円"],
        ["-3%", "9%", "12.5％"],
        ["800KB", "500MB", "2GB", "1.5TB"],
        ["800g", "1.2kg", "3kg"],
        ["45分", "1時間", "90分"],
    ],
)
def test_values_are_sorted_by_what_they_mean(ascending):
    table = _table(*ascending[::-1], "", "—")
    assert _cells(table, sort="値") == [*ascending, "", "—"]
    assert _cells(table, sort="値", descending=True) == [*ascending[::-1], "", "—"]


@pytest.mark.parametrize(
    ("cells", "operator", "bound", "kept"),
    [
        (["2026年10月5日", "2026年2月1日"], "at_least", "2026-03-01", ["2026年10月5日"]),
        (["2026年3月31日", "2026年4月1日"], "at_most", "2026年3月", ["2026年3月31日"]),
        (["2025年12月1日", "2026年1月1日"], "at_least", "2026", ["2026年1月1日"]),
        (["9:00〜", "9:30〜"], "at_most", "9:15", ["9:00〜"]),
        (["9:00〜", "10:30〜"], "at_least", "10", ["10:30〜"]),
        (["▲1,200円", "500円"], "at_most", "0", ["▲1,200円"]),
        (["1万5,000円", "9,000円"], "at_least", "１２，０００円", ["1万5,000円"]),
        (["800g", "3kg"], "at_most", "1kg", ["800g"]),
        (["2kg", "3kg"], "at_most", "2", ["2kg"]),
    ],
)
def test_bounds_are_compared_with_their_kind(cells, operator, bound, kept):
    condition = Condition(column="値", operator=operator, value=bound)
    assert _cells(_table(*cells), where=(condition,)) == kept


@pytest.mark.parametrize(
    ("cells", "bound"), [(["500円", "900円"], "高い"), (["大", "小"], "5"), (["800g", "3kg"], "2")]
)
def test_a_bound_that_fits_no_cell_is_refused_and_not_guessed(cells, bound):
    condition = Condition(column="値", operator="at_least", value=bound)
    with pytest.raises(ToolRefused, match="cannot be compared") as refusal:
        selected(_table(*cells), Selection(where=(condition,)))
    assert refusal.value.code == AgentCode.NOT_COMPARABLE


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_of_nothing_is_refused(limit):
    with pytest.raises(ToolRefused, match="at least 1"):
        selected(_table("1"), Selection(limit=limit))


def test_what_has_no_value():
    assert value_of("未公表") is None
    assert number("なし") is None
    assert number("10〜20席") == 10
    assert number("特-4") == 4
