"""Markdown is cut into the blocks of SRD FR-WF-15."""

import pytest

from fetcher.web.output.chunks.outline import PartKind, blocks


def outline(text: str) -> list[tuple[str, str]]:
    return [(block.kind.name.lower(), text[block.start : block.end]) for block in blocks(text)]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("# a", PartKind.HEADING),
        ("###### a", PartKind.HEADING),
        ("####### a", PartKind.PARAGRAPH),
        ("#a", PartKind.PARAGRAPH),
        (" # a", PartKind.PARAGRAPH),
        ("#", PartKind.PARAGRAPH),
        ("- a", PartKind.LIST),
        ("   + a", PartKind.LIST),
        ("    * a", PartKind.PARAGRAPH),
        ("12) a", PartKind.LIST),
        ("1.a", PartKind.PARAGRAPH),
        ("-a", PartKind.PARAGRAPH),
        ("| a |", PartKind.TABLE),
        ("```py\nx\n```", PartKind.CODE),
        ("`````\n```\n`````", PartKind.CODE),
        ("``x``", PartKind.PARAGRAPH),
        ("```x``` y", PartKind.PARAGRAPH),
    ],
)
def test_a_block_is_known_by_its_first_line(line, kind):
    """Each marker is taken for what it is, and what only resembles it is prose."""
    assert [block.kind for block in blocks(line)] == [kind]


def test_blank_lines_separate_paragraphs_and_headings_stand_alone():
    """A heading is a block of its own, with or without blank lines around it."""
    assert outline("a\nb\n\n\nc\n# H\nd\n") == [
        ("paragraph", "a\nb"),
        ("paragraph", "c"),
        ("heading", "# H"),
        ("paragraph", "d"),
    ]


@pytest.mark.parametrize(
    "paragraph", ["a\n  indented\nb", "a\n\ttabbed", "  a\n  b", "a\n| b |", "| a |\n  b"]
)
def test_only_a_blank_line_ends_a_paragraph(paragraph):
    """SRD FR-WF-15.2: neither does an indented line."""
    assert [text for _, text in outline(f"{paragraph}\n\nnext")] == [paragraph, "next"]


def test_nothing_inside_a_fence_is_a_block():
    """Headings, items, blank lines and shorter fences inside code belong to the code."""
    code = "````md\n# no\n\n- no\n```\nno\n```\n````"
    assert outline(f"a\n{code}\nb") == [("paragraph", "a"), ("code", code), ("paragraph", "b")]


def test_an_open_fence_reaches_to_the_end():
    """A fence that nothing closes holds the rest of the document."""
    assert outline("```\n# a\n\nb\n\n") == [("code", "```\n# a\n\nb")]


def test_a_list_holds_its_nested_items_and_continuations():
    """FR-WF-CHK-LIST-01: indented lines and nested code continue a list; so do items after a blank line."""
    text = "- a\n  more\n  - b\n      - c\n  ```\n- no item\n\n  ```\n\n1. d"
    assert outline(text) == [("list", text)]


@pytest.mark.parametrize(
    "after", ["\n\ntext", "\n\n  indented text", "\ntext", "\n# heading", "\n```\ncode\n```"]
)
def test_a_list_ends_at_what_is_no_list(after):
    """A blank line and other content, a heading, or a line without indentation end a list."""
    assert [text for _, text in outline(f"- a{after}")] == ["- a", after.lstrip("\n")]


@pytest.mark.parametrize("text", ["", "\n", "  \n\t\n\u3000\n"])
def test_nothing_has_no_blocks(text):
    """White space alone is no block."""
    assert outline(text) == []
