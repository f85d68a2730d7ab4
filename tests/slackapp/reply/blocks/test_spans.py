"""A line's Markdown as spans."""

from typing import Any

import pytest

from slackapp.reply.blocks.markdown_nodes import parse
from slackapp.reply.blocks.spans import Span


def spans(text, sources=None):
    nodes: Any = parse(text, sources)
    return [span for node in nodes for span in node.spans]


def shown(text, sources=None):
    """Spans as `style:text` pairs, for tables."""
    names = ("bold", "italic", "strike", "code")
    return [
        ("".join(name[0] for name in names if getattr(span, name)), span.text, span.url)
        for span in spans(text, sources)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ただの文", [("", "ただの文", "")]),
        ("**太字**です", [("b", "太字", ""), ("", "です", "")]),
        ("これは**「太字」**です", [("", "これは", ""), ("b", "「太字」", ""), ("", "です", "")]),
        ("**A**と**B**", [("b", "A", ""), ("", "と", ""), ("b", "B", "")]),
        ("価格は**100円**(税込)", [("", "価格は", ""), ("b", "100円", ""), ("", "(税込)", "")]),
        ("*斜体*と_斜体_", [("i", "斜体", ""), ("", "と", ""), ("i", "斜体", "")]),
        ("***両方***", [("bi", "両方", "")]),
        ("**a *b***", [("b", "a ", ""), ("bi", "b", "")]),
        ("~~取消~~線", [("s", "取消", ""), ("", "線", "")]),
        ("10~20個、5~6個", [("", "10~20個、5~6個", "")]),
        ("2*3*4 と snake_case_name", [("", "2*3*4 と snake_case_name", "")]),
        ("5 * 3 * 2", [("", "5 * 3 * 2", "")]),
        ("**閉じない", [("", "**閉じない", "")]),
        ("閉じない**", [("", "閉じない**", "")]),
        (r"\*そのまま\*", [("", "*そのまま*", "")]),
        ("`a*b*c`です", [("c", "a*b*c", ""), ("", "です", "")]),
        ("`` a`b ``", [("c", "a`b", "")]),
        ("`閉じない", [("", "`閉じない", "")]),
        ("A &lt;b&gt; &amp; C", [("", "A <b> & C", "")]),
        ("~~a~~~~b~~", [("s", "ab", "")]),
        ("a~~~~b", [("", "a~~~~b", "")]),
        ("報告書_2026_最終.pdf", [("", "報告書_2026_最終.pdf", "")]),
        ("`" * 30 + "a" + "`" * 30, [("c", "a", "")]),
    ],
)
def test_styles_need_no_space_beside_kana(text, expected):
    """Every row is read as its writer meant it, marks that mean nothing as they stand."""
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[料金](https://a.example/p?x=1)へ", [("", "料金", "https://a.example/p?x=1"), ("", "へ", "")]),
        ("[**太字**](https://a.example/)", [("b", "太字", "https://a.example/")]),
        ("[w](https://a.example/a_(b))", [("", "w", "https://a.example/a_(b)")]),
        ("[](https://a.example/)", [("", "https://a.example/", "https://a.example/")]),
        ("<https://a.example/x>。", [("", "https://a.example/x", "https://a.example/x"), ("", "。", "")]),
        ("https://a.example/x.", [("", "https://a.example/x", "https://a.example/x"), ("", ".", "")]),
        ("https://a.example/x_(y)", [("", "https://a.example/x_(y)", "https://a.example/x_(y)")]),
        (
            "(https://a.example/x_(y).)",
            [("", "(", ""), ("", "https://a.example/x_(y)", "https://a.example/x_(y)"), ("", ".)", "")],
        ),
        ("https://a.example/x。次", [("", "https://a.example/x", "https://a.example/x"), ("", "。次", "")]),
        (
            "https://e.example/pathをご覧ください",
            [("", "https://e.example/path", "https://e.example/path"), ("", "をご覧ください", "")],
        ),
        (
            "https://e.example/wiki/東京 です",
            [("", "https://e.example/wiki/東京", "https://e.example/wiki/東京"), ("", " です", "")],
        ),
        ("[a](https://a.example/?x=1&region=jp)", [("", "a", "https://a.example/?x=1&region=jp")]),
        ("[a [b]](https://a.example/ '題')", [("", "a [b]", "https://a.example/")]),
        ("https://... と https://?", [("", "https://... と https://?", "")]),
        ("[x](https:///)", [("", "x (https:///)", "")]),
        ("[x](javascript:alert)", [("", "x (javascript:alert)", "")]),
        ("<!channel> <@U123> <#C1|x>", [("", "<!channel> <@U123> <#C1|x>", "")]),
    ],
)
def test_links_lead_to_the_web_and_nowhere_else(text, expected):
    """Only http(s) targets become links; what Slack would take for a mention is text."""
    assert shown(text) == expected


def test_a_citation_links_to_its_source():
    """`[1]` leads to source 1; a number without a source is text."""
    assert shown("本文 [1][9]", {1: "https://a.example/"}) == [
        ("", "本文 ", ""),
        ("", "[1]", "https://a.example/"),
        ("", "[9]", ""),
    ]


def test_a_target_longer_than_slack_takes_is_no_link():
    """The URL stays readable."""
    url = "https://a.example/" + "x" * 3_000
    assert shown(f"[料金]({url})") == [("", f"料金 ({url})", "")]


@pytest.mark.parametrize(
    "text",
    [
        "[" * 20_000,
        "**a " * 6_999 + "**a",
        "a" + "`" * 20_001,
        "*_" * 3_000,
        "[a](" * 5_000,
        "![" * 10_000,
        "[a](b '" * 5_000,
        "*a_" * 5_000,
        "a**b" * 5_000,
        "https://a.example/" + ")" * 200_000,
    ],
)
def test_hostile_lines_are_read(text):
    """Nothing of them is lost."""
    assert "".join(span.text for span in spans(text)).replace("*", "").replace("_", "") == text.translate(
        {ord("*"): None, ord("_"): None}
    )


def test_images_inside_images_are_read():
    """Those that are too deep stay text."""
    assert shown("![a" * 10 + "](x)" * 10) == [("", "a" * 10, "")]
    assert "".join(text for _, text, _ in shown("![a" * 10_000 + "](x)" * 10_000)).count("a") == 10_000


def test_a_span_is_an_element_of_rich_text():
    assert Span(text="a", bold=True, code=True).element() == {
        "type": "text",
        "text": "a",
        "style": {"bold": True, "code": True},
    }
    assert Span(text="a", url="https://a.example/").element() == {
        "type": "link",
        "url": "https://a.example/",
        "text": "a",
    }


@pytest.mark.parametrize("target", ["?a=1&region=jp&section=2", "?a=1&amp;region=jp&amp;section=2"])
def test_parameters_that_look_like_entities_stay(target):
    """Entities need their semicolon."""
    [span] = spans(f"[a](https://a.example/{target})")
    assert span.url == "https://a.example/?a=1&region=jp&section=2"
    [text] = spans("&region=jp &notit; &lt;")
    assert text.text == "&region=jp &notit; <"


def test_a_url_without_end_is_read_once():
    """Beyond the length of any URL it is text, as a whole."""
    text = "http://a/" * 8_000
    assert "".join(span.text for span in spans(text)) == text
