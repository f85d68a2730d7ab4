"""Tables come out as pipe tables in the Markdown and as rows of clean text for exports."""

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.reading.tables.rows import MAX_CHARACTERS, MAX_TABLES, tables
from fetcher.web.reading.tables.slots import MAX_SLOTS
from fetcher.web.values import Table
from tests.fetcher.web.reading.articles import article, markdown


def table(html: str) -> Table:
    (found,) = tables(article(html))
    return found


PIPES = [
    ("<tr><th>A<th>B<tr><td>1<td>2", "| A | B |\n|---|---|\n| 1 | 2 |"),
    ("<tr><td>a<td>b<tr><td>1<td>2", "| a | b |\n|---|---|\n| 1 | 2 |"),
    ("<tr><td>t<td>u<tr><th>A<th>B<tr><td>1<td>2", "| A | B |\n|---|---|\n| t | u |\n| 1 | 2 |"),
    ("<tr><td><td> <tr><td>1<td>2", "|  |  |\n|---|---|\n| 1 | 2 |"),
    ("<tr><th>A<tr><td>1<td>2<td>3", "| A |  |  |\n|---|---|---|\n| 1 | 2 | 3 |"),
    ("<tr><th colspan=2>A<tr><td rowspan=2>1<td>2<tr><td>3", "| A |  |\n|---|---|\n| 1 | 2 |\n| 3 |  |"),
    ("<tr><th>A|B<th>C<tr><td><code>x|y</code><td>\\|", "| A\\|B | C |\n|---|---|\n| `x\\|y` | \\\\\\| |"),
    ("<tr><th>A<th>B<tr><td>1<br>2<td><p>x<p>y", "| A | B |\n|---|---|\n| 1 2 | x y |"),
    ("<tr><th>A<th>B<tr><td><ul><li>x<li>y</ul><td># z", "| A | B |\n|---|---|\n| x y | # z |"),
    ("<tr><th>A<th>B<tr><td>1<td><table><tr><td>x<td>y</table>", "| A | B |\n|---|---|\n| 1 | x y |"),
    ("<tr><th>A<th>B<tr><td><b> x </b><td><pre>a\n  b</pre>", "| A | B |\n|---|---|\n| **x** | `a b` |"),
    ("<caption># Cap</caption><tr><th>A<th>B", "\\# Cap\n\n| A | B |\n|---|---|"),
    ("<tr><th>A<th>B<tr><td><td><tr><td>1<td>2", "| A | B |\n|---|---|\n| 1 | 2 |"),
    ("<tr><td><td>", ""),
]


@pytest.mark.parametrize(("html", "expected"), PIPES)
def test_data_tables_are_pipe_tables(html: str, expected: str):
    """Each cell is one cell, the header comes first, rows are padded (FR-WF-EXT-TABLE-01)."""
    assert markdown(f"<table>{html}</table>") == expected


LAYOUT = {
    "one cell": "<table><tr><td>a</table>",
    "one column of blocks": "<table><tr><td><p>a</p></table>",
    "headings": "<table><tr><td><h2>a</h2><td></table>",
    "a table inside": "<table><tr><td><table><tr><td>a</table><td></table>",
    "many paragraphs": "<table><tr><td><p>a</p><p></p><p></p><td></table>",
    "many line breaks": "<table><tr><td>a" + "<br>" * 9 + "<td></table>",
    "code": "<table><tr><td><pre></pre><td>a</table>",
    "by its role": "<table role=presentation><tr><th>a<td></table>",
    "much content under a heading": "<table><tr><th>a<td>" + "<p></p>" * 9 + "</table>",
}


@pytest.mark.parametrize("html", LAYOUT.values(), ids=LAYOUT)
def test_layout_tables_are_their_content(html: str):
    """A table that only arranges the page is neither shown nor exported as a table."""
    assert markdown(html, mode=ReadingMode.ARTICLE).lstrip("# ") == "a"
    assert tables(article(html)) == ()


@pytest.mark.parametrize("html", LAYOUT.values(), ids=LAYOUT)
def test_by_the_srd_every_table_is_a_pipe_table(html: str):
    """FR-WF-EXT-TABLE-01 knows no layout."""
    assert markdown(html).split("\n")[0].startswith("|")
    assert "a" in markdown(html)


def test_a_paragraph_in_every_cell_is_still_data():
    """Editors wrap each cell's text in a paragraph."""
    assert (
        markdown("<table><tr><td><p>a<td><p>b<tr><td><p>c<td><p>d</table>")
        == "| a | b |\n|---|---|\n| c | d |"
    )


DATA = {
    "a paragraph in each cell": "<tr><td><p>a<td><p>b<tr><td><p>c<td><p>d",
    "a line break in each cell": "<tr><td>a<br><td>b<br><tr><td>c<br><td>d<br>",
    "both": "<tr><td><p>a<br></p><td><p>b<br></p><tr><td><p>c<br></p><td><p>d<br></p>",
    "a list in one cell": "<tr><td>a<td>b<tr><td>c<td><ul><li>d</ul>",
}


@pytest.mark.parametrize("html", DATA.values(), ids=DATA)
def test_editors_blocks_in_cells_make_no_layout(html: str):
    """As long as each cell has one of them."""
    pipes = "|  |  |\n|---|---|\n| a | b |\n| c | d |"
    assert markdown(f"<table>{html}</table>", mode=ReadingMode.ARTICLE) == pipes
    assert table(f"<table>{html}</table>").rows == (("a", "b"), ("c", "d"))


@pytest.mark.parametrize("inner", ["<p>{}</p>", "{}<br>"])
def test_one_column_of_lines_is_data(inner: str):
    rows = "".join(f"<tr><td>{inner.format(text)}" for text in "abcde")
    assert markdown(f"<table>{rows}</table>", mode=ReadingMode.ARTICLE).startswith("| a |\n|---|\n| b |")
    assert table(f"<table>{rows}</table>").rows == (("b",), ("c",), ("d",), ("e",))


AS_READ = {
    "rowspan": (
        "<tr><th>月<th>品<th>価<tr><td rowspan=2>1月<td>林檎<td>100<tr><td>梨<td>200",
        "| 月 | 品 | 価 |\n|---|---|---|\n| 1月 | 林檎 | 100 |\n| 1月 | 梨 | 200 |",
    ),
    "colspan": (
        "<tr><th>A<th>B<th>C<tr><td>1<td colspan=2>休業",
        "| A | B | C |\n|---|---|---|\n| 1 | 休業 | 休業 |",
    ),
    "a note across the table": (
        "<tr><th>A<th>B<tr><td colspan=2>注意<tr><td>1<td>2",
        "| A | B |\n|---|---|\n| 注意 |  |\n| 1 | 2 |",
    ),
    "a title across the table": ("<tr><th colspan=2>諸元<tr><td>1<td>2", "| 諸元 |  |\n|---|---|\n| 1 | 2 |"),
    "a title of plain cells": (
        "<tr><td colspan=2>諸元<tr><td>A<td>B<tr><td>1<td>2",
        "| 諸元 / A | B |\n|---|---|\n| 1 | 2 |",
    ),
    "several header rows": (
        "<tr><th rowspan=2>品<th colspan=2>価格<tr><th>税抜<th>税込<tr><td>林檎<td>100<td>110",
        "| 品 | 価格 / 税抜 | 価格 / 税込 |\n|---|---|---|\n| 林檎 | 100 | 110 |",
    ),
    "names and values": (
        "<tr><th>社名<td>甲<tr><th>設立<td>1990",
        "|  |  |\n|---|---|\n| 社名 | 甲 |\n| 設立 | 1990 |",
    ),
    "a foot above the body": (
        "<tr><th>A<th>B</tr><tfoot><tr><td>計<td>3</tfoot><tbody><tr><td>1<td>2",
        "| A | B |\n|---|---|\n| 1 | 2 |\n| 計 | 3 |",
    ),
    "two captions": (
        "<caption>一</caption><caption>二</caption><tr><th>A<th>B",
        "一\n\n| A | B |\n|---|---|",
    ),
}


@pytest.mark.parametrize(("html", "expected"), AS_READ.values(), ids=AS_READ)
def test_the_markdown_of_an_article_shows_tables_as_people_read_them(html: str, expected: str):
    """Each value is in its column under all cells that span it; a cell that fills a row is written once."""
    assert markdown(f"<table>{html}</table>", mode=ReadingMode.ARTICLE) == expected


def test_a_table_that_spans_would_blow_up_has_each_text_once():
    """Each cell is one cell then, as in the SRD's mode."""
    rows = "<tr><td>y" * 98
    text = markdown(f"<table><tr><td rowspan=99>{'long' * 500}<td>x{rows}</table>", mode=ReadingMode.ARTICLE)
    assert text.count("long" * 500) == 1
    text = markdown(f"<table><tr>{'<td>x' * 900}{rows}</table>", mode=ReadingMode.ARTICLE)
    assert text.endswith("|\n| y |")


LINES = {
    "line breaks": ("a<br>b<br><br>c", "a\nb\nc", "a<br>b<br>c"),
    "paragraphs": ("<p>a</p><p>b</p>", "a\nb", "a<br>b"),
    "a list": ("<ul><li>a<li>b</ul>c", "a\nb\nc", "a<br>b<br>c"),
    "text before a block": ("a<div>b</div>c", "a\nb\nc", "a<br>b<br>c"),
    "emphasis over lines": ("<b>a<br>b</b>", "a\nb", "**a<br>b**"),
    "preformatted text": (
        "a <pre>if x:\n    y\n\n|z</pre> b",
        "a\nif x:\ny\n|z\nb",
        "a<br>`if x:`<br>`y`<br>`\\|z`<br>b",
    ),
    "code over lines": ("<code>a<br>b</code>", "a\nb", "`a b`"),
    "a break that the page writes out": ("a&lt;br&gt;b<br>c", "a<br>b\nc", "a\\<br>b<br>c"),
}


@pytest.mark.parametrize(("html", "exported", "shown"), LINES.values(), ids=LINES)
def test_the_lines_of_a_cell_stay_lines(html: str, exported: str, shown: str):
    """In a file as they are, in the Markdown with `<br>` between them."""
    html = f"<table><tr><th>A<th>B<tr><td>{html}<td>x<tr><td>1<td>2</table>"
    assert table(html).rows[0] == (exported, "x")
    assert f"| {shown} | x |" in markdown(html, mode=ReadingMode.ARTICLE)


def test_a_table_inside_a_cell_keeps_its_rows_apart():
    html = "<table><tr><th>A<th>B<tr><td>1<td><table><tr><td>x<td>y<tr><td>z<td>w</table></table>"
    assert "| 1 | x y<br>z w |" in markdown(html, mode=ReadingMode.ARTICLE)


def test_cells_for_one_screen_keep_their_places():
    html = "<table><tr><th>A<th class=sp>B<th class=pc>C<tr><td>1<td class=sp>2<td class=pc>2</table>"
    assert table(html).rows == (("1", "2", "2"),)


def test_an_exported_table_is_clean_text():
    """No Markdown and no escapes: white space collapsed, line breaks kept, hidden content left out."""
    found = table(
        "<table><caption>昨年\n度 <b>売上</b></caption><tr><th>項目<th><i>A*</i>"
        "<tr><td> x \n y<br>z<td><a href=q>1,000</a> <script>s</script><img alt='円'>"
        "<tr><td><ul><li>p<li>q</ul>r<td><ruby>漢<rp>(</rp><rt>かん</rt></ruby></table>"
    )
    assert found.caption == "昨年度 売上"
    assert found.header == ("項目", "A*")
    assert found.rows == (("x y\nz", "1,000 円"), ("p\nq\nr", "漢(かん)"))


SPANS = [
    ("<tr><td colspan=2>x", "x x"),
    ("<tr><td rowspan=2>x<td>1<tr><td>2", "x 1/x 2"),
    ("<tr><td>1<td rowspan=2 colspan=2>x<tr><td>2<tr><td>3<td>4<td>5", "1 x x/2 x x/3 4 5"),
    ("<tbody><tr><td rowspan=0>x<td>1<tr><td>2<tbody><tr><td>y<td>3", "x 1/x 2/y 3"),
    ("<tbody><tr><td rowspan=9>x<td>1<tbody><tr><td>y<td>2", "x 1/y 2"),
    ("<tr><td colspan=100>x<tr><td>1<td>2", "x x/1 2"),
    ("<tr><td>1<td>2<tr><td>3", "1 2/3 "),
    ("<tr><td><td><tr><td>1<td>2", " /1 2"),
    ("<tr></tr><tr><td>1<td rowspan=2>2</tr><tr></tr><tr></tr>", "1 2/ 2"),
    ("<tr><td colspan=x>1<td colspan=-2>2", "1 2"),
    ("<tr><td colspan=0>1<td rowspan=1>2<tr><td>3<td>4", "1 2/3 4"),
    ("<tr><th>x<td>3", "x 3"),
]


@pytest.mark.parametrize(("html", "rows"), SPANS)
def test_spans_repeat_their_value(html: str, rows: str):
    """A spanned value stands in every cell it covers, within its row group; short rows are padded."""
    found = table(f"<table><tr><th>A<th>B</tr>{html}</table>")
    assert found.header[:2] == ("A", "B")
    assert "/".join(map(" ".join, found.rows)) == rows


HEADERS = {
    "the row of th": ("<tr><th>A<th>B<tr><td>1<td>2", "A B", 1),
    "else the first": ("<tr><td>a<td>b<tr><td>1<td>2", "a b", 1),
    "the row of th below a title": ("<tr><td colspan=2>t<tr><th>A<th>B<tr><td>1<td>2", "A B", 2),
    "an empty row stays empty": ("<tr><td><td><tr><td>1<td>2", " ", 1),
    "plain cells over names of rows": ("<tr><td>品<td>価<tr><th>林檎<td>1<tr><th>梨<td>2", "品 価", 2),
    "an empty corner": ("<tr><td><td>A<td>B<tr><th>x<td>1<td>2<tr><th>y<td>3<td>4", " A B", 2),
    "an empty corner of two columns": ("<tr><th>&nbsp;<td>価<tr><th>林檎<td>1<tr><th>梨<td>2", " 価", 2),
    "a corner of white space": ("<tr><td>&nbsp;<th>A<th>B<tr><th>x<td>1<td>2", " A B", 1),
    "an empty corner over th": ("<tr><td><th>A<th>B<tr><th>x<td>1<td>2", " A B", 1),
    "a comparison": ("<tr><th>プラン<td>A<td>B<tr><th>月額<td>1<td>2", "プラン A B", 1),
    "names and values have none": ("<tr><th>Name<td>x<tr><th>Age<td>3", " ", 2),
    "nor do pairs of them": ("<tr><th>a<td>1<th>b<td>2<tr><th>c<td>3<th>d<td>4", "   ", 2),
    "a title over names and values": ("<tr><td colspan=2>概要<tr><th>a<td>1<tr><th>b<td>2", " ", 3),
    "two rows of th": ("<tr><th rowspan=2>A<th colspan=2>B<tr><th>C<th>D<tr><td>1<td>2<td>3", "A B/C B/D", 1),
    "a section below": ("<tr><th>A<th>B<tr><th colspan=2>s<tr><td>1<td>2", "A B", 2),
    "nothing but th": ("<tr><th>A<th>B<tr><th>C<th>D<tr><th>E<th>F", "A B", 2),
    "a second thead is data": (
        "<thead><tr><th>A<th>B<tbody><tr><td>1<td>2<thead><tr><th>C<th>D<tbody><tr><td>3<td>4",
        "A B",
        3,
    ),
    "arrows for sorting": (
        "<tr><th><button>A<span>▲▼</span></button><th>B △<th>▲<tr><td>1<td>2<td>3",
        "A B ▲",
        1,
    ),
    "sums of th at the end": ("<tr><td>a<td>1<tr><td>b<td>2<tr><th>計<th>3", " ", 3),
    "groups of plain cells": (
        "<tr><td rowspan=2><td colspan=2>A<tr><td>b<td>c<tr><td>x<td>1<td>2<tr><td>y<td>3<td>4",
        " A/b A/c",
        2,
    ),
    "a plain cell that reaches down": ("<tr><td rowspan=2>x<td>1<tr><td>2<tr><td>y<td>3", " ", 3),
    "a thead around everything": ("<thead><tr><th>A<th>B<tr><td>1<td>2</thead>", "A B", 1),
}


PLACES = {
    "a section below values": (
        "<tr><td>区分<td>料金<tr><td>大人<td>500円<tr><th colspan=2>団体（20名以上）<tr><td>大人<td>400円",
        "区分,料金 大人,500円 団体（20名以上）,団体（20名以上） 大人,400円",
    ),
    "a sum in the middle": (
        "<tr><td>交通費<td>500円<tr><td>宿泊費<td>9,000円<tr><th>小計<th>9,500円<tr><td>食費<td>1,000円",
        ", 交通費,500円 宿泊費,9,000円 小計,9,500円 食費,1,000円",
    ),
    "sections of days": (
        (
            "<tr><td>朝食<td>7:00<tr><th colspan=2>二日目<tr><td>朝食<td>6:30"
            "<tr><th colspan=2>三日目<tr><td>朝食<td>8:00"
        ),
        ", 朝食,7:00 二日目,二日目 朝食,6:30 三日目,三日目 朝食,8:00",
    ),
    "other names further down": (
        "<tr><td>品名<td>値段<tr><td>林檎<td>100円<tr><th>品名<th>重さ<tr><td>米<td>5kg",
        "品名,値段 林檎,100円 品名,重さ 米,5kg",
    ),
    "a sum beside an empty corner": (
        "<tr><td>4月<td>10<tr><td><th>計<tr><td>5月<td>20",
        ", 4月,10 ,計 5月,20",
    ),
    "a total of three columns": (
        "<tr><td>A<td>1<td>2<tr><td>B<td>3<td>4<tr><th>Total<th>4<th>6<tr><td>C<td>5<td>6",
        ",, A,1,2 B,3,4 Total,4,6 C,5,6",
    ),
    "sections from the first row": (
        (
            "<tr><th colspan=2>東館<tr><th>部屋<th>料金<tr><td>和室<td>12,000円"
            "<tr><th colspan=2>西館<tr><td>洋室<td>9,000円"
        ),
        "部屋,料金 東館,東館 和室,12,000円 西館,西館 洋室,9,000円",
    ),
    "sections that repeat the names": (
        "<tr><th colspan=2>A<tr><th>x<th>y<tr><td>1<td>2<tr><th colspan=2>B<tr><th>x<th>y<tr><td>3<td>4",
        "x,y A,A 1,2 B,B x,y 3,4",
    ),
    "sections over plain names": (
        (
            "<tr><th colspan=2>東館<tr><td>部屋<td>料金<tr><td>和室<td>9円"
            "<tr><th colspan=2>西館<tr><td>洋室<td>8円"
        ),
        "部屋,料金 東館,東館 和室,9円 西館,西館 洋室,8円",
    ),
    "sections of pairs": (
        "<tr><th colspan=2>本社<tr><td>所在<td>東京<tr><th colspan=2>支社<tr><td>所在<td>大阪",
        ", 本社,本社 所在,東京 支社,支社 所在,大阪",
    ),
    "sections of one column": ("<tr><th>A<tr><td>1<tr><td>2<tr><th>B<tr><td>3", " A 1 2 B 3"),
    "a title and a note": (
        "<tr><th colspan=2>t<tr><th>A<th>B<tr><td>1<td>2<tr><th colspan=2>n",
        "t/A,t/B 1,2 n,n",
    ),
    "a title alone": ("<tr><th colspan=2>t<tr><td>1<td>2<tr><td>3<td>4", "t,t 1,2 3,4"),
    "a title over plain names": (
        "<tr><th colspan=2>入館料<tr><td>区分<td>料金<tr><td>大人<td>500円<tr><td>小人<td>300円",
        "入館料/区分,入館料/料金 大人,500円 小人,300円",
    ),
    "a title in the thead": (
        "<thead><tr><td colspan=2>料金表<tbody><tr><th>区分<th>料金<tr><td>大人<td>500円",
        "区分,料金 料金表,料金表 大人,500円",
    ),
    "a title of th in the thead": (
        "<thead><tr><th colspan=2>T<tbody><tr><th>A<th>B<tr><td>1<td>2",
        "T/A,T/B 1,2",
    ),
    "a thead of a title over values": (
        "<thead><tr><th colspan=2>T<tbody><tr><td>a<td>b<tr><td>c<td>d",
        "T,T a,b c,d",
    ),
}


@pytest.mark.parametrize(("html", "rows"), PLACES.values(), ids=PLACES)
def test_a_row_stays_in_its_place_unless_it_names_the_columns(html: str, rows: str):
    """No row below values, and no section's name, becomes the header."""
    found = table(f"<table>{html}</table>")
    lines = (found.header, *found.rows)
    assert " ".join(",".join(row) for row in lines).replace(" / ", "/") == rows


VALUES = {
    "a company": "<tr><td>会社名<td>サンプル社<tr><td>設立<td>1998年<tr><td>資本金<td>1億円",
    "a shop": "<tr><td>店名<td>A店<tr><td>開店<td>9:00<tr><td>閉店<td>20:00",
    "days off": "<tr><td>定休日<td>日曜日<tr><td>電話<td>03-1111-2222<tr><td>FAX<td>03-1111-2223",
    "prices": "<tr><td>大人<td>500円<tr><td>小人<td>300円<tr><td>幼児<td>無料",
    "striped rows": "<tr class=odd><td>名<td>甲<tr class=even><td>所<td>乙<tr class=odd><td>人<td>丙",
    "a history": "<tr><th>1968年<td>6月<td>設立<tr><th>1990年<td>4月<td>大阪支店",
    "a history of plain cells": "<tr><td>1968年<td>6月<td>設立<tr><td>1990年<td>4月<td>大阪支店",
    "a history with a title": (
        "<tr><td colspan=3>沿革<tr><td>1968年<td>6月<td>設立<tr><td>1990年<td>4月<td>移転"
    ),
    "plans without names": "<tr><th>月額<td>1,000円<td>2,000円<tr><th>容量<td>5GB<td>10GB",
    "goods by number": "<tr><td>1<td>林檎<td>100円<tr><td>2<td>梨<td>200円",
    "a timetable": "<tr><td>9:00<td>開会<td>会長<tr><td>9:30<td>講演<td>教授<tr><td>10:30<td>休憩<td>",
    "dollars": "<tr><td>Basic<td>$5<td>1 user<tr><td>Pro<td>$10<td>5 users",
    "one row": "<tr><td>電話<td>受付",
    "one row of three": "<tr><td>月<td>火<td>水",
    "pairs of words": "<tr><td>Author<td>Jane Doe<tr><td>Publisher<td>ACME",
}


@pytest.mark.parametrize("html", VALUES.values(), ids=VALUES)
def test_a_row_of_values_is_not_a_header(html: str):
    """The columns have no names then, and a record is the list of its cells."""
    found = table(f"<table>{html}</table>")
    assert not any(found.header)
    assert len(found.rows) == html.count("<tr")


NAMES = {
    "a word for values": "<tr><td>区分<td>料金（税込）<tr><td>大人<td>500円<tr><td>幼児<td>無料",
    "an English word": "<tr><td>Term<td>Meaning<tr><td>HTTP<td>a protocol<tr><td>URL<td>an address",
    "bold text": "<tr><td><b>人</b><td><b>色</b><tr><td>甲<td>赤<tr><td>乙<td>青",
    "a look": "<tr class=head><td>人<td>色<tr><td>甲<td>赤<tr><td>乙<td>青",
    "a ground": "<tr><td bgcolor=#ccc>人<td bgcolor=#ccc>色<tr><td>甲<td>赤<tr><td>乙<td>青",
    "figures below": "<tr><td>x<td>y<tr><td>1<td>2<tr><td>3<td>4",
    "sentences below": (
        "<tr><td>Pros<td>Cons<tr><td>It adapts well to changes<td>It lacks clear boundaries"
        "<tr><td>Work can begin at once<td>The end of it stays unknown"
    ),
    "a word and what it is counted by": "<tr><td>Site<td>Average cost per click<tr><td>A<td>B<tr><td>C<td>D",
    "an empty corner": "<tr><td><td>A<tr><td>x<td>B",
    "three columns": "<tr><td>人<td>色<td>形<tr><td>甲<td>赤<td>丸",
    "years": "<tr><td>支店<td>2022<td>2023<td>2024<tr><td>東京<td>100<td>110<td>120",
    "months": "<tr><th>支店<td>4月<td>5月<tr><th>東京<td>100<td>110",
    "numbers that count up": "<tr><td>組<td>1<td>2<td>3<tr><td>甲<td>80<td>90<td>70",
    "plain cells over th": "<tr><td>品<td>価<tr><th>林檎<td>1<tr><th>梨<td>2",
}


@pytest.mark.parametrize("html", NAMES.values(), ids=NAMES)
def test_a_row_of_plain_cells_is_a_header_if_it_shows_it(html: str):
    found = table(f"<table>{html}</table>")
    assert any(found.header)
    assert len(found.rows) == html.count("<tr") - 1


@pytest.mark.parametrize(("html", "header", "rows"), HEADERS.values(), ids=HEADERS)
def test_the_header_is_what_people_take_for_it(html: str, header: str, rows: int):
    """The rows that name the columns, joined; where none does, the columns have no names."""
    found = table(f"<table>{html}</table>")
    assert " ".join(found.header).replace(" / ", "/") == header
    assert len(found.rows) == rows


def test_the_markdown_of_an_article_has_the_same_header_and_rows():
    for html, _, _ in HEADERS.values():
        found = table(f"<table>{html}</table>")
        header, _, *rows = markdown(f"<table>{html}</table>", mode=ReadingMode.ARTICLE).split("\n")
        lines = [tuple(cell.strip("| ") for cell in line.split(" | ")) for line in (header, *rows)]
        once = [row if len(set(row)) > 1 else (row[0], *[""] * (len(row) - 1)) for row in found.rows]
        assert lines == [found.header, *once]


def test_several_header_rows_are_joined():
    """Names of a column from the rows of a `thead` are joined where they differ."""
    found = table(
        "<table><thead><tr><th rowspan=2>品名<th colspan=2>価格<tr><th>税抜<th>税込</thead>"
        "<tr><td>りんご<td>100<td>110</table>"
    )
    assert found.header == ("品名", "価格 / 税抜", "価格 / 税込")
    assert found.rows == (("りんご", "100", "110"),)


def test_nested_and_skipped_tables():
    """A nested table is exported by itself and not as text of its cell; what is skipped is not exported."""
    html = (
        "<aside><table><tr><td>no<td>no</table></aside>"
        "<table><tr><th>A<th>B<tr><td>1<td>x<table><tr><td>i<td>j<aside>k</aside></table></table>"
    )
    outer, inner = tables(article(html, skip="aside"))
    assert (outer.header, outer.rows) == (("A", "B"), (("1", "x"),))
    assert (inner.header, inner.rows) == (("", ""), (("i", "j"),))


NUMBERS = ["2", " 2", "+2", "02", "2px", "2.9"]


@pytest.mark.parametrize("number", NUMBERS)
def test_a_span_is_parsed_as_the_html_standard_does(number: str):
    """White space, a plus and zeros may stand before the digits, anything behind them."""
    assert table(f"<table><tr><th>A<th>B<tr><td colspan='{number}'>x</table>").rows == (("x", "x"),)
    assert len(table(f"<table><tr><th>A<tr><td rowspan='{number}'>x<tr><td>y</table>").rows[1]) == 2


def test_the_rows_of_a_foot_come_last():
    """As browsers show it, wherever the `tfoot` stands."""
    found = table("<table><tr><th>A<tfoot><tr><td>sum</tfoot><tbody><tr><td>1<tr><td>2</table>")
    assert found.rows == (("1",), ("2",), ("sum",))


def test_a_table_that_is_open_where_the_page_was_cut_loses_its_last_row():
    """No row is torn, and the table says that it is not whole; one that was closed before stays."""
    html = (
        "<table><tr><th>A<th>B<tr><td>1<td>2</table><p>x<table><tr><th>C<th>D<tr><td>3<td>4<tr><td>5<td>tor"
    )
    whole, torn = tables(article(html), cut=True)
    assert (whole.rows, whole.cut) == ((("1", "2"),), False)
    assert (torn.rows, torn.cut) == ((("3", "4"),), True)
    assert [found.cut for found in tables(article(html))] == [False, False]
    assert tables(article("<p>x<table><tr><th>A<th>to"), cut=True) == ()


GROWING = {
    "many tables of spans": "<table><tr>" + "<td rowspan=65534>x" * 900 + "<tr><td>y" * 200 + "</table>",
    "many wide tables": "<table><tr>" + "<td>x" * 1000 + "<tr><td>y" * 200 + "</table>",
    "long cells in spans": "<table><tr>"
    + "<td>x" * 100
    + f"<tr><td colspan=100>{'long' * 100}" * 20
    + "</table>",
    "overlapping spans": "<table>" + "<tr><td><td colspan=1000 rowspan=9999>x" * 500 + "</table>",
}


@pytest.mark.parametrize("html", GROWING.values(), ids=GROWING)
def test_all_tables_of_a_page_together_are_bounded(html: str):
    """A few kilobytes of spans give no more than a page's share of cells and characters, and say so."""
    found = tables(article(html * 40))
    cells = [cell for each in found for row in (each.header, *each.rows) for cell in row]
    assert len(cells) <= MAX_SLOTS
    assert sum(map(len, cells)) <= MAX_CHARACTERS
    assert any(each.cut for each in found)
    assert all(len(row) == len(each.header) for each in found for row in each.rows)


def test_the_number_of_tables_is_bounded():
    """The last one tells that more follow."""
    found = tables(article("<table><tr><th>A<tr><td>1</table>" * (MAX_TABLES + 1)))
    assert [each.cut for each in found] == [False] * (MAX_TABLES - 1) + [True]


@pytest.mark.parametrize(
    ("html", "columns", "cut"),
    [
        ("<tr>" + "<td colspan=1000 rowspan=65534>x" * 50 + "<tr><td>y" * 2_000, 51, False),
        ("<tr><td colspan=99999999999999>x" * 2_000, 1, False),
        ("<tr>" + "<td>x" * 20_000 + "<tr><td>y" * 2_000, 1_000, True),
        ("<tr>" + "<td rowspan=0>x" * 900 + "<tr><td>y" * 2_000, 901, True),
        ("<tr>" + "<td colspan=1000 rowspan=0>x" * 50_000 + "<tr><td>y" * 50, 1_000, True),
    ],
    ids=["both spans", "wide spans", "one wide row", "many slots", "many wide cells"],
)
def test_spans_are_bounded(html: str, columns: int, cut: bool):
    """No table grows beyond 1,000 columns and 200,000 cells; columns that no cell begins do not count."""
    found = table(f"<table>{html}</table>")
    assert len(found.header) == columns
    assert len(found.header) * len(found.rows) <= 200_000
    assert found.cut is cut


WIDE = {
    "1000": ("x x x y", "1 2 3 "),
    "99999": ("x x x y", "1 2 3 "),
    "24": ("x x x y", "1 2 3 "),
    "3": ("x x x y", "1 2 3 "),
    " 2": ("x x y", "1 2 3"),
    "2x": ("x x y", "1 2 3"),
    "0": ("x y ", "1 2 3"),
    "-1": ("x y ", "1 2 3"),
}


@pytest.mark.parametrize(("colspan", "rows"), WIDE.items(), ids=WIDE)
def test_a_span_of_any_width_leaves_the_cell_behind_it_in_the_table(colspan: str, rows: tuple[str, ...]):
    """Of the many columns that it makes up, only those exist in which a cell begins."""
    html = f"<table><tr><th>A<th>B<th>C<tr><td colspan='{colspan}'>x<td>y<tr><td>1<td>2<td>3</table>"
    assert tuple(map(" ".join, table(html).rows)) == rows
    assert f"| {' | '.join(rows[0].split(' '))} |" in markdown(html, mode=ReadingMode.ARTICLE)


def test_deeply_nested_tables_are_surveyed_once():
    """Nesting costs one pass, not one for each level."""
    assert len(tables(article("<table><tr><th>x<td>y" * 1_000))) == 1_000
