"""Splits nodes into pieces that fit: at lines and sentences if possible, else between characters."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace

from slackapp.reply.blocks.markdown_nodes import (
    Code,
    Heading,
    Item,
    MarkdownList,
    Node,
    Paragraph,
    Quote,
    Rule,
    Table,
)
from slackapp.reply.blocks.slack_blocks import listed, size, width
from slackapp.reply.blocks.spans import Span, Spans

MOST_ROWS = 100
MOST_COLUMNS = 20
LONGEST_CELL = 1_000
LONGEST_TABLE = 10_000
"""Slack's limits for a table; a longer cell is easier to read in a list."""

_ENDS = re.compile(r"\n|[。！？][」』）]?|[.!?] |、|, | ")
_JOINERS = "\u200d\ufe0e\ufe0f"


def pieces(node: Node, room: int) -> Iterator[Node]:
    """The node in pieces, each of which fits."""
    match node:
        case Table():
            yield from _table_pieces(node, room)
        case _ if size(node) <= room:
            yield node
        case Code():
            yield from (Code(text=text) for text in _code_pieces(node.text, room))
        case MarkdownList():
            yield from (MarkdownList(items=items) for items in _item_groups(node.items, room))
        case Rule():
            yield node
        case Heading() | Paragraph() | Quote():
            yield from (replace(node, spans=part) for part in _span_groups(node.spans, room))


def _table_pieces(table: Table, room: int) -> Iterator[Node]:
    """Tables with the header repeated, or a list if a table does not fit."""
    room = min(room, LONGEST_TABLE)
    header = table.rows[0]
    head = sum(width(cell) + 1 for cell in header)
    cells = [width(cell) for row in table.rows for cell in row]
    rows = table.rows[1:]
    widest = max((sum(width(cell) + 1 for cell in row) for row in rows), default=0)
    if len(header) > MOST_COLUMNS or max(cells) > LONGEST_CELL or head + widest > room:
        yield from pieces(listed(table), room)
        return
    taken: list[tuple[Spans, ...]] = []
    used = head
    for row in rows:
        cost = sum(width(cell) + 1 for cell in row)
        if taken and (used + cost > room or len(taken) + 1 >= MOST_ROWS):
            yield replace(table, rows=(header, *taken))
            taken, used = [], head
        taken.append(row)
        used += cost
    yield replace(table, rows=(header, *taken))


def _item_groups(items: Sequence[Item], room: int) -> Iterator[tuple[Item, ...]]:
    taken: list[Item] = []
    used = 0
    for item in items:
        fits = width(item.spans) + 2 <= room
        # An item that alone is too long becomes several items.
        for spans in (item.spans,) if fits else _span_groups(item.spans, room - 2):
            cost = width(spans) + 2
            if taken and used + cost > room:
                yield tuple(taken)
                taken, used = [], 0
            taken.append(replace(item, spans=spans))
            used += cost
    yield tuple(taken)


def _span_groups(spans: Spans, room: int) -> Iterator[Spans]:
    taken: list[Span] = []
    left = room
    for span in spans:
        rest = span
        while rest.text and rest.size > left:
            end = _cut_position(rest.text, left - (rest.size - len(rest.text)), must=not taken)
            if end:
                taken.append(replace(rest, text=rest.text[:end]))
                rest = replace(rest, text=rest.text[end:])
            yield tuple(taken)
            taken, left = [], room
        if rest.text:
            taken.append(rest)
            left -= rest.size
    if taken:
        yield tuple(taken)


def _cut_position(text: str, room: int, *, must: bool) -> int:
    """Where to cut, after at most `room` characters; 0 for no good place, unless `must`."""
    room = min(max(room, 1 if must else 0), len(text))
    if room == len(text):
        return room
    ends = [found.end() for found in _ENDS.finditer(text, room // 2, room)]
    if ends:
        return ends[-1]
    if not must and room < 200:
        return 0
    return _between_characters(text, room)


def _between_characters(text: str, end: int) -> int:
    """Move the cut away from between a character and a mark, joiner or selector that changes it."""
    cut = end
    while cut > 1 and (
        text[cut] in _JOINERS or unicodedata.combining(text[cut]) or text[cut - 1] == "\u200d"
    ):
        cut -= 1
    return cut if cut > 1 else end


def _code_pieces(text: str, room: int) -> Iterator[str]:
    """Code, cut between lines; a line that alone is too long is cut between characters."""
    lines: list[str] = []
    for line in text.split("\n"):
        rest = line
        while len(rest) > room:
            end = _between_characters(rest, room)
            lines.append(rest[:end])
            rest = rest[end:]
        lines.append(rest)
    taken: list[str] = []
    used = 0
    for line in lines:
        if taken and used + len(line) + 1 > room:
            yield "\n".join(taken)
            taken, used = [], 0
        taken.append(line)
        used += len(line) + 1
    yield "\n".join(taken)
