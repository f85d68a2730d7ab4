"""An article's text cannot be misread: powers, indices, fractions, deleted prices, cells with icons alone."""

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.reading.extract import extract
from fetcher.web.reading.extract.outside_article import text_outside
from fetcher.web.reading.markdown.writer import render
from fetcher.web.reading.tables.rows import tables
from tests.fetcher.web.reading.articles import article, markdown

SHOWN = [
    ("10<sup>6</sup>個 10<sup>-3</sup> m<sup>2</sup> １０<sup>6</sup>", "10^6個 10^-3 m^2 １０^6"),
    ("x<sup>n+1</sup>y 2<sup>10</sup>B <b>10</b><sup>6</sup>", "x^(n+1)y 2^(10)B **10**^6"),
    ("10<sup>1</sup> 2<sup>n</sup> 12<sup>2</sup> (a+b)<sup>2</sup>", "10^1 2^n 12^2 (a+b)^2"),
    ("5<sup>th</sup> 1<sup>er</sup> 30<sup>min</sup> 24<sup>h</sup> 18<sup>+</sup>", "5th 1er 30min 24h 18+"),
    ("$19<sup>99</sup> <sup>$</sup>1,019<sup>00</sup> € 19,<sup>99</sup>", "$19.99 $1,019.00 € 19,99"),
    ("価格<sup>※1</sup> Word<sup>®</sup> a<sup>(1)</sup> b<sup>*</sup>", "価格※1 Word® a(1) b*"),
    ("1,000円<sup>1</sup> 12.5%<sup>2</sup> 売上（連結）<sup>3</sup>", "1,000円[1] 12.5%[2] 売上（連結）[3]"),
    ("1,234<sup>[1]</sup> 567<sup>*1</sup> 8<sup>※1</sup>", "1,234 [1] 567 *1 8 ※1"),
    ("567<sup id=r1 class=reference>2</sup> 5<sup><i class=fn>3</i></sup>", "567 [2] 5 [3]"),
    ("1,234<sup>2</sup> 567<sup>1</sup> 567<sup>1,2</sup>", "1,234 [2] 567 [1] 567 [1,2]"),
    ("1,234<sup>1</sup><sup>2</sup> 1,234<sup>ii</sup> 567<sup>a</sup>", "1,234 [1][2] 1,234 [ii] 567 [a]"),
    ("in 2020.<sup>3</sup> the end,<sup>4</sup> 文末。<sup>5</sup>", "in 2020.[3] the end,[4] 文末。[5]"),
    ("BMI<sup>a</sup> Revenue<sup>2</sup> inch<sup>2</sup> cm<sup>3</sup>", "BMI[a] Revenue[2] inch^2 cm^3"),
    ("<sup>1</sup>567 <sup>※2</sup>89", "[1] 567 ※2 89"),
    ("<sup>1</sup>/<sub>2</sub> 3<sup>1</sup>⁄<sub>2</sub>", "1/2 3 1⁄2"),
    ("H<sub>2</sub>O 1011<sub>2</sub> V<sub>max</sub> x<sub>1</sub>2", "H2O 1011_2 V_max x_(1)2"),
    ("<math><mn>3</mn><mfrac><mn>1</mn><mn>2</mn></mfrac></math>", "3 1/2"),
    ("<math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac></math>", "(a+b)/2"),
    ("<math><msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup><msqrt><mn>2</mn></msqrt></math>", "x_i^2√(2)"),
    ("<math><semantics><mrow><mi>x</mi></mrow><annotation>tex</annotation></semantics></math>", "x"),
    ("<del>1,000円</del>800円 <s>$10</s><b></b><span>$8</span>", "~~1,000円~~ 800円 ~~$10~~ $8"),
    ("<span style='color:red; text-decoration: line-through'>$10</span>$8", "~~$10~~ $8"),
    (
        "<del>a<s>b</s>c</del> <del> </del><s><i></i></s>d <del>旧</del>、<ins>新</ins>",
        "~~abc~~ d ~~旧~~、新",
    ),
    ("<span class=old>5000</span><span class=new>4000</span>", "5000 4000"),
    ("<span>05</span><span>20</span> <time>2024</time><time>2025</time>", "05 20 2024 2025"),
    ("<span><span>12</span></span><span><span>34</span></span> 12<small>3</small>", "12 34 12 3"),
    ("<span>$50</span><span>$40</span> <small>12</small>345", "$50 $40 12 345"),
    ("<em>2</em>024 20<mark>24</mark> <span>1</span><span>2</span>", "*2*024 2024 12"),
    ("<span lang=EN-US>20</span><span lang=EN-US>24</span> <span>9</span><span>時</span>", "2024 9時"),
    (
        "<ruby>漢字<rt>かんじ</rt></ruby> <q>a</q> 東<wbr>京 <time datetime=2024>今年</time>",
        '漢字(かんじ) "a" 東京 今年',
    ),
]


@pytest.mark.parametrize(("html", "shown"), SHOWN)
def test_notation_in_plain_characters(html, shown):
    """The same in the text of an article, in the cells of its tables and in what is exported of them."""
    table = f"<table><tr><th>A<th>B<tr><td>{html}<td>x</table>"
    assert _unescaped(markdown(f"<p>{html}</p>", mode=ReadingMode.ARTICLE)) == shown
    assert f"| {shown} | x |" in _unescaped(markdown(table, mode=ReadingMode.ARTICLE))
    (found,) = tables(article(table))
    assert found.rows[0][0] == shown.replace("**", "").replace("*2*", "2")


def _unescaped(text):
    return text.replace("\\", "")


@pytest.mark.parametrize("html", ["567<sup><a href='#fn1'>1</a></sup>", "567<a href='#fn1'><sup>1</sup></a>"])
def test_a_number_that_leads_to_a_note_is_no_power(html):
    table = f"<table><tr><th>A<th>B<tr><td>{html}<td>x</table>"
    assert tables(article(table))[0].rows == (("567 [1]", "x"),)
    shown = _unescaped(markdown(table, mode=ReadingMode.ARTICLE))
    assert "| 567 [1] | x |" in shown.replace("[[1]](https://example.com/dir/page.html#fn1)", "[1]")


def test_links_with_figures_are_set_apart():
    html = "<a href=/1>05</a><a href=/2>20</a>"
    shown = "[05](https://example.com/1) [20](https://example.com/2)"
    assert markdown(f"<p>{html}</p>", mode=ReadingMode.ARTICLE) == shown
    assert tables(article(f"<table><tr><th>A<th>B<tr><td>{html}<td>x</table>"))[0].rows[0][0] == "05 20"


def test_a_mark_of_a_note_brings_no_marks_of_its_own():
    """Control characters stand for Markdown inside the engine: a page cannot forge them."""
    assert markdown("<p>5<sup>[\x02\x0e1]</sup>", mode=ReadingMode.ARTICLE) == "5 \\[1\\]"


LABELS = [
    ("<img src=ok.png alt=対応>", "対応"),
    ("<svg aria-label=対応><path/></svg>", "対応"),
    ("<svg> <title>対応</title><path/></svg>", "対応"),
    ("<i class=icon-check title=対応></i>", "対応"),
    ("対応<i class=icon-check title=注></i>", "対応"),
    ("<a href=/x aria-label=詳細><svg></svg></a>", "詳細"),
    ("<time datetime=2024-01-01></time>", "2024-01-01"),
    ("<i title=星></i><i title=星></i>", "星 星"),
    ("<i aria-hidden=true title=x></i>", ""),
    ("<i class='fas fa-check-circle' aria-hidden=true></i>", "✓"),
    ("<img src=/img/ico_sankaku.png alt=''>", "△"),
    ("<i class=icon-check></i><i class=icon-minus></i>", "✓ −"),
    ("<svg class='lucide lucide-check'><path d=''/></svg>", "✓"),
    ("<span class=icon_maru02></span>", "○"),
    ("<em class='circle-times check'></em>", "×"),
    ("<i class='no-check'></i><img src=/check_off.png><i class='check disabled'></i>", ""),
    ("<i class='fa fa-info-circle'></i><i class=checked></i>", ""),
    ("<input type=checkbox checked>", "☑"),
    ("<input type=password value=secret><input type=hidden value=token>", ""),
    ("<input type=image alt=購入 value=x>", "購入"),
    ("<select><option>1<option selected>2<option>3</select>", "2"),
    ("<select><option>1<option>2</select>", "1"),
    ("<label><input type=checkbox checked>日</label> <label><input type=checkbox>月</label>", "☑ 日 ☐ 月"),
    ("数量 <input type=number value=2>個", "数量 2 個"),
    ("色 <select multiple><option selected>赤<option>青<option selected>白</select>", "色 赤, 白"),
    ("備考<textarea>あり</textarea>", "備考 あり"),
    ("¥1,000<button>カートへ</button>", "¥1,000 カートへ"),
    ("進捗<progress value=70 max=100>70%</progress>", "進捗 70%"),
    ("<meter value=3 max=5></meter>良", "3/5 良"),
]


@pytest.mark.parametrize(("html", "shown"), LABELS)
def test_a_cell_without_text_says_what_its_icon_or_control_says(html, shown):
    """In an article, where pictures and controls are left out elsewhere, and in exports."""
    table = f"<table><tr><th>A<th>B<tr><td>x<td>{html}</table>"
    assert f"| x | {shown} |" in markdown(table, mode=ReadingMode.ARTICLE)
    (found,) = tables(article(table, skip="img"))
    assert found.rows == (("x", shown),)


BARS = [
    ("<progress value=70 max=100>70 / 100</progress>", "70 / 100"),
    ("<progress value=0.7></progress>", "0.7"),
    ("評価<meter value=4.5 min=0 max=5>4.5</meter>", "評価 4.5"),
    ("<meter value=2 max=10>Ignore this page</meter>", "2/10"),
    ("<progress max=9><b>Ignore 9</b></progress>", ""),
    ("<progress hidden value=1 max=2></progress>x", "x"),
]


@pytest.mark.parametrize(("html", "shown"), BARS)
def test_a_bar_tells_its_figure_and_nothing_else(html, shown):
    """Browsers do not show the text in it, so that only a figure is read."""
    table = f"<table><tr><th>A<th>B<tr><td>x<td>{html}<tr><td>1<td>2</table>"
    page = (
        f"<main><p>{'本文です。' * 60}</p><p>{html}</p>{table}</main><aside>電話 03-1111-2222 {html}</aside>"
    )
    read = extract(page, "https://a.example/", mode=ReadingMode.ARTICLE)
    assert tables(read)[0].rows[0] == ("x", shown)
    assert f"| x | {shown} |" in render(read)
    assert "Ignore" not in render(read) + text_outside(read)


@pytest.mark.parametrize("hidden", ["hidden", "style=display:none", "class=closed"])
@pytest.mark.parametrize(
    "control",
    ["<button {}>9</button>", "<textarea {}>9</textarea>", "<input {} value=9>", "<i {} title=9></i>"],
)
def test_a_control_that_nobody_sees_says_nothing(control, hidden):
    """Neither beside a text nor where it is all that a cell has."""
    html = control.format(hidden)
    table = f"<table><tr><th>A<th>B<tr><td>x{html}<td>{html}<tr><td>1<td>2</table>"
    page = f"<style>.closed{{display:none}}</style><main><p>{'本文です。' * 60}</p>{table}"
    read = extract(page, "https://a.example/", mode=ReadingMode.ARTICLE)
    assert tables(read)[0].rows[0] == ("x", "")
    assert "9" not in render(read)


def test_the_srds_mode_knows_none_of_this():
    """Its rules are fixed: each cell one cell, text as it stands."""
    html = (
        "<table><tr><td>a<td>b<tr><th rowspan=2>10<sup>6</sup><td><svg aria-label=x></svg><tr><td>1</table>"
    )
    assert markdown(html) == "| 106 |  |\n|---|---|\n| a | b |\n| 1 |  |"


@pytest.mark.parametrize("source", ["", " src=''", " src=' '", " src='#'", " src='#top'", " src=page.html"])
@pytest.mark.parametrize("mode", ReadingMode)
def test_an_image_without_a_source_does_not_link_to_the_page(source, mode):
    assert markdown(f"<p><img alt=絵{source}></p>", mode=mode) == "絵"


HOSTILE = {
    "nested powers": "<p>x" + "<sup>2" * 20_000,
    "powers behind nothing": "<p>" + "<b></b><sup></sup>" * 20_000,
    "nested fractions": "<math>" + "<mfrac><mn>1</mn>" * 20_000,
    "wide fractions": "<math><mfrac>" + "<mn>1</mn>" * 20_000,
    "cells of icons": "<table><tr>" + "<td><i title=x><i title=y>" * 10_000,
    "one column of lists": "<table>" + "<tr><td><select>" + "<option>x" * 20_000,
    "spans": "<table><tr><td colspan=900 rowspan=9999>long text</td>" + "<tr><td>y" * 5_000,
    "many small spans": "<table><tr><td colspan=900 rowspan=99>x<tr><td>y</table>" * 2_000,
    "wide and ragged": "<table><tr>" + "<td>x" * 900 + "<tr><td>y" * 200,
    "repeated text": f"<table><tr><td rowspan=999>{'long' * 500}<td>x" + "<tr><td>y" * 998,
}


@pytest.mark.parametrize("html", HOSTILE.values(), ids=HOSTILE)
def test_hostile_articles_grow_no_faster_than_their_source(html):
    text = render(article(html, mode=ReadingMode.ARTICLE))
    assert len(text) <= 50 * len(html)
    tables(article(html))
