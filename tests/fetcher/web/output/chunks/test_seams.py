"""An oversized part falls apart at its own seams, the coarsest first."""

import pytest

from fetcher.web.output.chunks.outline import blocks
from fetcher.web.output.chunks.seams import divide
from fetcher.web.output.tokens import count


def divided(text: str, limit: int, room: int | None = None) -> list[str]:
    (block,) = blocks(text)
    return [text[part.start : part.end] for part in divide(text, block, room or limit, limit)]


def test_what_fits_stays_whole():
    """A part within the limit is not touched."""
    assert divided("One. Two.", 16) == ["One. Two."]


def test_a_list_parts_at_outer_items_before_inner_ones():
    """An item keeps its children unless it is itself too large."""
    small = "- a\n  - b"
    large = ["- " + "c " * 8, "  - " + "d " * 8, "    - e"]
    assert divided("\n".join([small, *large]), 16) == [small, *large]


def test_code_in_an_item_parts_at_lines():
    """Code inside an item is told from its prose."""
    item = "- " + "step " * 20 + "\n  ```\n  one. two.\n  three\n  ```"
    assert divided(item, 16)[-1] == "  ```\n  one. two.\n  three\n  ```"


def test_a_table_parts_at_rows():
    """A row that fits is never cut."""
    rows = [f"| {name} | one. two |" for name in "abcdef"]
    assert divided("\n".join(rows), 16) == rows


def test_the_first_part_may_be_given_less_room():
    """Headings before a block leave less for its first part; the others may fill the limit."""
    first, second = "a b c d e f g h.", "i j k l m n o p."
    assert divided(f"{first} {second}", 16, room=6)[-1] == second
    assert count(divided(f"{first} {second}", 16, room=6)[0]) <= 6


@pytest.mark.parametrize("text", ["x" * 500, "日本語" * 99, "😀" * 99, "# " + "y" * 500])
def test_text_without_any_seam_parts_between_characters(text):
    """What has neither sentences nor spaces still gets within the limit."""
    parts = divided(text, 16)
    assert "".join(parts) in (text, text.replace(" ", ""))
    assert all(count(part) <= 16 for part in parts)


def test_a_line_of_code_is_indivisible():
    """FR-WF-CHK-CODE-01: code parts at lines, the fences with the first and the last of them."""
    long = "x = 1; " * 20
    assert divided(f"```\n{long}\ny\nz\n```", 16) == [f"```\n{long}", "y", "z\n```"]


EMPTY = "```py\n```"


def test_the_lines_of_code_are_complete():
    """FR-WF-CHK-CODE-01: split at line boundaries only; an empty line is a line, and the fences stay."""
    assert divided("```\n" + "x " * 20 + "\n\ny\n```", 8) == ["```\n" + "x " * 20, "", "y\n```"]
    for code in (EMPTY, "```\nx\n```"):
        assert divided(code, 1) == [code]
    assert divided("```", 0) == ["```"]


def test_code_blocks_in_a_row_leave_nothing_between_them():
    """FR-WF-15b: each piece is a chunk of its own, so no piece is empty; what follows keeps its indent."""
    code = ["  ```\n  x\n  ```", "  ```\n  y\n  ```"]
    item = "- one step"
    assert divided("\n".join([item, *code, "  and so on"]), 9) == [item, *code, "  and so on"]


def test_a_line_of_one_character_is_a_line():
    """FR-WF-15b: nothing is lost between lines."""
    assert divided("word\n" * 9 + "x", 4)[-1] == "x"
    assert divided("x\n" + "word\n" * 9 + "end", 4)[0] == "x"
