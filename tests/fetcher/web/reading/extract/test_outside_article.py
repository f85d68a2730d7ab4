"""What a page's article leaves out can still be looked for."""

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.reading.extract.outside_article import LONGEST
from fetcher.web.reading.readers import read
from fetcher.web.values import ReadingContext

STORY = "".join(
    f"<p>Sentence number {number} of a story that somebody wrote about the river, the mill and summer.</p>"
    for number in range(8)
)


def _document(around, mode=ReadingMode.ARTICLE, story=STORY):
    html = f"<title>Mill</title><body>{around}<main><h1>The mill</h1>{story}</main></body>"
    context = ReadingContext(url="https://example.com/a", mode=mode, content_type="text/html; charset=utf-8")
    return read(html.encode(), context).document


@pytest.mark.parametrize("tag", ["header", "footer", "aside", "nav", "button", "div class=sidebar"])
def test_what_stands_around_the_article_is_kept_beside_it(tag):
    """A block a line, its inline elements in one."""
    document = _document(f"<{tag}>TEL <b>03-5555</b>-0142</{tag.split()[0]}>")
    assert "0142" not in document.markdown
    assert document.beside == "TEL 03-5555-0142"


def test_what_is_left_out_of_the_article_is_kept_beside_it():
    document = _document("", story=f'{STORY}<div class="share">Shared by 12</div>')
    assert document.beside == "Shared by 12"


@pytest.mark.parametrize(
    "hidden",
    [
        "<div hidden>Orders</div>",
        '<div style="display:none"><p>Orders</div>',
        '<div style="opacity:0">Orders</div>',
        "<style>.x { font-size: 0 }</style><div class=x>Orders</div>",
        "<style>.x { display: none }</style><div class=x>Orders</div>",
        "<script>Orders</script>",
        "<noscript>Orders</noscript>",
        "<dialog>Orders</dialog>",
        "<datalist><option>Orders</datalist>",
        "<template>Orders</template>",
        "<div popover>Orders</div>",
        "<style>body { font-size: 0 } main { font-size: 16px }</style>Orders",
    ],
)
def test_what_is_out_of_sight_is_not(hidden):
    assert _document(f"<footer>{hidden}</footer>").beside == ""


def test_tabs_that_a_click_opens_are():
    document = _document('<aside><div class="tab-panel" hidden>Ships from our store</div></aside>')
    assert document.beside == "Ships from our store"


def test_a_line_is_kept_once_and_a_long_rest_is_bounded():
    """Menus stand twice, for two sizes of screen."""
    menu = "<nav><p>Prices</p><p>Access</p></nav>"
    assert _document(menu + menu).beside == "Prices\nAccess"
    long_menu = "".join(f"<li>Entry number {number} of the menu</li>" for number in range(2000))
    story = STORY * 200
    assert LONGEST - 100 < len(_document(f"<nav>{long_menu}</nav>", story=story).beside) <= LONGEST


def test_the_srds_reading_has_nothing_beside():
    assert _document("<footer>TEL</footer>", ReadingMode.SRD).beside == ""


@pytest.mark.parametrize(
    ("around", "lines"),
    [
        (
            "<h3>東店</h3><p>10:00〜19:00</p><h3>西店</h3><p>10:00〜19:00</p>",
            "東店|10:00〜19:00|西店|10:00〜19:00",
        ),
        ("<dl><dt>学生<dd>300円<dt>シニア<dd>300円</dl>", "学生|300円|シニア|300円"),
        (
            "<ul><li>月 休<li>火 10時<li>水 10時<li>木 10時<li>水 10時</ul>",
            "月 休|火 10時|水 10時|木 10時|水 10時",
        ),
        ("<p>Sat</p><p>closed</p><p>Sun</p><p>closed</p>", "Sat|closed|Sun|closed"),
        ("<p>TEL</p><p>03-1</p><p>FAX</p><p>03-1</p>", "TEL|03-1|FAX|03-1"),
        (
            "<div><b>本店</b><div>9時</div><div>無休</div></div><div><b>支店</b><div>9時</div><div>無休</div></div>",
            "本店|9時|無休|支店|9時|無休",
        ),
        ("<p>A</p><aside><p>10-17</p></aside><p>B</p><aside><p>10-17</p></aside>", "A|10-17|B|10-17"),
        ("<p>Adult</p><p><a href='/b'>£5</a></p><p>Child</p><p><a href='/b'>£5</a></p>", "Adult|£5|Child|£5"),
        ("<p>住所</p><p>市内</p><p>送料</p><p>市内</p><p>500円</p>", "住所|市内|送料|市内|500円"),
        ("<select><option>S 500円<option>M 500円</select>", "S 500円|M 500円"),
    ],
)
def test_equal_lines_of_different_things_stay(around, lines):
    """Hours of two shops, prices of two groups of people."""
    assert _document(f"<footer>{around}</footer>").beside.split("\n") == lines.split("|")


@pytest.mark.parametrize(
    "menus",
    [
        "<nav><p>Prices</p><p>Access</p></nav><nav><p>Prices</p><p>Access</p></nav>",
        "<div><nav><p>Prices</p><p>Access</p></nav></div><div><nav><p>Prices</p><p>Access</p></nav></div>",
        "<header><nav><p>Prices</p><p>Access</p></nav></header><aside><p>Prices</p><p>Access</p></aside>",
        "<ul><li><a href=/p>Prices</a><li><a href=/a>Access</a><li><a href=/p>Prices</a></ul>",
        "<p><a href=/p>Prices</a></p><p><a href=/a>Access</a></p><footer><a href=/p>Prices</a></footer>",
    ],
)
def test_menus_and_parts_that_are_repeated_as_a_whole_come_once(menus):
    """Pages have them once more for another size of screen."""
    assert _document(f"<footer>{menus}</footer>").beside == "Prices\nAccess"


@pytest.mark.parametrize("tag", ["aside", "footer", "nav", "div class=sidebar"])
def test_rows_of_a_table_are_lines_and_the_table_can_be_exported(tag):
    """A cell alone says nothing."""
    table = "<table><tr><th><th>午前<th>午後<tr><td>火<td>休<td>休<tr><td>水<td><p>9時<p>から<td>休</table>"
    document = _document(f"<{tag}>{table}</{tag.split()[0]}>")
    assert document.beside == "| 午前 | 午後\n火 | 休 | 休\n水 | 9時 から | 休"
    assert [found.header for found in document.tables] == [("", "午前", "午後")]
    assert document.tables[0].rows[0] == ("火", "休", "休")


def test_tables_outside_the_article_come_behind_its_own():
    table = "<table><tr><th>{0}<th>b<tr><td>1<td>2</table>"
    story = STORY + table.format("own") + f"<aside>{table.format('part')}</aside>"
    document = _document(f"<header>{table.format('first')}</header>", story=story)
    assert [found.header[0] for found in document.tables] == ["own", "first", "part"]
    assert _document(table.format("first"), ReadingMode.SRD).tables == ()


def test_a_hidden_table_is_not_read():
    assert _document("<footer><div hidden><table><tr><th>Orders<tr><td>1</table></div></footer>").tables == ()


def test_a_table_that_arranges_the_page_is_no_row():
    layout = f"<table><tr><td><p>Home</p><p>Shop</p><p>Blog</p></td><td>{STORY}<h1>The mill</h1></td></table>"
    assert _document("", story=layout).beside.endswith("Home\nShop\nBlog")


@pytest.mark.parametrize(
    "menu",
    ["<li><a href='/{0}'>Category number {0}</a>", "<div><a href='/{0}'><b>No. {0}</b> of all</a></div>"],
)
def test_a_long_menu_leaves_room_for_what_is_no_link(menu):
    """Links yield to text, wherever they stand; the order is that of the page."""
    links = "".join(menu.format(number) for number in range(2000))
    document = _document(f"<nav>{links}</nav><footer><p>TEL 0120-999-888</p></footer>", story=STORY * 200)
    lines = document.beside.split("\n")
    assert lines[-1] == "TEL 0120-999-888"
    assert len(lines) > 500
    assert len(document.beside) <= LONGEST


def test_a_telephone_that_is_a_link_is_no_menu():
    links = "".join(f"<li><a href='/{number}'>Category number {number}</a>" for number in range(2000))
    call = '<a href="tel:0120999888">0120-999-888</a>'
    assert "0120-999-888" in _document(f"<nav>{links}</nav><p>{call}</p>", story=STORY * 200).beside


def test_many_parts_and_tables_take_no_long_time():
    parts = "<aside>" * 200 + "<nav><p>x</p></nav>" * 5000 + "</aside>" * 200
    rows = "<table><tr><td>a<td>b</table>" * 900
    assert _document(parts + rows).beside.startswith("x")
