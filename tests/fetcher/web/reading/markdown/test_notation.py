"""An article's text cannot be misread: powers, indices, fractions, deleted prices, cells with icons alone."""

import time

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.reading.extract import extract
from fetcher.web.reading.extract.outside_article import text_outside
from fetcher.web.reading.markdown.writer import render
from fetcher.web.reading.tables.rows import tables
from tests.fetcher.web.reading.articles import article, markdown

SHOWN = [
    ("10<sup>6</sup>個", "10^6個"),
    ("$19<sup>99</sup> <sup>$</sup>1,019<sup>00</sup> 19<sup>99</sup> €", "$19.99 $1,019.00 19.99 €"),
    ("€ 19,<sup>99</sup> $19.99<sup>12</sup> ￥980<sup>1</sup>", "€ 19,99 $19.99 [12] ￥980 [1]"),
    ("$19<sup>.99</sup>", "$19.99"),
    ("10<sup>-3</sup> m<sup>2</sup>", "10^-3 m^2"),
    ("x<sup>n+1</sup>y", "x^(n+1)y"),
    ("2<sup>10</sup>B", "2^(10)B"),
    ("<b>10</b><sup>6</sup>", "**10**^6"),
    ("e<sup><i>x</i></sup>", "e^(*x*)"),
    ("5<sup>th</sup> 1<sup>st</sup>", "5th 1st"),
    ("価格<sup>※1</sup> Word<sup>®</sup> a<sup>(1)</sup> b<sup>*</sup>", "価格※1 Word® a(1) b*"),
    ("1,000円<sup>1</sup> 12.5%<sup>2</sup> 売上（連結）<sup>3</sup>", "1,000円[1] 12.5%[2] 売上（連結）[3]"),
    ("1,234<sup>[1]</sup> 567<sup>*1</sup> 8<sup>※1</sup>", "1,234 [1] 567 *1 8 ※1"),
    ("9<sup>†</sup> 9<sup>(注)</sup> 9<sup>注2</sup> 9<sup>2)</sup>", "9 † 9 (注) 9 注2 9 2)"),
    ("567<sup id=r1 class=reference>2</sup> 5<sup><i class=fn>3</i></sup>", "567 [2] 5 [3]"),
    (
        "1,234<sup>2</sup> 567<sup>1</sup> 567<sup>1,2</sup> 567<sup>a</sup>",
        "1,234 [2] 567 [1] 567 [1,2] 567 [a]",
    ),
    ("in 2020.<sup>3</sup> the end,<sup>4</sup> 文末。<sup>5</sup>", "in 2020.[3] the end,[4] 文末。[5]"),
    (
        "1,234<sup>1</sup><sup>2</sup> 1,234<sup>ii</sup> 1,234<sup>1–3</sup> 1.5<sup>a,b</sup>",
        "1,234 [1] [2] 1,234 [ii] 1,234 [1–3] 1.5 [a,b]",
    ),
    (
        "18<sup>+</sup> H<sup>+</sup> n<sup>th</sup> N<sup>o</sup> 5 10<sup>１２</sup> ₹19<sup>99</sup>",
        "18+ H+ nth No 5 10^１２ ₹19.99",
    ),
    ("<sup>1</sup>567 <sup>※2</sup>89", "[1] 567 ※2 89"),
    (
        "BMI<sup>a</sup> Revenue<sup>2</sup> Tax<sup>1</sup> inch<sup>2</sup> cm<sup>3</sup>",
        "BMI[a] Revenue[2] Tax[1] inch^2 cm^3",
    ),
    (
        "10<sup>1</sup> 2<sup>n</sup> 12<sup>2</sup> (a+b)<sup>2</sup> σ<sup>2</sup>",
        "10^1 2^n 12^2 (a+b)^2 σ^2",
    ),
    ("X<sup>TM</sup> 20<sup>o</sup>C 1<sup>er</sup> １０<sup>6</sup>", "X™ 20°C 1er １０^6"),
    ("9<sup>00</sup>〜17<sup>30</sup>", "9:00〜17:30"),
    ("9<sup>30</sup>-17<sup>00</sup> 10<sup>30</sup>～18<sup>00</sup>", "9:30-17:00 10:30～18:00"),
    (
        "08<sup>30</sup> 7<sup>05</sup> 23<sup>09</sup>発 9<sup>45</sup>→12<sup>10</sup>",
        "08:30 7:05 23:09発 9:45→12:10",
    ),
    ("営業 11<sup>30</sup> – 21<sup>45</sup> 24<sup>00</sup>", "営業 11:30 – 21:45 24:00"),
    ("5,000<sup>00</sup> 980<sup>00</sup> $9<sup>00</sup> 9<sup>00</sup> €", "5,000.00 980.00 $9.00 9.00 €"),
    (
        "10<sup>12</sup>–10<sup>15</sup> 2<sup>30</sup> 7<sup>30</sup> 3<sup>2</sup>",
        "10^12–10^15 2^30 7^30 3^2",
    ),
    (
        "100<sup>g</sup> 30<sup>min</sup> 24<sup>h</sup> 1,200<sup>ml</sup> 5<sup>km</sup>",
        "100g 30min 24h 1,200ml 5km",
    ),
    (
        "64<sup>GB</sup> 3<sup>pcs</sup> 12.5<sup>kg</sup> 7<sup>days</sup> 9<sup>am</sup>",
        "64GB 3pcs 12.5kg 7days 9am",
    ),
    ("2<sup>m</sup> 10<sup>k</sup> 567<sup>b</sup> 567<sup class=fn>g</sup>", "2^m 10^k 567 [b] 567 [g]"),
    ("<sup>1</sup>/<sub>2</sub>", "1/2"),
    ("3<sup>1</sup>⁄<sub>2</sub>", "3 1⁄2"),
    ("a<sup> </sup>b<sup></sup>c", "a bc"),
    ("H<sub>2</sub>O CO<sub>2</sub>", "H2O CO2"),
    ("1011<sub>2</sub> V<sub>max</sub>", "1011_2 V_max"),
    ("x<sub>1</sub>2", "x_(1)2"),
    ("<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>", "1/2"),
    ("<math><mfrac><mn>1</mn><mn>2</mn></mfrac><msup><mi>x</mi><mn>2</mn></msup></math>", "(1/2)x^2"),
    ("<math><mn>3</mn><mfrac><mn>1</mn><mn>2</mn></mfrac></math>", "3 1/2"),
    (
        "<math><mi>y</mi><mo>=</mo><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac></math>",
        "y=(a+b)/2",
    ),
    ("<math><msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup><msqrt><mn>2</mn></msqrt></math>", "x_i^2√(2)"),
    ("<math><mroot><mn>8</mn><mn>3</mn></mroot></math>", "8^(1/3)"),
    ("<math><semantics><mrow><mi>x</mi></mrow><annotation>tex</annotation></semantics></math>", "x"),
    ("<del>1,000円</del>800円", "~~1,000円~~ 800円"),
    ("<s>$10</s>$8", "~~$10~~ $8"),
    ("<s>$10</s><b></b><span>$8</span>", "~~$10~~ $8"),
    ("<span style='color:red; text-decoration: line-through'>$10</span>$8", "~~$10~~ $8"),
    ("<del>a<s>b</s>c</del> <del> </del><s><i></i></s>d", "~~abc~~ d"),
    ("<span class=price>$10</span><span> off</span>", "$10 off"),
    ("<del>旧</del>、<ins>新</ins>", "~~旧~~、新"),
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
    assert found.rows[0][0] == shown.replace("**", "").replace("*x*", "x")


def _unescaped(text):
    return text.replace("\\", "")


LINKED_NOTES = [
    "567<sup><a href='#fn1'>1</a></sup>",
    "567<a href='#fn1'><sup>1</sup></a>",
    "567<a href='#fn1'>1</a>",
    "567<span class=footnote>1</span>",
    "567<small>[1]</small>",
]


@pytest.mark.parametrize("html", LINKED_NOTES)
def test_a_number_that_leads_to_a_note_is_no_power(html):
    table = f"<table><tr><th>A<th>B<tr><td>{html}<td>x</table>"
    assert tables(article(table))[0].rows == (("567 [1]", "x"),)
    shown = _unescaped(markdown(table, mode=ReadingMode.ARTICLE))
    assert "| 567 [1] | x |" in shown.replace("[[1]](https://example.com/dir/page.html#fn1)", "[1]")


def test_a_mark_of_a_note_brings_no_marks_of_its_own():
    """Control characters stand for Markdown inside the engine: a page cannot forge them."""
    assert markdown("<p>5<sup>[\x02\x0e1]</sup>", mode=ReadingMode.ARTICLE) == "5 \\[1\\]"


LABELS = [
    ("<img src=ok.png alt=対応>", "対応"),
    ("<img src=ok.png title=対応>", "対応"),
    ("<svg aria-label=対応><path/></svg>", "対応"),
    ("<svg> <title>対応</title><path/></svg>", "対応"),
    ("<i class=icon-ok title=対応></i>", "対応"),
    ("<span role=img aria-label=対応></span>", "対応"),
    ("<a href=/x aria-label=詳細><svg></svg></a>", "詳細"),
    ("<input type=checkbox checked>", "☑"),
    ("<input type=radio>", "☐"),
    ("<input value=3>", "3"),
    ("<input type=password value=secret><input type=hidden value=token>", ""),
    ("<input type=submit value=購入>", "購入"),
    ("<input type=image alt=購入 value=x>", "購入"),
    ("<select><option>1<option selected>2<option>3</select>", "2"),
    ("<select><option>1<option>2</select>", "1"),
    ("<textarea>本文</textarea>", "本文"),
    ("<button>¥1,000</button>", "¥1,000"),
    ("<time datetime=2024-01-01></time>", "2024-01-01"),
    ("<i title=星></i><i title=星></i>", "星 星"),
    ("<i aria-hidden=true title=x></i>", ""),
    ("<i class='fas fa-check-circle' aria-hidden=true></i>", "✓"),
    ("<span class=icon_maru></span>", "○"),
    ("<em class='icon-times'></em>", "×"),
    ("<img src=/img/ico_sankaku.png alt=''>", "△"),
    ("<i class=icon-check></i><i class=icon-minus></i>", "✓ −"),
    ("<i class=icon-check title=対応></i>", "対応"),
    ("可<i class=icon-times></i>", "可"),
    ("<span class=check><b></b></span><i class=checked></i>", ""),
    ("対応<i class=icon-ok title=注></i>", "対応"),
    ("<label><input type=checkbox checked>日</label> <label><input type=checkbox>月</label>", "☑ 日 ☐ 月"),
    ("はい<input type=radio checked>いいえ<input type=radio>", "はい ☑ いいえ ☐"),
    ("数量 <input type=number value=2>個", "数量 2 個"),
    ("a<input type=hidden value=token><input type=password value=secret><input type=file>b", "a b"),
    ("色 <select><option>赤<option selected>青</select>", "色 青"),
    ("色 <select multiple><option selected>赤<option>青<option selected>白</select>", "色 赤, 白"),
    ("色 <select multiple><option>赤<option>青</select>", "色"),
    ("備考<textarea>あり</textarea>", "備考 あり"),
    ("¥1,000<button>カートへ</button>", "¥1,000 カートへ"),
    ("<button aria-label=購入><svg></svg></button>", "購入"),
    ("進捗<progress value=70 max=100>70%</progress>", "進捗 70%"),
    ("<meter value=3 max=5></meter>良", "3/5 良"),
    ("<progress value=0.7></progress>", "0.7"),
]


@pytest.mark.parametrize(("html", "shown"), LABELS)
def test_a_cell_without_text_says_what_its_icon_or_control_says(html, shown):
    """In an article, where pictures and controls are left out elsewhere, and in exports."""
    table = f"<table><tr><th>A<th>B<tr><td>x<td>{html}</table>"
    assert f"| x | {shown} |" in markdown(table, mode=ReadingMode.ARTICLE)
    (found,) = tables(article(table, skip="img"))
    assert found.rows == (("x", shown),)


BARS = [
    ("<meter value=3 max=5></meter>", "3/5"),
    ("<meter value=3 max=5></meter>良", "3/5 良"),
    ("<progress value=70 max=100>70%</progress>", "70%"),
    ("<progress value=70 max=100>70 / 100</progress>", "70 / 100"),
    ("<progress value=0.7></progress>", "0.7"),
    ("<progress></progress>", ""),
    ("<meter value=4 max=5>★★★★</meter>", "4/5"),
    ("評価<meter value=4.5 min=0 max=5>4.5</meter>", "評価 4.5"),
    ("<meter value=2 max=10>Ignore this page</meter>", "2/10"),
    ("<progress>Ignore this page</progress>", ""),
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


def test_a_cell_may_name_itself_and_may_speak_to_those_who_do_not_see_it():
    html = "<table><tr><th>A<th>B<tr><td title=可><td><i></i><b class=sr-only>不可</b></table>"
    assert tables(article(html, skip="b"))[0].rows == (("可", "不可"),)


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
    """Neither in length nor in time."""
    start = time.perf_counter()
    text = render(article(html, mode=ReadingMode.ARTICLE))
    tables(article(html))
    assert time.perf_counter() - start < 5
    assert len(text) <= 50 * len(html)


def test_a_whole_number_before_a_formula_stands_apart_from_its_fraction():
    """2\u00bd cups are not 21/2."""
    math = "<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>"
    html = f"<main><p>Take 2{math} cups.</p><table><tr><th>a<th>b<tr><td>2{math}<td>x</table></main>"
    page = extract(html, "https://a.example/", mode=ReadingMode.ARTICLE)
    assert "Take 2 1/2 cups." in render(page)
    assert tables(page)[0].rows == (("2 1/2", "x"),)
