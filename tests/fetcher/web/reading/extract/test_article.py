"""The reading mode `article`: what is content depends on the kind of page."""

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.reading.extract import extract
from fetcher.web.reading.extract.page_kinds import PageKind, kind_of
from fetcher.web.reading.markdown.writer import render
from fetcher.web.reading.tree import parse

PROSE = [
    f"Sentence number {number} of a story that somebody wrote about the river, the mill and the long summer."
    for number in range(8)
]
STORY = "".join(f"<p>{text}</p>" for text in PROSE)
ARTICLE = '<meta property="og:type" content="article">'


def _read(html: str, url: str = "https://example.com/") -> str:
    return render(extract(html, url, mode=ReadingMode.ARTICLE))


@pytest.mark.parametrize(
    "block",
    [
        "<nav>elsewhere</nav>",
        "<footer>elsewhere</footer>",
        "<aside>elsewhere</aside>",
        '<div role="navigation">elsewhere</div>',
        "<div hidden>elsewhere</div>",
        '<div style="display: none">elsewhere</div>',
        "<button>elsewhere</button>",
        '<div class="SiteNav"><a href="/">elsewhere</a></div>',
        '<div class="post-share_bar">elsewhere</div>',
        '<div id="relatedPosts">elsewhere</div>',
        "<div><h2>Related articles</h2>elsewhere</div>",
        "<div><h3>Comments (3)</h3><p>elsewhere</p></div>",
        '<ul><li><a href="/a">elsewhere one</a><li><a href="/b">elsewhere two</a></ul>',
        "<noscript>elsewhere</noscript>",
        '<img src="a.png" alt="elsewhere">',
        '<figure><img src="a.png"><figcaption class="caption">elsewhere</figcaption></figure>',
        '<label class="screen-reader-text">elsewhere</label>',
        '<span class="tool-tip__content">elsewhere</span>',
        '<div class="news-letter-section"><p>elsewhere</p></div>',
        '<div id="sidebarright"><p>elsewhere</p></div>',
        '<div class="pagenewsletterbox"><p>elsewhere</p></div>',
    ],
)
def test_a_story_is_read_without_what_surrounds_it(block):
    """Each sort of boilerplate beside a story is left out, and the story is whole."""
    text = _read(f"<title>t</title>{ARTICLE}<body><div>{STORY}{block}</div></body>")
    assert "elsewhere" not in text
    assert [part for part in PROSE if part not in text] == []


@pytest.mark.parametrize("name", ["respond", "commentform", "sharedaddy", "relatedposts", "postmetadata"])
def test_what_the_software_of_blogs_adds_is_left_out_of_pages_of_any_kind(name):
    """These names mean the same in documentation as in a story."""
    page = f"<title>t</title><body><div>{STORY}<div id={name}><p>elsewhere</p></div></div></body>"
    assert "elsewhere" not in _read(page, "https://docs.example.com/a")


@pytest.mark.parametrize("name", ["navigation", "site-nav", "sidebar"])
def test_a_column_of_links_longer_than_the_text_is_left_out(name):
    """What is around the main part as well, or is nearly all of the page, is not such a column."""
    links = "".join(f'<li><a href="/l{n}">elsewhere in the valley {n}</a>' for n in range(12))
    column = f"<div class={name}><ul>{links}</ul></div>"
    text = "".join(f"<p>{part}</p>" for part in PROSE[:3])
    assert "elsewhere" not in _read(f"<title>t</title><body><div>{text}{column}</div></body>")
    assert "elsewhere" in _read(f"<title>t</title><body><div><p>Short.</p>{column}</div></body>")
    around = f"<div class={name}><main><ul>{links}</ul></main></div>"
    assert "elsewhere" in _read(f"<title>t</title><body><div>{around}{text}</div></body>")


def test_words_in_bold_in_a_text_without_paragraphs_are_read():
    """The text around them is a node of its own, and never alone the content."""
    text = _read(f"<title>t</title>{ARTICLE}<body><div>{' '.join(PROSE)} <b>Bold words</b></div></body>")
    assert "Bold words" in text


@pytest.mark.parametrize("name", ["sp-dsgvo-popup", "rgpd", "BorlabsCookie", "usercentrics-root", "cmplz"])
def test_a_dialog_about_cookies_longer_than_the_page_is_left_out(name):
    """Also under the names that the law and its software have in other languages."""
    dialog = "".join(f"<p>{text} elsewhere</p>" for text in PROSE[3:])
    story = "".join(f"<p>{text}</p>" for text in PROSE[:3])
    text = _read(f"<title>t</title><body><div>{story}</div><div class={name}>{dialog}</div></body>")
    assert "elsewhere" not in text
    assert PROSE[0] in text


@pytest.mark.parametrize(
    "wrapper",
    [
        '<div class="sidebar">{0}</div>',
        "<nav>{0}</nav>",
        "<div hidden>{0}</div>",
        "<footer>{0}</footer>",
        "<aside>{0}</aside>",
    ],
)
def test_a_block_that_holds_the_page_is_content_whatever_it_is_called(wrapper):
    """Guards: what holds most of the text is not dropped for its name."""
    assert PROSE[3] in _read(f"{ARTICLE}<p>Short.</p>{wrapper.format(STORY)}")


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("block--embed", ARTICLE),
        *((name, head) for name in ("item__dropdown", "card-footer", "cardFoot") for head in (ARTICLE, "")),
    ],
)
def test_blocks_of_one_name_that_hold_the_text_together_are_content(name, head):
    """Each is small; the name says how they look. One alone, and many of another voice, are left out."""
    answers = "".join(f"<h3>Question</h3><div class={name}><p>{text}</p></div>" for text in PROSE)
    text = _read(f"<title>t</title>{head}<body><main><p>All questions and answers.</p>{answers}</main>")
    assert [part for part in PROSE if part not in text] == []
    alone = _read(f"<title>t</title>{head}<body><main>{STORY}<div class={name}>elsewhere</div></main></body>")
    assert "elsewhere" not in alone
    voices = answers.replace(name, "share").replace("number", "elsewhere")
    assert "elsewhere" not in _read(f"<title>t</title>{head}<body><main>{STORY}{voices}</main></body>")


@pytest.mark.parametrize("name", ["site-footer", "newsletter-popup"])
def test_the_only_sentence_of_a_list_is_not_content_for_being_prose(name):
    """A list has entries; what stands in its foot or pops up is left out as on any other page."""
    entries = "".join(f"<li>Mill {number} on the upper river</li>" for number in range(60))
    box = f"<div class={name}>{PROSE[0]}</div>"
    text = _read(f"<body><div><h1>Mills</h1><ul>{entries}</ul></div>{box}</body>", "https://example.com/list")
    assert PROSE[0] not in text
    assert "Mill 59" in text


@pytest.mark.parametrize("name", ["footer", "site-footer", "globalFooter", "footer_wrap"])
def test_small_print_below_tables_is_not_the_story(name):
    """A page of figures has no prose but that in its foot, which has no element of its own on older pages."""
    rows = "".join(f"<tr><td><a href=/y{year}>{year}</a><td>{year * 3} cars" for year in range(2001, 2013))
    news = "".join(f"<li><a href=/n{day}>FACT of day {day}</a> 2026-05-{day}" for day in range(10, 16))
    page = (
        f"{ARTICLE}<body><div id=box><h2>Figures</h2><table><tr><th>Year<th>Cars{rows}</table>"
        f"<div><ul>{news}</ul></div></div><div id={{0}}><p>{' '.join(PROSE)}</p></div></body>"
    )
    text = _read(page.format(name))
    assert PROSE[0] not in text
    assert "6036 cars" in text
    assert "FACT of day 15" in text
    assert PROSE[0] in _read(page.format("foot-notes"))


@pytest.mark.parametrize(
    "heading", ["<h2 class=recommend>Mills</h2>", "<h2><a class='h--recommend'>Mills</a></h2>"]
)
def test_a_heading_that_is_called_recommendations_is_left_out_with_its_links(heading):
    """What it heads is what it is called; text under such a heading stays."""
    links = "".join(f"<li><a href=/{number}>Mill {number} for 4,{number}00 yen</a>" for number in range(3))
    page = (
        f"<body><main><h1>Cup</h1><p>Price 800 yen</p>{STORY}<section>{heading}{{0}}</section></main></body>"
    )
    assert "Mill" not in _read(page.format(f"<ul>{links}</ul>"), "https://example.com/shop")
    assert "They grind" in _read(page.format("<p>They grind 20 kg a day.</p>"), "https://example.com/shop")


@pytest.mark.parametrize("name", ["visually-hidden", "sr-only", "accordion-button", "badge", "modal-title"])
def test_links_under_a_heading_whose_name_says_how_it_looks_are_read(name):
    """Only the heading itself may be left out."""
    offers = "".join(f"<li><a href=/g{n}>Offer {n} of the mill</a> 4,{n}00 yen" for n in range(12))
    minutes = "".join(f"<li><a href=/d{n}>Minutes of meeting {n}</a>" for n in range(3))
    listed = f"<section><h2 class={name}>Documents</h2><ul>{minutes}</ul></section>"
    page = f"<body><main><h1>Cup</h1><p>{PROSE[0]}</p><ul>{offers}</ul>{listed}</main></body>"
    assert "Minutes of meeting 2" in _read(page, "https://example.com/shop")


@pytest.mark.parametrize("head", ["", ARTICLE])
def test_links_beside_headings_that_open_an_editor_are_left_out(head):
    """The headings stay."""
    edit = "<span class=mw-editsection>[<a href='/edit?section=1'>edit</a>]</span>"
    text = _read(f"{head}<body><div><h1>Mill</h1><p>{PROSE[0]}</p><h2>History{edit}</h2>{STORY}</div></body>")
    assert "## History\n" in text
    assert "edit" not in text


@pytest.mark.parametrize("title", ["Discussion", "Review"])
def test_a_discussion_is_a_part_of_a_paper_and_a_review_one_of_a_test(title):
    """Many reviews, and comments, stand below a story; one review, and what the authors discuss, in it."""
    page = f"{ARTICLE}<body><div>{STORY}<section><h2>{{0}}</h2><p>We held it.</p></section></div>"
    assert "We held it." in _read(page.format(title))
    assert "We held it." not in _read(page.format("Comments"))


@pytest.mark.parametrize("name", ["code-embed w-embed", "table-footer"])
def test_a_table_is_read_in_a_block_whose_name_says_how_it_looks(name):
    """Site builders embed tables. What leads elsewhere is left out there all the same."""
    page = f"{ARTICLE}<body><div>{STORY}<div class='{name}'>{{0}}</div>{STORY}</div></body>"
    rows = "".join(f"<tr><td>Mill {number}</td><td>{number} wheels</td></tr>" for number in range(4))
    assert "3 wheels" in _read(page.format(f"<table><tr><th>Mill</th><th>Size</th></tr>{rows}</table>"))
    assert "elsewhere" not in _read(page.format("<p><a href=/a>Mills elsewhere</a></p>"))


def test_a_text_that_is_promoted_on_its_site_is_read():
    """`node--promoted` tells where else a text is listed, also where other texts stand around it."""
    others = "".join(f"<section><div><p>Once more: {text}</p></div></section>" for text in PROSE * 2)
    told = f'<article class="node node--type-article node--promoted"><h2>Told</h2><p>{PROSE[0]}</p></article>'
    assert "Told" in _read(f"<title>t</title><body><main>{told}{others}</main></body>")


def test_menus_of_old_pages_are_left_out():
    """A row of links above the content, a column beside it; tables of several rows of links are content."""
    links = "".join(f'<a href="/{n}">Elsewhere {n}</a> | ' for n in "abc")
    facts = "".join(f"<tr><td>Works number {n}<td>Opened in 195{n}, Valley Road {n}" for n in range(9))
    column = (
        f"<table><tr><td>{links}</td><td><h2>Company</h2><table border=1>{facts}</table></td></tr></table>"
    )
    row = f"<table><tr><td><img src=l.gif alt=Mill></td><td>{links}</td></tr></table>"
    url = "https://example.com/company.html"
    text = _read(f"<title>t</title><body>{row}{column}</body>", url)
    assert "Elsewhere" not in text
    assert "Opened in 1958" in text
    places = "".join(f'<tr><td><a href="/p{n}">Library {n}</a><td><a href="/q{n}">Hall {n}</a>' for n in "ab")
    assert "Library b" in _read(f"<title>t</title><body><table>{places}</table>{column}</body>", url)


def test_comments_are_content_on_a_forum_and_boilerplate_under_an_article():
    """The same block is kept or dropped by the kind of page."""
    page = f'<body><div>{STORY}<div class="comments"><p>I remember that mill.</p></div></div></body>'
    assert "I remember" in _read(page, "https://forum.example.com/threads/1")
    assert "I remember" not in _read(ARTICLE + page)


@pytest.mark.parametrize("head", [ARTICLE, ""])
def test_comments_are_content_where_they_are_all_that_is_to_be_read(head):
    """Some sites only collect what people say about pages elsewhere. Below a story, comments are left out."""
    answers = "".join(f"<div class=comment><p>{text}</p></div>" for text in PROSE[:6])
    page = f"<title>t</title>{head}<body><h1><a href=/a>Mill</a></h1>{{0}}<div class=comments>{answers}</div>"
    url = "https://example.com/s/mill"
    assert [part for part in PROSE[:6] if part not in _read(page.format(""), url)] == []
    if head:
        assert PROSE[0] not in _read(page.format(f"<div><p>{'The story of the mill. ' * 50}</p></div>"), url)


def test_a_tab_that_waits_for_a_click_is_content():
    """What tabs and accordions hide is what the visitor came for."""
    assert "waiting" in _read(
        f'<div>{STORY}<div class="tab-panel" hidden>Text waiting for a click</div></div>'
    )


def test_what_is_said_twice_is_read_once():
    """The copy of a text for small screens is left out."""
    assert _read(f"<div>{STORY}</div><div>{STORY}</div>").count(PROSE[2]) == 1


def test_the_largest_main_is_read():
    """`main` wins over what stands beside it."""
    assert "beside" not in _read(f"<div>Something beside the main part</div><main><h1>T</h1>{STORY}</main>")


def test_a_page_of_links_stays_a_list_even_if_it_calls_itself_an_article():
    """Links are the content of a list."""
    links = "".join(f'<li><a href="/{n}">Headline number {n} of the day</a></li>' for n in range(20))
    assert "number 7 of" in _read(f"{ARTICLE}<h1>News</h1><ul>{links}</ul>")


def test_text_for_readers_without_scripts_is_read_when_it_is_the_page():
    """Forums serve their threads in `noscript` to those who run no scripts."""
    assert PROSE[1] in _read(f"<body><div id=app>Loading</div><noscript>{STORY}</noscript></body>")


def test_where_too_little_is_left_the_fixed_rules_are_used():
    """A page of one picture is read by the SRD's rules."""
    assert _read('<main><img src="/a.png" alt="A map of the river"></main>').startswith(
        "![A map of the river]"
    )


def test_other_products_beside_a_product_are_left_out_and_its_own_price_is_kept():
    """Blocks of one sort that each name a price and lead elsewhere are offers of something else."""
    offers = "".join(
        f'<div class="card x{n}"><a href="/p/{n}">A blue jug</a><span>$</span>{n}9</div>' for n in range(3)
    )
    product = '<meta property="og:type" content="product">'
    text = _read(f"{product}<div><h1>Cup</h1><p>$12.00</p>{STORY}<div>{offers}</div></div>")
    assert "jug" not in text
    assert "12.00" in text


def test_a_product_is_read_in_the_block_that_begins_with_its_name():
    """What stands beside the block around the `h1` that holds most of the text is not the product."""
    product = '<meta property="og:type" content="product">'
    beside = "<p>Our shop is open every day of the week and has been for a hundred and twenty years.</p>"
    text = _read(f"{product}<div><div><h1>Cup</h1>{STORY}</div><div>{beside}</div></div>")
    assert "every day" not in text
    assert PROSE[7] in text


def test_an_introduction_before_the_title_is_kept_and_a_dateline_is_not():
    """A story may begin with prose, and its title may follow."""
    text = _read(f"{ARTICLE}<div><p>Monday</p><p>{PROSE[0]}</p><h1>Title</h1>{STORY * 3}</div>")
    assert text.startswith(PROSE[0])
    assert "Monday" not in text


def test_labels_that_cards_share_are_read_on_each_card():
    """In a collection, short texts repeat because the things are alike."""
    cards = "".join(f"<li><h3>Cup {n}</h3><p>Dishwasher safe, two sizes</p></li>" for n in range(5))
    text = _read(f"<h1>Cups</h1><ul>{cards}</ul>", "https://example.com/collections/cups")
    assert text.count("Dishwasher safe") == 5


def test_a_panel_about_the_author_of_a_post_is_left_out_on_a_forum():
    """Posts are the content of a forum; counts, ranks and votes are not."""
    panel = '<div class="message-userExtras"><dl class="pairs"><dt>Messages<dd>2,287</dl></div>'
    text = _read(f"<div>{panel}{STORY}</div>", "https://forum.example.com/threads/1")
    assert "2,287" not in text
    assert PROSE[0] in text


KINDS = {
    PageKind.FORUM: [
        ("example.com/", '<script type="application/ld+json">{"@type": "QAPage"}</script>'),
        ("forums.example.com/a", ""),
        *(
            (f"example.com/{address}", "")
            for address in ("ShowTopic-g1-k2", "thread-17.html", "?a=1&topic=5.0")
        ),
        ("example.com/a", '<meta name="generator" content="Discourse 3.2">'),
    ],
    PageKind.DOCUMENTATION: [("docs.example.com/topics/1", ""), ("example.com/docs/start", "")],
    PageKind.COLLECTION: [
        ("example.com/collections/shoes", ""),
        ("example.com/", '<meta property="og:type" content="product.group">'),
    ],
    PageKind.PRODUCT: [
        ("example.com/", '<meta property="og:type" content="product">'),
        ("example.com/products/shoe", "<button>Add to cart</button>"),
        ("example.com/", '<div itemtype="https://schema.org/Product">"@type": "Offer"</div>'),
    ],
    PageKind.ARTICLE: [
        ("example.com/", '<script>{"@type":["NewsArticle"]}</script>'),
        ("example.com/topics/camping/best-tents", ARTICLE),
        ("example.com/blog/a-long-summer", ""),
        ("example.com/2024/07/12345.html", ""),
    ],
    PageKind.HOME: [(f"example.com{path}", "") for path in ("", "/", "/index.html", "/ja/", "/en-us")],
    PageKind.OTHER: [(f"example.com{path}", "") for path in ("/blog/", "/products/shoe", "/?p=1", "/about")],
}


@pytest.mark.parametrize(
    ("kind", "address", "head"), [(kind, *row) for kind, rows in KINDS.items() for row in rows]
)
def test_the_kind_is_told_by_declarations_and_addresses(kind, address, head):
    """The first clue that fits decides."""
    assert kind_of(head.encode(), f"https://{address}", parse(head)) is kind
