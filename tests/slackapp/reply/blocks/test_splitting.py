"""Nodes cut into pieces that fit."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackapp.reply.blocks.markdown_nodes import Code, Item, MarkdownList, Paragraph, Table, parse
from slackapp.reply.blocks.slack_blocks import size
from slackapp.reply.blocks.spans import Span
from slackapp.reply.blocks.splitting import pieces


def paragraph(text):
    return Paragraph(spans=(Span(text=text),))


def text_of(node):
    return "".join(span.text for span in node.spans)


def test_what_fits_stays_whole():
    node = paragraph("短い")
    assert list(pieces(node, 100)) == [node]


def test_a_paragraph_is_cut_after_a_sentence():
    """Each piece ends where a reader would pause."""
    cut = [text_of(piece) for piece in pieces(paragraph("一文目です。" * 50), 100)]
    assert all(text.endswith("。") and len(text) <= 100 for text in cut)
    assert "".join(cut) == "一文目です。" * 50


@given(text=st.text(min_size=1, max_size=400), room=st.integers(min_value=10, max_value=90))
def test_nothing_is_lost_and_everything_fits(text, room):
    """The joined pieces of any text are that text."""
    cut = [text_of(piece) for piece in pieces(paragraph(text), room)]
    assert "".join(cut) == text
    assert all(0 < len(each) <= room for each in cut)


def test_no_character_is_torn_from_what_belongs_to_it():
    """A family of emoji, or a kana with its mark, is not cut in two."""
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    cut = [text_of(piece) for piece in pieces(paragraph("あ" * 8 + family + "か\u3099" * 8), 11)]
    assert not any(each[0] in "\u200d\u3099" for each in cut)
    assert not any(each.endswith("\u200d") for each in cut)


def test_styles_and_links_go_on_in_the_next_piece():
    node = Paragraph(spans=(Span(text="x" * 30, bold=True, url="https://a.example/"),))
    cut: list[Any] = list(pieces(node, 40))
    assert len(cut) > 1
    assert all(piece.spans[0].bold and piece.spans[0].url for piece in cut)


def test_a_link_longer_than_there_is_room_comes_to_an_end():
    """Each piece carries the whole target, so that none fits; all of the words are there."""
    node = Paragraph(spans=(Span(text="words", url="https://a.example/" + "x" * 90),))
    assert "".join(map(text_of, pieces(node, 40))) == "words"


def test_code_is_cut_between_lines_and_only_a_long_line_inside():
    """Every piece is code of its own: a fence that is closed is opened again."""
    text = "\n".join(f"line {number}" for number in range(50)) + "\n" + "y" * 250
    cut: list[Any] = list(pieces(Code(text=text), 100))
    assert all(isinstance(piece, Code) and len(piece.text) <= 100 for piece in cut)
    assert "".join(piece.text.replace("\n", "") for piece in cut) == text.replace("\n", "")
    assert all(piece.text.split("\n")[0].startswith(("line", "y")) for piece in cut)


def test_lists_are_cut_between_points():
    listing = MarkdownList(items=tuple(Item(spans=(Span(text=f"点{n}"),), number=n) for n in range(1, 31)))
    cut: list[Any] = list(pieces(listing, 50))
    assert [item.number for piece in cut for item in piece.items] == list(range(1, 31))
    assert all(size(piece) <= 50 for piece in cut)


def test_a_point_that_is_too_long_goes_on():
    cut: list[Any] = list(pieces(MarkdownList(items=(Item(spans=(Span(text="z" * 250),)),)), 100))
    assert "".join(span.text for piece in cut for item in piece.items for span in item.spans) == "z" * 250


def test_long_tables_repeat_their_header():
    """Slack takes 100 rows: no row is lost, and every piece says what its columns are."""
    rows = "\n".join(f"| {number} | 値 |" for number in range(250))
    cut: list[Any] = list(pieces(parse(f"| 番号 | 値 |\n|---|---|\n{rows}")[0], 10_000))
    assert [len(piece.rows) for piece in cut] == [100, 100, 53]
    assert all(piece.rows[0] == cut[0].rows[0] for piece in cut)


@pytest.mark.parametrize(
    "markdown",
    [
        "|" + " a |" * 21 + "\n|" + "---|" * 21 + "\n|" + " 1 |" * 21,
        "| a | b |\n|---|---|\n| 1 | " + "長" * 1_500 + " |",
    ],
)
def test_tables_that_slack_cannot_show_become_lists(markdown):
    """Too many columns or too long a cell: a point a row, each cell under its column's name."""
    assert all(isinstance(piece, MarkdownList) for piece in pieces(parse(markdown)[0], 10_000))


def test_a_table_of_a_header_alone_stays_a_table():
    assert isinstance(next(pieces(parse("| a | b |\n|---|---|")[0], 1_000)), Table)
