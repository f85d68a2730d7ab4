"""CSV and TSV as tables."""

import pytest

from tests.fetcher.web.reading.documents.reading import document

PRICES = '品名,価格,備考\nりんご,100,青森\n"みかん, 小",80,"甘い""品"""\n'


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "cp932", "utf-16", "euc_jp"])
def test_a_csv_is_a_table_in_every_charset(codec):
    [table] = document(PRICES.encode(codec), "text/csv").tables
    assert table.header == ("品名", "価格", "備考")
    assert table.rows == (("りんご", "100", "青森"), ("みかん, 小", "80", '甘い"品"'))


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_the_delimiter_is_found(delimiter):
    lines = [["名", "数"], ["甲,乙", "1"], ["丙", "2"], ["丁", "3"]]
    body = "\n".join(delimiter.join(f'"{cell}"' for cell in line) for line in lines)
    [table] = document(body, "text/csv").tables
    assert table.header == ("名", "数")
    assert table.rows[0] == ("甲,乙", "1")


def test_a_tsv_has_tabs_whatever_else_it_has():
    [table] = document("a,b\tc,d\n1,2\t3,4\n", "text/tab-separated-values").tables
    assert table.rows[-1] == ("1,2", "3,4")


@pytest.mark.parametrize("content_type", ["text/plain", "application/octet-stream", None])
def test_the_name_tells_a_csv_that_the_server_does_not_know(content_type):
    found = document(PRICES, content_type, url="https://raw.example/prices.csv")
    assert len(found.tables) == 1


def test_excels_type_on_plain_text_is_a_csv():
    """Servers in Japan send CSV as Excel's type."""
    assert document(PRICES.encode("cp932"), "application/vnd.ms-excel").tables[0].header[0] == "品名"


def test_excels_type_on_html_is_a_page():
    found = document("<table><tr><th>a<th>b<tr><td>1<td>2</table>", "application/vnd.ms-excel")
    assert found.tables[0].rows == (("1", "2"),)


def test_a_long_table_is_no_wall_of_text():
    """The first rows are shown, the others can be found and exported."""
    body = "番号,名前\n" + "".join(f"{number},人{number}\n" for number in range(5000))
    found = document(body, "text/csv")
    assert len(found.tables[0].rows) == 5000
    assert len(found.markdown) < 3000
    assert "5,000行" in found.markdown
    assert "名前: 人4321" in found.beside


def test_several_rows_of_names_are_joined():
    body = "期,売上,,利益,\n,前期,当期,前期,当期\n1月,10,20,1,2\n2月,11,21,3,4\n"
    [table] = document(body, "text/csv").tables
    assert table.header[0] == "期"
    assert table.rows[0] == ("1月", "10", "20", "1", "2")


def test_a_table_without_names_keeps_its_first_row():
    [table] = document("1,2\n3,4\n", "text/csv").tables
    assert not any(table.header)
    assert table.rows == (("1", "2"), ("3", "4"))


@pytest.mark.parametrize(
    "body", ['a,b\n"never closed\n' + "x,y\n" * 10, "", "\n\n", '"', "a\x00b,c\n", ",,,\n" * 5]
)
def test_odd_files_are_read(body):
    assert document(body, "text/csv").markdown.endswith("\n")


def test_a_cut_file_loses_its_last_line():
    """The line may be half a line."""
    [table] = document("a,b\n1,2\n3,", "text/csv", cut=True).tables
    assert table.rows == (("1", "2"),)
    assert table.cut
