"""Slack's text format as plain text."""

import pytest

from slackapp.thread.slack_text import LONGEST_TITLE, links_in, mentioned, titled, unwrapped

NAMES = {"U1": "田中"}


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("<https://a.example/x?y=1&amp;z=2|label>", "https://a.example/x?y=1&z=2"),
        ("<https://evil.example/|https://good.example/>", "https://evil.example/"),
        ("これ<https://a.example/x|資料>を読んで", "これ https://a.example/x を読んで"),
        ("「<https://a.example/x>」", "「https://a.example/x 」"),
        ("<http://example.com|example.com>", "http://example.com"),
        ("<https://a.example/料金>", "<https://a.example/料金>"),
        ("<https://a.example/x.>", "<https://a.example/x.>"),
        ("<https://a.example/?q=2&gt;1&amp;r=1&lt;2>", "<https://a.example/?q=2%3E1&r=1%3C2>"),
        ("<mailto:a@a.example|a@a.example>", "a@a.example"),
        ("<@U1>さん", "@田中さん"),
        ("<@U9|sato> <@U8>", "@sato @U8"),
        ("<#C1|general> <#C2>", "#general #C2"),
        ("<!here> <!subteam^S1|@team> <!date^1^{date}|1月1日>", "@here @team 1月1日"),
        ("1 &lt; 2 &amp;&amp; 3 &gt; 2", "1 < 2 && 3 > 2"),
        ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
        ("a < b > c", "a < b > c"),
    ],
)
def test_text_is_what_people_meant(text, plain):
    """Links are their targets, mentions are names, escapes are undone once."""
    assert unwrapped(text, NAMES) == plain


def test_links_are_targets_never_labels():
    text = "<https://a.example/?x=1&amp;y=2|https://b.example/> <@U1> <https://a.example/?x=1&amp;y=2>"
    assert links_in(text) == ("https://a.example/?x=1&y=2",)


def test_the_mentioned_are_people():
    assert mentioned("<@U1> <@W2|x> <!here> <#C1>") == ("U1", "W2")


def test_only_what_slack_escapes_is_undone():
    """`&region` and `&section` begin with names of entities."""
    text = "<https://a.example/?a=1&amp;region=jp&amp;section=2&amp;amp;x|a &amp; b> &amp;lt;"
    url = "https://a.example/?a=1&region=jp&section=2&amp;x"
    assert unwrapped(text, {}) == f"{url} &lt;"
    assert links_in(text) == (url,)


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("<https://shop.example/price?a=1|料金> はいくら？", "shop.example はいくら？"),
        ("比べて <https://a.example> と\n\n<http://u:p@b.example:8080/x>", "比べて a.example と b.example"),
        ("<https://a.example/料金>の要点", "a.example の要点"),
        ("<@U1> 1 &lt; 2", "@U1 1 < 2"),
        ("", ""),
        ("あ" * 500, "あ" * (LONGEST_TITLE - 1) + "…"),
    ],
)
def test_a_question_has_a_title_without_its_urls(question, title):
    assert titled(question) == title
