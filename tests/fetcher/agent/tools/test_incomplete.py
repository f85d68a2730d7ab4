"""A table of a page that was cut, in a longer read of the same page."""

import pytest

from fetcher.agent.tools.incomplete import found_again, may_lack_rows
from fetcher.web.values import Table


def _table(*rows, caption="", header=("品", "円")):
    return Table(caption=caption, header=header, rows=rows)


PART = _table(("豆", "980"), ("茶", "5"))
WHOLE = _table(("豆", "980"), ("茶", "500"), ("水", "100"))
OTHER = _table(("机", "1"), header=("家具", "数"))


@pytest.mark.parametrize(
    ("number", "tables", "found"),
    [
        (1, [WHOLE], 1),
        (1, [OTHER, WHOLE], 2),  # a longer read sees one table more before it
        (2, [WHOLE, OTHER, _table(("豆", "980"), ("酒", "9"))], 1),  # two begin alike, equally near
        (1, [_table(("豆", "980", "a"), header=("品", "円", "注"))], 1),  # a later row is wider
        (1, [_table(("品", "円"), ("豆", "980"), header=("", ""))], 1),  # the first row was no header
        (1, [_table(("豆", "980"), caption="別の表")], None),
        (2, [OTHER], None),
        (1, [], None),
    ],
)
def test_a_table_is_found_again_by_its_name_and_beginning(number, tables, found):
    assert found_again(PART, number, tables) is (tables[found - 1] if found else None)


def test_the_last_table_of_a_cut_page_may_lack_rows():
    tables = (OTHER, PART)
    assert may_lack_rows(PART, tables, page_cut=True)
    assert not may_lack_rows(OTHER, tables, page_cut=True)
    assert not may_lack_rows(PART, tables, page_cut=False)
    assert may_lack_rows(Table(caption="", header=(), rows=(), cut=True), tables, page_cut=False)
