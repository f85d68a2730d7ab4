"""Hosts without a scheme, and text that has none."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fetcher.agent.safety.links import find_links
from fetcher.bare_urls import without_links

HOSTS = ("a.example", "b.example", "c.example/x", "d.example/y")
PIECES = st.sampled_from(
    [
        *"abz019.-_/:@?#+ \n（）資",
        "evil",
        ".com",
        ".ai",
        ".co.jp",
        "https://",
        "www.",
        "xn--",
        "ｈｔｔｐ",
        "：／／",
        "ttp",
    ]
)


@given(st.lists(PIECES, max_size=20).map("".join))
@example("logo.ai, 資料script.pl, a.b.c.example/x")
def test_no_link_is_found_in_what_comes_out(text):
    plain = without_links(text)
    assert find_links(plain, typed=True) == ()
    assert "".join(plain.split()) == "".join(text.replace("：／／", "://").split())


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("a.example#b.example", ["https://a.example#b.example"]),
        ("a.example/x?b.example", ["https://a.example/x?b.example"]),
        ("https://a.example/x?b.example;c.example", ["https://a.example/x?b.example;c.example"]),
        ("https://a.example/x#b.example を読んで", ["https://a.example/x#b.example"]),
        ("<https://a.example/資料?b.example>", ["https://a.example/資料?b.example"]),
        ("<https://a.example/wiki/株式会社B.jp>", ["https://a.example/wiki/株式会社B.jp"]),
        ("https://a.example/?q=会社名b.example を読んで", ["https://a.example/?q=会社名b.example"]),
        ("https://a.example/資料/ttp://b.example/", ["https://a.example/資料/ttp://b.example/"]),
        ("https://a.example/とb.example", ["https://a.example/", "https://b.example"]),
        ("a.example,b.example、c.example/xとd.example/y", [f"https://{each}" for each in HOSTS]),
    ],
)
def test_hosts_inside_a_url_are_part_of_it(text, links):
    assert [link for link in find_links(text, typed=True) if "とd" not in link] == links


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("ｈｔｔｐ：／／ａ．ｅｘａｍｐｌｅ／ｘ？ｙ＝１ の料金は", ["http://a.example/x?y=1"]),
        ("「ｈｔｔｐｓ：／／ａ．ｅｘａｍｐｌｅ／ｘ」を読んで", ["https://a.example/x"]),
        ("（ｈｔｔｐｓ：／／ａ．ｅｘａｍｐｌｅ／ｘ）", ["https://a.example/x"]),
        ("https：／／a.example/x？を読んで", ["https://a.example/x"]),
        ("ttps://a.example/xを読んで", ["https://a.example/x"]),
        ("htp://a.example/x", ["http://a.example/x"]),
        ("ftp://a.example/x smtp://b.example", []),
        ("https://a.example/ｘ", ["https://a.example/ｘ"]),
    ],
)
def test_a_scheme_may_be_mistyped_by_people(text, links):
    assert list(find_links(text, typed=True)) == links


def test_a_page_has_no_mistyped_links():
    assert find_links("ｈｔｔｐ：／／ａ．ｅｘａｍｐｌｅ／ と ttp://b.example/") == ()
