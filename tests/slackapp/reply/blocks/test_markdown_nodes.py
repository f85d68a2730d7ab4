"""Markdown's blocks as values, and as Slack's blocks."""

from typing import Any

import pytest

from slackapp.reply.blocks.markdown_nodes import (
    Code,
    Heading,
    MarkdownList,
    Paragraph,
    Quote,
    Rule,
    Table,
    parse,
)
from slackapp.reply.blocks.slack_blocks import block, plain


def words(spans):
    return "".join(span.text for span in spans)


@pytest.mark.parametrize(
    ("markdown", "kinds"),
    [
        ("# 題\n本文", [Heading, Paragraph]),
        ("本文\n続き\n\n次", [Paragraph, Paragraph]),
        ("本文\n- 点", [Paragraph, MarkdownList]),
        ("- a\n\n- b", [MarkdownList]),
        ("- a\n\n本文", [MarkdownList, Paragraph]),
        ("> 引用\n> 続き\n\n本文", [Quote, Paragraph]),
        ("> 引用\n続き", [Quote]),
        ("```py\na\n\nb\n```\n本文", [Code, Paragraph]),
        ("```\n閉じない", [Code]),
        ("a\n\n---\n\nb", [Paragraph, Rule, Paragraph]),
        ("* * *", [Rule]),
        ("| a | b |\n|---|:-:|\n| 1 | 2 |\n\n本文", [Table, Paragraph]),
        ("本文\n| a | b |\n|---|:-:|\n| 1 | 2 |\n3", [Paragraph, Table]),
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


@pytest.mark.parametrize(
    ("markdown", "numbers"),
    [
        ("2. 五\n5. 七\n7. 九", [2, 5, 7]),
        ("1. a\n1. b\n1. c", [1, 2, 3]),
        ("3. 三位\n2. 二位\n1. 一位", [3, 2, 1]),
        ("1. a\n\n   ```\n   x\n   ```\n\n2. b", [1, 2]),
        ("1. a\n\n本文\n\n1. b", [1, 1]),
        ("9. a\n10. b", [9, 10]),
    ],
)
def test_numbers_are_those_that_were_written(markdown, numbers):
    """Gaps are kept, in lists of their own with an offset; the same number again counts on."""
    shown = [
        each.get("offset", 0) + 1 + place
        for node in parse(markdown)
        for each in block(node).get("elements", [])
        if each["type"] == "rich_text_list" and each["style"] == "ordered"
        for place in range(len(each["elements"]))
    ]
    assert shown == numbers


def test_a_point_0_says_so():
    """Slack counts from 1."""
    (first, second) = block(parse("0. 準備\n1. 実行")[0])["elements"]
    assert (first["style"], first["elements"][0]["elements"][0]["text"]) == ("bullet", "0. 準備")
    assert (second["style"], second.get("offset", 0)) == ("ordered", 0)


def test_code_in_a_point_is_without_the_points_indent():
    """It can be copied and run; the list goes on behind it."""
    nodes: Any = parse("1. a\n\n   ```py\n   if x:\n       y()\n   ```\n\n   - b\n2. c")
    assert [type(node) for node in nodes] == [MarkdownList, Code, MarkdownList]
    assert nodes[1].text == "if x:\n    y()"
    assert [(item.depth, item.number) for item in nodes[2].items] == [(1, None), (0, 2)]


def test_what_stands_in_a_quote_has_a_quotes_border():
    """A quote in a quote, a list and code; Slack's quote itself holds words alone."""
    shown = [block(node)["elements"][0] for node in parse("> a\n> > b\n>\n> - c\n>\n> ```\n> d\n> ```")]
    assert [(element["type"], element.get("border", 0)) for element in shown] == [
        ("rich_text_quote", 0),
        ("rich_text_quote", 1),
        ("rich_text_list", 1),
        ("rich_text_preformatted", 1),
    ]


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("| a |\n|---|\n| 一<br>二<br/>三 |", "一\n二\n三"),
        ("行末\\\n次", "行末\n次"),
        ("行末  \n次", "行末\n次"),
        ("![図](https://a.example/i.png)です", "図です"),
        ('[名](https://a.example/ "題")', "名"),
        ("- [ ] 未\n- [x] 済", "\u2610 未"),
    ],
)
def test_marks_are_not_shown(markdown, text):
    node: Any = parse(markdown)[0]
    found = {
        Table: lambda: node.rows[1][0],
        MarkdownList: lambda: node.items[0].spans,
    }.get(type(node), lambda: node.spans)()
    assert words(found) == text


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
        ("[a\nb](https://a.example/)", "<https://a.example/|a b>"),
        ("<https://a.example/>", "<https://a.example/>"),
        ("- a\n  - b\n1. c", "• a\n    • b\n1. c"),
        ("```\n<@U1>\n```", "```\n&lt;@U1&gt;\n```"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "• 1\n    • b: 2"),
    ],
)
def test_plain_text_calls_nobody(markdown, text):
    """Where there are no blocks, everything that Slack would understand is escaped."""
    assert "\n".join(map(plain, parse(markdown))) == text


@pytest.mark.parametrize("space", ["\u3000", "\u00a0", "\u2003", "\x0b"])
@pytest.mark.parametrize("indent", ["    ", "\t"])
def test_white_space_that_markdown_does_not_know_is_text(indent, space):
    """A line of it alone is a line of code, and no line is lost."""
    nodes = parse(f"a\n\n{indent}{space}\n\nb")
    assert [type(node).__name__ for node in nodes] == ["Paragraph", "Code", "Paragraph"]
