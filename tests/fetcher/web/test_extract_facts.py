"""The reading mode `article` keeps short blocks that tell a fact, whatever they are called."""

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.extract import extract
from fetcher.web.markdown import render

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


@pytest.mark.parametrize(
    ("head", "shown"),
    [
        ('<script type="application/ld+json">{"offers": {"price": "29.95"}}</script>', "$29.95"),
        ('<meta property="product:price:amount" content="1320">', "1,320円"),
        ('<script>{"price": 8700.000}</script>', "EUR 8,700"),
    ],
)
@pytest.mark.parametrize("name", ["wishlist", "quantity form", "upsell"])
def test_the_declared_price_is_read_where_the_page_shows_it(head, shown, name):
    """Also in a block that a rule leaves out."""
    text = _read(f'<div class="{name}"><p>Added by others too</p><b>{shown}</b></div>', PRODUCT + head)
    assert shown in text


def test_the_declared_price_is_read_outside_of_the_root():
    """What stands beside the price there stays out."""
    head = PRODUCT + '<script>{"price": "29.95"}</script>'
    beside = "<aside><p>Not this, which other people have looked at before</p><b>$29.95</b></aside>"
    html = f"{head}<body>{beside}<main><h1>T</h1>{STORY}</main>"
    text = render(extract(html, "https://example.com/a", mode=ReadingMode.ARTICLE))
    assert "$29.95" in text
    assert "Not this" not in text
