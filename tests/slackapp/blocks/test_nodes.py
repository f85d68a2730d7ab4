"""Markdown's blocks as values, and as Slack's blocks."""

from typing import Any

import pytest

from slackapp.blocks.nodes import Code, Heading, Listing, Paragraph, Quote, Rule, Table, parse
from slackapp.blocks.plain import plain
from slackapp.blocks.rich import block


def words(spans):
    return "".join(span.text for span in spans)


@pytest.mark.parametrize(
    ("markdown", "kinds"),
    [
        ("# 題\n本文", [Heading, Paragraph]),
        ("本文\n続き\n\n次", [Paragraph, Paragraph]),
        ("本文\n- 点", [Paragraph, Listing]),
        ("- a\n\n- b", [Listing]),
        ("- a\n\n本文", [Listing, Paragraph]),
        ("> 引用\n> 続き\n本文", [Quote, Paragraph]),
        ("```py\na\n\nb\n```\n本文", [Code, Paragraph]),
        ("```\n閉じない", [Code]),
        ("a\n\n---\n\nb", [Paragraph, Rule, Paragraph]),
        ("* * *", [Rule]),
        ("| a | b |\n|---|:-:|\n| 1 | 2 |\n本文", [Table, Paragraph]),
        ("a | b は表ではない", [Paragraph]),
        ("", []),
    ],
)
def test_blocks_are_told_apart(markdown, kinds):
    assert [type(node) for node in parse(markdown)] == kinds


def test_lines_of_a_paragraph_stay_lines():
    """Japanese is written without spaces: a line break that became one would show."""
    paragraph: Any = parse("一行目\n二行目")[0]
    assert words(paragraph.spans) == "一行目\n二行目"


def test_lists_keep_depth_and_numbers():
    """Nested points are indented, and a numbered list goes on after them."""
    listing: Any = parse("3. 三\n   続き\n   - 内\n     - さらに内\n4. 四")[0]
    assert [(item.depth, item.number, words(item.spans)) for item in listing.items] == [
        (0, 3, "三\n続き"),
        (1, None, "内"),
        (2, None, "さらに内"),
        (0, 4, "四"),
    ]
    lists = block(listing)["elements"]
    assert [(each["style"], each["indent"], each.get("offset")) for each in lists] == [
        ("ordered", 0, 2),
        ("bullet", 1, None),
        ("bullet", 2, None),
        ("ordered", 0, 3),
    ]


def test_tables_are_even_and_keep_their_alignment():
    """Rows are padded to the widest; no cell is empty, which Slack would refuse."""
    table: Any = parse("| 名前 | 価格 |\n|:--|--:|\n| A\\|B | **1** | 余り |\n| C |")[0]
    assert [[words(cell) for cell in row] for row in table.rows] == [
        ["名前", "価格", ""],
        ["A|B", "1", "余り"],
        ["C", "", ""],
    ]
    shown = block(table)
    assert [column["align"] for column in shown["column_settings"]] == ["left", "right", "left"]
    texts = [cell["elements"][0]["elements"][0]["text"] for row in shown["rows"] for cell in row]
    assert texts == ["名前", "価格", " ", "A|B", "1", "余り", "C", " ", " "]
    assert shown["rows"][0][0]["elements"][0]["elements"][0]["style"] == {"bold": True}


@pytest.mark.parametrize(
    ("markdown", "kind"),
    [("# 大", "header"), ("## 中", "header"), ("### 小", "rich_text"), ("# " + "長" * 151, "rich_text")],
)
def test_headings_fit_slacks_header(markdown, kind):
    """Small headings, and those that are too long for a header, are bold lines."""
    shown = block(parse(markdown)[0])
    assert shown["type"] == kind
    if kind == "rich_text":
        assert shown["elements"][0]["elements"][0]["style"] == {"bold": True}


def test_code_is_shown_as_it_is():
    assert block(parse("```\n<!channel> **a**\n```")[0])["elements"] == [
        {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "<!channel> **a**"}]}
    ]


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("A < B & <!channel>", "A &lt; B &amp; &lt;!channel&gt;"),
        ("[a|b](https://a.example/?x=1&y=2)", "<https://a.example/?x=1&amp;y=2|a/b>"),
        ("<https://a.example/>", "<https://a.example/>"),
        ("- a\n  - b\n1. c", "• a\n    • b\n1. c"),
        ("```\n<@U1>\n```", "```\n&lt;@U1&gt;\n```"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "• 1\n    • b: 2"),
    ],
)
def test_plain_text_calls_nobody(markdown, text):
    """Where there are no blocks, everything that Slack would understand is escaped."""
    assert "\n".join(map(plain, parse(markdown))) == text
