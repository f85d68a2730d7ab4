"""The reading mode `article` keeps short blocks that tell a fact, whatever they are called."""

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.reading.extract import extract
from fetcher.web.reading.markdown.writer import render

STORY = "".join(
    f"<p>Sentence number {number} of a story that somebody wrote about the river, the mill and summer.</p>"
    for number in range(8)
)
PRODUCT = '<meta property="og:type" content="product">'


def _read(block, head=""):
    html = f"<head>{head}</head><body><main><h1>Title</h1>{STORY}{block}{STORY}</main>"
    return render(extract(html, "https://example.com/a", mode=ReadingMode.ARTICLE))


@pytest.mark.parametrize(
    "block",
    [
        '<div class="notice">FEATURE STATE: Kubernetes v1.26 [stable]</div>',
        '<div class="shipping">全国一律660円、5,500円以上で無料</div>',
        '<div class="delivery">Ships in 2 business days</div>',
        '<div class="product-options">500ml</div>',
        '<span class="badge">残り3点</span>',
        '<div role="status">受付は17:00まで</div>',
        '<div class="faq">保証期間は3年です</div>',
        "<label>1.5 kg, $12.00</label>",
        '<div class="legal">TEL 03-1234-5678</div>',
        '<span class="badge">送料無料</span>',
        '<span class="badge">プレビュー版</span>',
        '<span class="badge">Sold out</span>',
        '<div role="status">Version 3 only</div>',
    ],
)
def test_a_short_block_with_a_fact_is_content(block):
    """Numbers with units, prices, times and telephone numbers are what people ask for."""
    text = block.partition(">")[2].rpartition("<")[0]
    assert text in _read(block, PRODUCT).replace("\\", "")


@pytest.mark.parametrize(
    "block",
    [
        '<div class="notice">Please sign in</div>',
        '<div class="share">Shared 12 times in 3 days</div>',
        '<div class="badge"><a href="/sale">Sale until 5 May</a></div>',
        "<button>Buy 2 for $3</button>",
        '<span class="badge">New arrival</span>',
    ],
)
def test_a_control_or_a_block_without_a_fact_is_not(block):
    """Buttons, links elsewhere and share counts stay out."""
    text = _read(block, PRODUCT)
    assert not any(part in text for part in ("sign in", "Shared", "Sale until", "Buy 2", "New arrival"))


def test_a_fact_above_the_title_is_read():
    """The day of an event stands there, or what is new about a timetable; other lines do not matter."""
    above = '<p class="day">2026年12月12日（土）</p><p class="kind">Announcements</p>'
    html = f"<body><main>{above}<h1>Title</h1>{STORY}</main>"
    text = render(extract(html, "https://example.com/a", mode=ReadingMode.ARTICLE))
    assert "2026年12月12日（土）" in text
    assert "Announcements" not in text


def _words(text):
    return text.split()


KINDS = {
    "article": ('<meta property="og:type" content="article">', "https://example.com/a"),
    "product": (PRODUCT, "https://example.com/a"),
    "documentation": ("", "https://docs.example.com/a"),
    "forum": ("", "https://forum.example.com/t/1"),
    "other": ("", "https://example.com/a"),
}


def _read_as(kind, block):
    head, url = KINDS[kind]
    html = f"<head>{head}</head><body><main><h1>Title</h1>{STORY}{block}{STORY}</main>"
    return render(extract(html, url, mode=ReadingMode.ARTICLE)).replace("\\", "")


NAMES = _words(
    "tooltip promo toast popup share review reviews sidebar pager "
    "ads recommend breadcrumbs badge alert banner widget social related "
    "modal btn dropdown footer comment author tags form stats"
)
FACTS = (
    *("残り3室", "¥1,200（税込）", "2026年5月3日(日)", "営業時間 10:00〜19:00", "★4.5（128件）"),
    *("Only 3 left", "Rated 4.7 out of 5", "Doors open 18:30", "+1 415-555-0132", "Share price: $34.20"),
)


@pytest.mark.parametrize("kind", KINDS)
def test_a_line_with_a_fact_is_content_under_any_name(kind):
    """Rooms that are left, a price, a day, hours, a telephone, how many liked something."""
    for number, name in enumerate(NAMES):
        fact = FACTS[number % len(FACTS)]
        assert fact in _read_as(kind, f'<div class="{name}"><p>{fact}</p></div>'), name
        assert fact in _read_as(kind, f'<p><span class="{name}">{fact}</span></p>'), name


@pytest.mark.parametrize("name", ["buttons", "contact-btn", "contact-actions"])
def test_a_telephone_among_controls_is_read(name):
    """Offices show theirs as a control beside those that lead elsewhere; without it these are left out."""
    controls = (
        f'<div class="{name}"><a href="/form">Ask us in writing</a> <a href="{{0}}">03-1234-5678</a></div>'
    )
    assert "03-1234-5678" in _read(controls.format("tel:0312345678"))
    assert "Ask us" not in _read(controls.format("/call"))


TEASERS = "".join(
    f'<li><a href="/{day}">Another story about village {day}</a> <time>2026.05.0{day}</time></li>'
    for day in range(1, 6)
)
CARDS = "".join(
    f'<div><a href="/{day}"><h3>Another story about village {day}</h3></a><p>On 5/{day} somebody went to'
    " the mill, looked at it, and wrote down what the miller told about the river.</p></div>"
    for day in range(1, 3)
)


@pytest.mark.parametrize(
    "block",
    [
        '<div class="share">いいね 12</div>',
        '<div class="share-buttons">シェア 24 ツイート 3 はてブ 128回</div>',
        '<div class="social"><span>Share 34</span> <span>Tweet 5</span></div>',
        '<div class="social">1.2K shares</div>',
        '<div class="pager">1 2 3 次へ</div>',
        '<div class="pagination">Page 2 of 10</div>',
        '<div class="promo"><a href="/sale">Sale until 5 May</a></div>',
        '<div class="breadcrumbs"><a href="/">Home</a> &gt; <a href="/5">2026年5月</a> &gt; 5月3日</div>',
        '<div class="newsletter"><p>Get 10% off your first order</p></div>',
        '<div class="footer">Copyright 2019-2026 Example Inc.</div>',
        f'<div class="related"><h3>Related</h3><ul>{TEASERS}</ul></div>',
        f'<div class="sidebar"><ul>{TEASERS}</ul></div>',
        f'<div class="recommended-today">{CARDS}</div>',
    ],
)
def test_clicks_pages_and_other_articles_are_no_facts(block):
    """Also where numbers and dates stand in them."""
    text = "".join(_read_as(kind, block) for kind in KINDS)
    for part in ("12", "シェア", "Tweet", "1.2K", "次へ", "of 10", "May", "Home", "10%", "2019", "village 2"):
        assert part not in text.replace("Sentence number", "")


SUBJECTS = {
    "table": "<table><tr><th>Item<th>Price<tr><td>Coffee<td>$3.50<tr><td>FACT<td>$4.00</table>",
    "definitions": "<dl><dt>Rate<dd>5.4 %<dt>Limit<dd>FACT</dl>",
    "prices": "<ul><li>Coffee $3.50<li>Tea $4.00<li>FACT 450円</ul>",
    "prose": "<p>Everybody who earns more than the limit pays FACT into the fund, like the employer.</p>",
    "japanese": "<p>加入者は毎月の報酬に応じて保険料FACTを納めます。事業主も同じ額を負担します。</p>",
}


@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_name_that_only_contains_such_a_word_takes_no_data_along(subject):
    """The last word says what a block is: a share price is a price, and insurance is not social media."""
    for name in _words(
        "social-insurance share-price footer-nutrition recommendedDose sidebar_facts modal-specs"
    ):
        for kind in KINDS:
            text = _read_as(kind, f'<div class="{name}"><h2>Heading</h2>{SUBJECTS[subject]}</div>')
            assert "FACT" in text, (kind, name)


@pytest.mark.parametrize("name", ["share-box", "product-share", "related-articles", "Share_share__x1y2z"])
def test_a_name_whose_last_word_means_furniture_does(name):
    """Words that say nothing, marks of modules and hashes aside."""
    assert "FACT" not in _read_as("article", f'<div class="{name}"><h2>Heading</h2>{SUBJECTS["prose"]}</div>')


LISTS = {
    "recipe": ("<li><label><input type=checkbox> {}</label></li>", ("2 eggs", "200 g flour", "Salt")),
    "packing": ("<div><label><input type=checkbox>{}</label></div>", ("Passport", "Water 2 l", "Map")),
    "radio": ("<label><input type=radio name=s> {}</label>", ("Pick-up", "Courier $5", "Pigeon")),
    "sizes": ("<label class='s-{0}'>{0}</label>", ("8 US", "9 cm wide", "10 (sold out)")),
    "sizes_ja": ("<p><label>{}</label></p>", ("Sサイズ", "Mサイズ 残り1点", "Lサイズ")),
    "faq": (
        "<div class='faq-item'><h3>{} is asked</h3><p>No.</p></div>",
        ("Steel", "Cord 2.5 m", "Tap water"),
    ),
    "admission": ("<div class='options'><b>{}</b></div>", ("Adult £18", "Carer: nothing", "Under five")),
    "notices": ("<div class=notice>{}</div>", ("5月10日は休み", "駐車場はありません", "ペット同伴は相談")),
    "badges": ("<span class=badge>{}</span>", ("Steam", "9 W", "Red")),
    "captions": ("<p class=caption>{}</p>", ("Front view", "Side view, 30 cm", "Rear view")),
    "asides": ("<aside class=n><p>{}</p></aside>", ("Bring a towel", "From 9:00", "Wear a cap")),
    "states": (
        "<div role=status>{}</div>",
        ("Line A: as usual", "Line B: 10 minutes late", "Line C: as usual"),
    ),
    "terms": ("<div class='promo-line'>{}</div>", ("大人 500円", "学生割引なし", "障害者手帳で割引")),
}


@pytest.mark.parametrize("name", LISTS)
def test_blocks_of_one_sort_side_by_side_stay_together(name):
    """If one of them tells a fact, the others belong to it: half a list is wrong."""
    item, texts = LISTS[name]
    read = _read("<div>" + "".join(map(item.format, texts)) + "</div>", PRODUCT).replace("\\", "")
    assert [text for text in texts if text not in read] == []


@pytest.mark.parametrize("name", LISTS)
def test_blocks_of_one_sort_without_a_fact_go_together(name):
    item, _ = LISTS[name]
    read = _read("<div>" + "".join(map(item.format, ("Some word", "Other word"))) + "</div>", PRODUCT)
    assert "Some word" not in read
    assert "Other word" not in read


@pytest.mark.parametrize(
    "fact",
    """
    Tickets: 020 7946 0000|Call +81 3 1234 5678|Tél 01 23 45 67 89|0800 123 456|555 010 9999|06 1234 5678
    |Open daily 10–6|9am-5pm|Mon-Fri 8-18|Sat 10 to 4|Last entry 5.15pm|火〜日 10〜17|9 - 12 and 14 - 18
    |雨天中止|雨天決行|小学生以下無料|中学生未満無料|年中無休|要予約|完全予約制|入場無料|水曜定休|月曜休館|現金のみ
    |Free admission|Closed on Mondays|Open all year|By appointment|Booking required|Cash only|Free parking
    """.strip()
    .replace("\n    ", "")
    .split("|"),
)
@pytest.mark.parametrize("name", ["toolbar", "modal", "tooltip", "popup-info", "notice", "btn-area"])
def test_telephones_hours_and_conditions_are_facts(fact, name):
    """They are what people look for, under names that mean furniture elsewhere."""
    assert fact in _read(f'<div class="{name}">{fact}</div>').replace("\\", "")


@pytest.mark.parametrize(
    "text", ["Preview", "Beta", "Closed", "Page 2 of 10", "Share 12", "Chapter 3", "無料"]
)
def test_a_word_on_a_control_is_no_condition(text):
    assert f"\n{text}\n" not in _read(f'<div class="btn">{text}</div>')


def test_many_small_blocks_take_no_long_time():
    """Names and facts in deep and wide pages."""
    deep = '<div class="share-price related-cost">' * 300 + "<b></b>" * 30_000 + "$5"
    assert "$5" in _read_as("other", deep)


def test_a_fact_above_the_content_is_read():
    """A notice over the page, the days of an event; not the day of a story."""
    notice = "<div class=bar><p>Closed 24–26 December</p></div>"
    html = f"<body>{notice}<main><h1>Title</h1>{STORY}</main>"
    assert "Closed 24–26 December" in render(extract(html, "https://example.com/a", mode=ReadingMode.ARTICLE))
    html = html.replace("Closed 24–26 December", "21 August 2026").replace("<main>", "<main><article>")
    head = '<meta property="og:type" content="article">'
    assert "21 August" not in render(extract(head + html, "https://e.example/a", mode=ReadingMode.ARTICLE))
