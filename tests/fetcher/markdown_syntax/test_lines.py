"""Markdown's lines as what they are, and what they stand in."""

import time

import pytest

from fetcher.markdown_syntax.lines import MOST_CONTAINERS, Item, LineKind, scan
from fetcher.markdown_syntax.tables import cells_of


def kinds(markdown):
    """Each line as `containers kind text`, containers as `>` and list marks."""
    return [
        (
            "".join(each.mark if isinstance(each, Item) else ">" for each in line.containers),
            line.kind.name,
            line.text,
        )
        for line in scan(markdown.split("\n"))
    ]


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("a\nb", [("", "TEXT", "a"), ("", "TEXT", "b")]),
        ("# a #\n#b", [("", "HEADING", "a"), ("", "TEXT", "#b")]),
        ("a\n---\n---", [("", "TEXT", "a"), ("", "UNDERLINE", "---"), ("", "RULE", "---")]),
        ("- a\nb\n\nc", [("-", "TEXT", "a"), ("-", "TEXT", "b"), ("-", "BLANK", ""), ("", "TEXT", "c")]),
        ("> a\nb\n- c", [(">", "TEXT", "a"), (">", "TEXT", "b"), ("-", "TEXT", "c")]),
        ("a\n2. b", [("", "TEXT", "a"), ("", "TEXT", "2. b")]),
        ("1. a\n2. b", [(".", "TEXT", "a"), (".", "TEXT", "b")]),
        ("- a\n  - b\n    - c", [("-", "TEXT", "a"), ("--", "TEXT", "b"), ("---", "TEXT", "c")]),
        ("-\n\n  a", [("-", "BLANK", ""), ("", "BLANK", ""), ("", "TEXT", "a")]),
        ("-\ta\n\n\tb", [("-", "TEXT", "a"), ("-", "BLANK", ""), ("-", "TEXT", "b")]),
        ("```py\n\ta\n```", [("", "FENCE", "py"), ("", "FENCED", "\ta"), ("", "FENCE_END", "")]),
        ("````\n```\n````", [("", "FENCE", ""), ("", "FENCED", "```"), ("", "FENCE_END", "")]),
        ("- ~~~\n  a\nb", [("-", "FENCE", ""), ("-", "FENCED", "a"), ("", "TEXT", "b")]),
        ("> ```\n> a\nb", [(">", "FENCE", ""), (">", "FENCED", "a"), ("", "TEXT", "b")]),
        ("    a\na\n    b", [("", "INDENTED", "a"), ("", "TEXT", "a"), ("", "TEXT", "b")]),
        ("a|b\n-|-\nc", [("", "TEXT", "a|b"), ("", "TABLE_RULE", "-|-"), ("", "TABLE_ROW", "c")]),
        ("a|b\n-|-|-", [("", "TEXT", "a|b"), ("", "TEXT", "-|-|-")]),
    ],
)
def test_a_line_is_what_commonmark_says(markdown, expected):
    assert kinds(markdown) == expected


def test_the_prefix_puts_a_line_where_it_stands():
    """The mark of a point is part of its first line only."""
    lines = list(scan(["1.  > ```", "    > a"]))
    assert [line.prefix for line in lines] == ["1.  > ", "    > "]


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ("| a | b |", ["a", "b"]),
        ("a | b", ["a", "b"]),
        (r"| a \| b | c", [r"a \| b", "c"]),
        ("| | |", ["", ""]),
        (r"| a \\| b |", [r"a \\| b"]),
    ],
)
def test_cells_end_at_bars(row, cells):
    assert cells_of(row) == cells


@pytest.mark.parametrize("unit", ["> ", "- ", ">", "  - ", "| ", "#", "- - -x\n", "\t", " ", "1. ", "> - \n"])
def test_hostile_lines_take_linear_time(unit):
    """No containers stand deeper than the limit, and 200 KB are read in a moment."""
    started = time.process_time()
    lines = list(scan((unit * (200_000 // len(unit)) + "a").split("\n")))
    assert max(len(line.containers) for line in lines) <= MOST_CONTAINERS
    assert {line.kind for line in lines} <= set(LineKind)
    assert time.process_time() - started < 3
