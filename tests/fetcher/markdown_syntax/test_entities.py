"""Entities as CommonMark has them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from fetcher.markdown_syntax.entities import decoded, has_entity

PIECES = [
    "&",
    ";",
    "#",
    "x",
    "amp",
    "lt",
    "region",
    "section",
    "copy",
    "notit",
    "not",
    "38",
    "D800",
    "0",
    "a=",
    "=jp",
]


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("?a=1&region=jp&section=2", "?a=1&region=jp&section=2"),
        ("?a=1&amp;region=jp&amp;section=2", "?a=1&region=jp&section=2"),
        ("&amp;lt;", "&lt;"),
        ("&region;&notit;&copy", "&region;&notit;&copy"),
        ("&reg;ion", "®ion"),
        ("&#65;&#x42;&#0;&#xD800;", "AB\ufffd\ufffd"),
        ("&ngE;", "\u2267\u0338"),
    ],
)
def test_only_whole_names_with_their_semicolon_mean_something(text, meaning):
    assert decoded(text) == meaning
    assert has_entity(text) is (text != meaning)


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_another_reader_of_markdown_takes_them_for_the_same(text):
    [block] = MarkdownIt("commonmark").parseInline(f"x{text}x")
    assert "".join(token.content for token in block.children or ()) == f"x{decoded(text)}x"
