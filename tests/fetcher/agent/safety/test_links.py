"""Where the URLs in a person's or a page's text begin and end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetcher.agent.safety.links import MOST_LINKS, bare_url_at, find_links, likeliest_first
from fetcher.web.errors import FetchError
from fetcher.web.net.canonical import MAX_URL_CHARS, canonicalise

PIECES = [
    *"()[]{}<>「」（）。、.,!?*_~`'\"|\\/#=&:;@ \n",
    *(
        "a",
        "東京",
        "の",
        "を見て",
        "カナ",
        "ü",
        "x.example",
        "http://",
        "https://",
        "HTTPS://a.example/",
        "](",
    ),
]


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("https://a.example/x", ["https://a.example/x"]),
        ("HTTP://A.example/X?y=1#z", ["HTTP://A.example/X?y=1#z"]),
        ("http://[2001:db8::1]:8080/x", ["http://[2001:db8::1]:8080/x"]),
        (
            "https://a.example https://b.example\nhttps://a.example",
            ["https://a.example", "https://b.example"],
        ),
        ("https://a.example,https://b.example", ["https://a.example", "https://b.example"]),
        ("https://a.examplehttps://b.example", ["https://a.example", "https://b.example"]),
        (
            "https://archive.example/2020/https://b.example/c",
            ["https://archive.example/2020/https://b.example/c"],
        ),
        ("https://a.example/?u=https://b.example/", ["https://a.example/?u=https://b.example/"]),
        ("no link: a.example, ftp://a.example, https://, http:a.example", []),
        ("", []),
    ],
)
def test_finds_bare_urls(text, links):
    """Bare URLs are found in order, each once."""
    assert list(find_links(text)) == links


@pytest.mark.parametrize(
    "text",
    [
        "see https://a.example/x.",
        "https://a.example/x, and more",
        "https://a.example/x; https://a.example/x: https://a.example/x!?",
        "'https://a.example/x' \"https://a.example/x\"",
        "**https://a.example/x** __https://a.example/x__ ~~https://a.example/x~~",
        "(https://a.example/x) [https://a.example/x] {https://a.example/x}",
        "(see https://a.example/x).",
        "| https://a.example/x|b |",
        "`https://a.example/x`",
        "```\ncurl https://a.example/x\n```",
        '<a href="https://a.example/x">label</a>',
        "https://a.example/x\u200b https://a.example/x\u00a0y",
    ],
)
def test_ends_before_what_is_not_part_of_it(text):
    """Punctuation, emphasis, quotes and brackets around a URL are not part of it; code is text as well."""
    assert find_links(text) == ("https://a.example/x",)


@pytest.mark.parametrize(
    "url",
    [
        "https://en.wikipedia.example/wiki/A_(b)",
        "https://a.example/?ids[]=1&ids[]=2",
        "https://a.example/(x)/y",
        "https://a.example/{id}/x",
        "https://user:secret@a.example/",
        "https://a.example/%E6%9D%B1%E4%BA%AC",
        "https://münchen.example/größe",
        "https://日本語.jp/",
        "https://www.東京.jp/料金",
    ],
)
def test_keeps_what_is_part_of_it(url):
    """Balanced brackets, escapes and international names belong to the URL."""
    assert find_links(f"({url})") == (url,)


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("https://a.example/x。次に", ["https://a.example/x"]),
        ("「https://a.example/x」と（https://a.example/x）、", ["https://a.example/x"]),
        ("参照https://a.example/x　以上", ["https://a.example/x"]),
        ("https://a.exampleの料金表", ["https://a.example"]),
        ("https://a.example:8080の料金表", ["https://a.example:8080"]),
        ("https://日本語.jpの料金表", ["https://日本語.jp"]),
        ("https://a.example/の料金表をCSVにして", ["https://a.example/"]),
        ("https://a.example/は、何ですか", ["https://a.example/"]),
        ("https://a.example/pricingの料金表をCSVにして", ["https://a.example/pricing"]),
        ("https://a.example/x.htmlについて教えて", ["https://a.example/x.html"]),
        ("https://a.example/wiki/東京", ["https://a.example/wiki/東京"]),
        ("https://a.example/wiki/東京 を要約", ["https://a.example/wiki/東京"]),
        ("（https://a.example/wiki/東京タワー）", ["https://a.example/wiki/東京タワー"]),
        ("https://a.example/?q=東京&page=2", ["https://a.example/?q=東京&page=2"]),
        (
            "https://a.example/wiki/東京を要約して",
            [
                "https://a.example/wiki/",
                "https://a.example/wiki/東京",
                "https://a.example/wiki/東京を要約して",
            ],
        ),
        ("https://a.example/wiki/はてな", ["https://a.example/wiki/", "https://a.example/wiki/はてな"]),
        ("https://a.example/2024年", ["https://a.example/2024", "https://a.example/2024年"]),
        ("https://a.example/を見てhttps://b.example/", ["https://a.example/", "https://b.example/"]),
    ],
)
def test_japanese_after_a_url(text, readings):
    """Raw Japanese is a name in the path or the sentence going on; where both may be, both are there."""
    assert list(find_links(text)) == readings


@pytest.mark.parametrize(
    ("text", "tails"),
    [
        ("https://a.example/wiki/東京を要約して", ["wiki/東京を要約して", "wiki/東京", "wiki/"]),
        ("https://a.example/wiki/東京の人口", ["wiki/東京の人口", "wiki/東京", "wiki/"]),
        ("https://a.example/?q=東京の天気", ["?q=東京の天気", "?q=東京", "?q="]),
        ("https://a.example/x_東京の天気", ["x_東京の天気", "x_東京", "x"]),
        ("https://a.example/について教えて", ["", "について教えて"]),
        ("https://a.example/x_について教えて", ["x", "x_について教えて"]),
        ("https://a.example/2024年の予定", ["2024", "2024年", "2024年の予定"]),
        ("https://a.example/2024", ["2024"]),
    ],
)
def test_the_likeliest_reading_comes_first(text, tails):
    """A name after a joint is a page; what follows a letter or begins with hiragana is the sentence."""
    readings = likeliest_first(bare_url_at(text, 0).readings)
    assert readings == tuple(f"https://a.example/{tail}" for tail in tails)


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("[label](https://a.example/x)", ["https://a.example/x"]),
        ('[label]( https://a.example/x "title" )', ["https://a.example/x"]),
        ("[label](<https://a.example/x>)", ["https://a.example/x"]),
        ("[label](https://a.example/A_(b))", ["https://a.example/A_(b)"]),
        ("[東京](https://a.example/東京の地図)", ["https://a.example/東京の地図"]),
        ("[https://good.example/](https://evil.example/)", ["https://evil.example/"]),
        ("[https://good.example/](/relative)", []),
        ("[![https://alt.example](https://img.example/i.png)](https://a.example/)", ["https://a.example/"]),
        ("[a [b](https://1.example/) c](https://2.example/)", ["https://1.example/", "https://2.example/"]),
        ("[see https://a.example/\n\nx](https://b.example/)", ["https://a.example/", "https://b.example/"]),
        ("[1]: https://a.example/x", ["https://a.example/x"]),
        ("[https://a.example/](not a target)", ["https://a.example/"]),
        (r"\[https://a.example/](https://b.example/)", ["https://a.example/", "https://b.example/"]),
        (r"https://a.example/\_next/\*x", ["https://a.example/_next/*x"]),
        ("<https://a.example/東京>", ["https://a.example/東京"]),
        ("<https://a.example/?q=東京>", ["https://a.example/?q=東京"]),
        ("<https://a.example/x).>", ["https://a.example/x)."]),
        ("<https://a.example/x|https://good.example/>", ["https://a.example/x"]),
    ],
)
def test_markdown_links(text, links):
    """A link's target counts and its label never does."""
    assert list(find_links(text)) == links


def test_a_bare_url_says_where_the_text_goes_on():
    """The end is that of the longest reading, or of what cannot be read at all."""
    text = "x https://a.example/2024年。"
    assert bare_url_at(text, 2).end == len(text) - 1
    assert bare_url_at("https://", 0).readings == ()
    overlong = "https://a.example/" + "x" * MAX_URL_CHARS
    assert (bare_url_at(overlong, 0).readings, bare_url_at(overlong, 0).end) == ((), len(overlong))


def test_finds_no_more_than_anybody_follows():
    assert len(find_links(" ".join(f"https://a.example/{n}" for n in range(MOST_LINKS + 10)))) == MOST_LINKS


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_what_is_found_stands_in_the_text(text):
    """Every result is a part of the text, escapes apart, and canonicalises or is refused by name."""
    unescaped = text
    for character in "_*~&":
        unescaped = unescaped.replace("\\" + character, character)
    for link in find_links(text):
        assert link in unescaped
        try:
            canonicalise(link)
        except FetchError:
            continue


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("<https://a.example/priceの料金表を見せて>", ["https://a.example/price"]),
        ("<https://a.example/price、お願いします>", ["https://a.example/price"]),
        (
            "<https://a.example/price料金表を>",
            [f"https://a.example/price{t}" for t in ("", "料金表", "料金表を")],
        ),
        ("<https://a.example/wiki/東京|東京>", ["https://a.example/wiki/東京"]),
    ],
)
def test_japanese_behind_a_url_inside_of_slacks_brackets_is_read_as_in_plain_text(text, links):
    """Slack puts the brackets there, not the person who wrote."""
    assert list(find_links(text)) == links


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("example.com/price の料金は？", ["https://example.com/price"]),
        ("example.com/priceの料金表", ["https://example.com/price"]),
        ("example.co.jpを要約して", ["https://example.co.jp"]),
        ("(www.example.jp/a?b=1)", ["https://www.example.jp/a?b=1"]),
        ("「a-b.example.com:8080/x」", ["https://a-b.example.com:8080/x"]),
        ("http://example.com/x", ["http://example.com/x"]),
        ("someone@example.com", []),
        ("README.md, Node.js, report.pdf, v1.2, 3.14, e.g. this, src/site.com", []),
        ("https://a.example/to/example.com/x", ["https://a.example/to/example.com/x"]),
        ("example.com.exe example.community", []),
    ],
)
def test_a_host_without_a_scheme_is_a_link_where_people_write_it(text, links):
    assert list(find_links(text, typed=True)) == links
    if links and not text.startswith("http"):
        assert find_links(text) == ()
