"""The reading mode `article`: what is content depends on the kind of page."""

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.extract import extract
from fetcher.web.extract.kinds import PageKind, kind_of
from fetcher.web.markdown import render
from fetcher.web.tree import parse

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
    ],
)
def test_a_story_is_read_without_what_surrounds_it(block):
    """Each sort of boilerplate beside a story is left out, and the story is whole."""
    text = _read(f"<title>t</title>{ARTICLE}<body><div>{STORY}{block}</div></body>")
    assert "elsewhere" not in text
    assert [part for part in PROSE if part not in text] == []


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


def test_comments_are_content_on_a_forum_and_boilerplate_under_an_article():
    """The same block is kept or dropped by the kind of page."""
    page = f'<body><div>{STORY}<div class="comments"><p>I remember that mill.</p></div></div></body>'
    assert "I remember" in _read(page, "https://forum.example.com/threads/1")
    assert "I remember" not in _read(ARTICLE + page)


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


@pytest.mark.parametrize(
    ("kind", "url", "head"),
    [
        (
            PageKind.FORUM,
            "https://example.com/",
            '<script type="application/ld+json">{"@type": "QAPage"}</script>',
        ),
        (PageKind.FORUM, "https://forums.example.com/a", ""),
        (PageKind.FORUM, "https://example.com/a", '<meta name="generator" content="Discourse 3.2">'),
        (PageKind.DOCUMENTATION, "https://docs.example.com/topics/1", ""),
        (PageKind.DOCUMENTATION, "https://example.com/docs/start", ""),
        (PageKind.COLLECTION, "https://example.com/collections/shoes", ""),
        (PageKind.COLLECTION, "https://example.com/", '<meta property="og:type" content="product.group">'),
        (PageKind.PRODUCT, "https://example.com/", '<meta property="og:type" content="product">'),
        (PageKind.PRODUCT, "https://example.com/products/shoe", "<button>Add to cart</button>"),
        (
            PageKind.PRODUCT,
            "https://example.com/",
            '<div itemtype="https://schema.org/Product">"@type": "Offer"</div>',
        ),
        (PageKind.ARTICLE, "https://example.com/", '<script>{"@type":["NewsArticle"]}</script>'),
        (PageKind.ARTICLE, "https://example.com/blog/a-long-summer", ""),
        (PageKind.ARTICLE, "https://example.com/2024/07/12345.html", ""),
        (PageKind.OTHER, "https://example.com/", ""),
        (PageKind.OTHER, "https://example.com/blog/", ""),
    ],
)
def test_the_kind_is_told_by_declarations_and_addresses(kind, url, head):
    """The first clue that fits decides."""
    assert kind_of(head, url, parse(head)) is kind
