"""The reading mode `article` takes nothing out of tables, definitions, lists and code."""

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.reading.extract import extract
from fetcher.web.reading.markdown.writer import render
from fetcher.web.reading.tables.rows import tables

STORY = "".join(
    f"<p>Sentence number {number} of a story that somebody wrote about the river, the mill and summer.</p>"
    for number in range(8)
)
KINDS = {
    "article": ("https://example.com/a", '<meta property="og:type" content="article">'),
    "product": ("https://example.com/a", '<meta property="og:type" content="product">'),
    "collection": ("https://example.com/collections/a", ""),
    "forum": ("https://forum.example.com/threads/1", ""),
    "documentation": ("https://docs.example.com/a", ""),
    "home": ("https://example.com/", ""),
    "other": ("https://example.com/about", ""),
}

STOCK = "在庫あり（翌営業日出荷）"
CELLS = [
    ["品番", "在庫", "価格", "関連商品"],
    ["A-100", STOCK, "1,200円", "コメント"],
    ["A-100", STOCK, "1,200円", "コメント"],
    ["B-200", STOCK, "お問い合わせください", "レビュー"],
    ["B-210", "", "お問い合わせください", "PR"],
]
NAMES = ["", "share", "related", "notice", "badge", "menu", "breadcrumb", "caption", "sidebar", "comments"]


def _article(kind, block):
    url, head = KINDS[kind]
    html = (
        f"<head>{head}</head><body><main><h1>Title</h1>{STORY}{block}{STORY.replace('number', 'nr.')}</main>"
    )
    return extract(html, url, mode=ReadingMode.ARTICLE)


def _table(cell="{}", row="", name=""):
    lines = "".join(
        f"<tr{row}>" + "".join(f'<td class="{name}">{cell.format(text)}</td>' for text in line) + "</tr>"
        for line in CELLS[1:]
    )
    head = "".join(f"<th>{text}</th>" for text in CELLS[0])
    return f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_a_table_has_all_its_cells_in_their_columns(kind, name):
    """Cells and rows that equal others stay, whatever they are called, on every kind of page."""
    (table,) = tables(_article(kind, _table(name=name)))
    assert [table.header, *table.rows] == [tuple(line) for line in CELLS]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "cell",
    [
        '<a href="/a">{}</a>',
        "<p>{}</p>",
        '<span class="badge">{}</span>',
        "<b>{}</b>",
        "<label>{}</label>",
        '<div class="share"><a href="/b">{}</a></div>',
        '<span role="status">{}</span>',
        '<sup><a href="#n">{}</a></sup>',
    ],
)
def test_what_stands_in_cells_stays(kind, cell):
    """Neither links nor names nor roles take the text out of a cell."""
    (table,) = tables(_article(kind, _table(cell=cell)))
    assert [table.header, *table.rows] == [tuple(line) for line in CELLS]


def test_a_mark_that_is_all_of_a_cell_is_read():
    """Comparisons tick with pictures; pictures beside text adorn it."""
    tick, photo = '<img src="y.png" alt="対応">', '<img src="p.png" alt="写真">'
    (table,) = tables(
        _article(
            "other", f"<table><tr><th>機能<th>A<tr><td>音声 {photo}<td>{tick}<tr><td>動画<td>{tick}</table>"
        )
    )
    assert table.rows == (("音声", "対応"), ("動画", "対応"))


REPEATED = {
    "the steps of a recipe": (
        "<ol>" + "<li>弱火で10分煮て、味を見ます。</li><li>火を止めます。</li>" * 2 + "</ol>"
    ),
    "long steps in blocks": (
        "<ol>" + "<li><div><b>手順</b><p>鍋に水と昆布を入れて弱火にかけ、沸騰する直前に昆布を取り出してから、"
        "かつお節を入れて火を止め、二分ほど待ってから静かにこします。</p></div></li>" * 2 + "</ol>"
    ),
    "definitions": "<dl>" + "<dt>営業時間のご案内</dt><dd>平日10:00から19:00まで</dd>" * 2 + "</dl>",
    "shops with the same hours": "".join(
        f"<section><h2>{shop}</h2><div><h3>営業時間</h3><p>10:00～19:00（最終受付18:30）</p><p>水曜定休</p></div></section>"
        for shop in ("本店", "駅前店", "空港店")
    ),
    "plans with the same features": "".join(
        f'<div class="plan"><h3>{plan}</h3><ul><li>Bank Account Monitoring</li>'
        "<li>Credit alerts from three bureaus</li><li>24/7 support by telephone</li></ul></div>"
        for plan in ("Basic", "Family", "Premium", "Ultimate")
    ),
    "a timetable without a table": "".join(
        f"<div class=row><span>{bus}</span><div>8:15</div><div>8:45</div><div>On school days only</div></div>"
        for bus in ("Harbour", "Station", "Airport")
    ),
    "lines of code": "<pre><code>" + "assert client.close() is None\n" * 3 + "</code></pre>",
    "notes of several products": "<p>配送料は全国一律660円です。</p><h3>次の品</h3>" * 2,
    "headings": "<h3>Opening hours of the shop</h3><p>From ten to six</p>" * 2,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", REPEATED)
def test_what_repeats_because_things_are_alike_is_read_each_time(kind, name):
    """Items, steps, definitions, hours and features are data, not copies."""
    block = REPEATED[name]
    words = [text for text in _texts(block) if len(text) > 3]
    text = render(_article(kind, block)).replace("\\", "")
    assert {word: text.count(word) for word in words} == {word: block.count(word) for word in words}


def _texts(html):
    return {text.strip() for part in html.split("<") for text in part.partition(">")[2].splitlines()} - {""}


LONG = "Sentence of a story that somebody wrote about the river, the mill, the summer and the rain. " * 3
PARAGRAPHS = "".join(f"<p>Paragraph {number}: {LONG}</p>" for number in range(9))
CARD = (
    '<h3><a href="/e">How to read a river in summer</a></h3><p>Wednesday at the old mill</p>'
    "<p>Free, but registration is needed</p>"
)
COPIES = {
    "for two screens": ('<div class="pc">{0}</div><div class="sp">{0}</div>', PARAGRAPHS, "Paragraph 7"),
    "with a button more": ("<div>{0}</div><section>{0}<p>Less</p></section>", PARAGRAPHS, "Paragraph 7"),
    "in one item of a list": ("<ul><li><div>{0}</div><div>{0}</div></li></ul>", PARAGRAPHS, "Paragraph 7"),
    "of one long paragraph": ("<div><div>{0}</div></div><div><p>{0}</p></div>", LONG, LONG.strip()),
    "cards with a title": ("<ul><li><div>{0}</div><section>{0}</section></li></ul>", CARD, "old mill"),
}


@pytest.mark.parametrize("name", COPIES)
def test_a_section_that_stands_twice_is_read_once(name):
    """The same text for another size of screen is a copy, also when it is much longer than a card."""
    html, text, part = COPIES[name]
    assert render(_article("other", html.format(text))).count(part) == 1


def test_a_copy_that_tells_a_number_of_its_own_is_read():
    """A card that repeats a description and adds the price is no copy."""
    prose = "A jug of blue glass, blown by hand in a small workshop by the sea. " * 4
    text = render(_article("other", f"<div><p>{prose}</p></div><div><p>{prose}</p><p>4,200円</p></div>"))
    assert "4,200円" in text


def test_nested_lists_of_copies_take_no_longer_than_the_page():
    """A hostile page of entries within entries, each a section that was read before."""
    prose = "Sentence of a story that somebody wrote about the river, the mill and the long summer. " * 2
    deep = f"<li><div>{prose}<p>and so on" * 3000
    assert "and so on" in render(_article("other", f"<ul>{deep}</ul>"))


PROSE = "<p>" + "This is a sentence about the prices of a day that is long enough to count. " * 4 + "</p>"


@pytest.mark.parametrize("name", ["share-prices", "social-insurance", "promo-table", "footer-table"])
def test_a_data_table_stays_whatever_it_is_called(name):
    """Between paragraphs long enough that a block of that name would go."""
    table = f"<table class={name}><tr><th>Name<th>Price<tr><td>A<td>1,234<tr><td>B<td>987</table>"
    html = f"<main>{PROSE}{table}{PROSE}</main>"
    (found,) = tables(extract(html, "https://a.example/", mode=ReadingMode.ARTICLE))
    assert found.rows == (("A", "1,234"), ("B", "987"))


@pytest.mark.parametrize("name", ["sr-only", "visually-hidden"])
@pytest.mark.parametrize("part", ["thead", "tr"])
def test_rows_for_screen_readers_keep_their_places(name, part):
    """Without its header a table would take a row of data for it."""
    cells = "<th>Plan<th>Price"
    heads = {"thead": f"<thead class={name}><tr>{cells}</thead>", "tr": f"<tr class={name}>{cells}"}
    html = f"<main>{PROSE}<table>{heads[part]}<tr><td>A<td>1,234<tr><td>B<td>987</table></main>"
    (found,) = tables(extract(html, "https://a.example/", mode=ReadingMode.ARTICLE))
    assert found.header == ("Plan", "Price")


def test_a_list_of_definitions_without_terms_is_no_data():
    """Pages write menus so: they are left out by their names, and definitions of the same name stay."""
    menu = '<ul id=social_bkm_wrap><li><dl><dd><a href="/t">Text</a><dd>Elsewhere<dd>PDF</dl></ul>'
    assert "Elsewhere" not in render(_article("article", menu))
    assert "Elsewhere" in render(_article("article", menu.replace("<dd>", "<dt>Term<dd>", 1)))
