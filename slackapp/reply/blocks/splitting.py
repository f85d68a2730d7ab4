"""Nodes cut into pieces that fit: at lines and sentences where there are any, else between characters."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace

from slackapp.reply.blocks.inline import Span
from slackapp.reply.blocks.markdown_nodes import (
    Code,
    Heading,
    Item,
    MarkdownList,
    Node,
    Paragraph,
    Quote,
    Rule,
    Spans,
    Table,
)
from slackapp.reply.blocks.slack_blocks import listed, size, width

MOST_ROWS = 100
MOST_COLUMNS = 20
LONGEST_CELL = 1_000
"""Slack's limits for a table; a cell beyond this is better read in a list."""

_ENDS = re.compile(r"\n|[\u3002\uff01\uff1f][\u300d\u300f\uff09]?|[.!?] |\u3001|, | ")
_JOINERS = "\u200d\ufe0e\ufe0f"


def pieces(node: Node, room: int) -> Iterator[Node]:
    """The node, in as many pieces as it takes for each to fit."""
    match node:
        case Table():
            yield from _table(node, room)
        case _ if size(node) <= room:
            yield node
        case Code():
            yield from (Code(text=text) for text in _lines(node.text, room))
        case MarkdownList():
            yield from (MarkdownList(items=items) for items in _items(node.items, room))
        case Rule():
            yield node
        case Heading() | Paragraph() | Quote():
            yield from (replace(node, spans=part) for part in _spans(node.spans, room))


def _table(table: Table, room: int) -> Iterator[Node]:
    """Tables with the header repeated, or a list where a table has no room for it."""
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


def _items(items: Sequence[Item], room: int) -> Iterator[tuple[Item, ...]]:
    taken: list[Item] = []
    used = 0
    for item in items:
        for part in _item(item, room):
            cost = width(part.spans) + 2
            if taken and used + cost > room:
                yield tuple(taken)
                taken, used = [], 0
            taken.append(part)
            used += cost
    yield tuple(taken)


def _item(item: Item, room: int) -> Iterator[Item]:
    """A point that alone is too long goes on in points of its own."""
    if width(item.spans) + 2 <= room:
        yield item
        return
    for part in _spans(item.spans, room - 2):
        yield replace(item, spans=part)


def _spans(spans: Spans, room: int) -> Iterator[Spans]:
    taken: list[Span] = []
    left = room
    for span in spans:
        rest = span
        while rest.text and rest.size > left:
            end = _end(rest.text, left - (rest.size - len(rest.text)), must=not taken)
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


def _end(text: str, room: int, *, must: bool) -> int:
    """Where to cut so that at most `room` characters come first; 0 for nowhere, unless it must be."""
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
    """Not between a character and what changes it: a mark, a joiner, a selector."""
    cut = end
    while cut > 1 and (_belongs_to_before(text[cut]) or text[cut - 1] == "\u200d"):
        cut -= 1
    return cut if cut > 1 else end


def _belongs_to_before(character: str) -> bool:
    return character in _JOINERS or bool(unicodedata.combining(character))


def _lines(text: str, room: int) -> Iterator[str]:
    """Code, cut between lines; a line that alone is too long, between characters."""
    taken: list[str] = []
    used = 0
    for line in (part for whole in text.split("\n") for part in _parts_of_line(whole, room)):
        if taken and used + len(line) + 1 > room:
            yield "\n".join(taken)
            taken, used = [], 0
        taken.append(line)
        used += len(line) + 1
    yield "\n".join(taken)


def _parts_of_line(line: str, room: int) -> Iterator[str]:
    while len(line) > room:
        end = _between_characters(line, room)
        yield line[:end]
        line = line[end:]
    yield line
