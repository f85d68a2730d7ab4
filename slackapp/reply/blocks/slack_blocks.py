"""Nodes as Slack's blocks: `rich_text` for words, `header` for headings, `table` for tables.

What `rich_text` takes: https://docs.slack.dev/reference/block-kit/blocks/rich-text-block (`offset`, `border`)
and `@slack/types` of Slack's SDK for Node (`indent` from 0 to 8, `border` as a quote's line).
"""

from collections.abc import Iterable, Sequence
from typing import Any

from slackapp.reply.blocks.inline import Span, joined
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
    bold,
)

Block = dict[str, Any]

LONGEST_HEADER = 150
HEADER_LEVELS = 2
"""Deeper headings are bold lines: Slack has one size for headers."""
BORDER: Block = {"border": 1}
"""A quote's line beside a list, code or another quote: `RichTextBorderable` of `@slack/types`."""


def block(node: Node) -> Block:
    """How Slack shows a node."""
    match node:
        case Heading():
            return _heading(node)
        case MarkdownList():
            return rich_text(*_lists(node))
        case Quote():
            return rich_text(_bordered("rich_text_quote", _elements(node.spans), border=node.nested))
        case Code():
            elements = [{"type": "text", "text": node.text or " "}]
            return rich_text(_bordered("rich_text_preformatted", elements, border=node.quoted))
        case Table():
            return _table(node)
        case Rule():
            return {"type": "divider"}
        case Paragraph():
            return rich_text(section(node.spans))


def _bordered(kind: str, elements: list[Block], *, border: bool) -> Block:
    shape: Block = {"type": kind, "elements": elements}
    return shape | (BORDER if border else {})


def rich_text(*elements: Block) -> Block:
    return {"type": "rich_text", "elements": list(elements)}


def section(spans: Iterable[Span]) -> Block:
    return {"type": "rich_text_section", "elements": _elements(spans)}


def note(text: str) -> Block:
    """A small line that is no part of an answer."""
    return {"type": "context", "elements": [{"type": "plain_text", "text": text, "emoji": False}]}


def _elements(spans: Iterable[Span]) -> list[Block]:
    """Slack refuses an empty list and an empty text."""
    return [span.element() for span in spans] or [{"type": "text", "text": " "}]


def _heading(node: Heading) -> Block:
    text = "".join(span.text for span in node.spans).replace("\n", " ")
    plain = not any(span.url or span.code for span in node.spans)
    if node.level <= HEADER_LEVELS and plain and 0 < len(text.strip()) <= LONGEST_HEADER:
        return {"type": "header", "text": {"type": "plain_text", "text": text, "emoji": False}}
    return rich_text(section(bold(node.spans or (Span(text=" "),))))


def _lists(listing: MarkdownList) -> list[Block]:
    """A `rich_text_list` for each run of points of one kind and depth whose numbers follow each other."""
    return [_list(run) | (BORDER if listing.quoted else {}) for run in _runs(listing.items)]


def _list(run: Sequence[Item]) -> Block:
    number = run[0].number
    shape: Block = {
        "type": "rich_text_list",
        "style": "ordered" if number else "bullet",
        "indent": run[0].depth,
        "elements": [section(_numbered(item)) for item in run],
    }
    return shape | ({"offset": number - 1} if number and number > 1 else {})


def _numbered(item: Item) -> Spans:
    """Slack counts from 1: a point 0 is a bullet that says so."""
    return joined((Span(text="0. "), *item.spans)) if item.number == 0 else item.spans


def _runs(items: Sequence[Item]) -> list[list[Item]]:
    runs: list[list[Item]] = []
    for item in items:
        last = runs[-1][-1] if runs else None
        if last is not None and last.depth == item.depth and _follows(last.number, item.number):
            runs[-1].append(item)
        else:
            runs.append([item])
    return runs


def _follows(last: int | None, number: int | None) -> bool:
    return not number if not last else number == last + 1


def _table(node: Table) -> Block:
    header, *rows = node.rows
    return {
        "type": "table",
        "rows": [[rich_text(section(cell)) for cell in row] for row in (map(bold, header), *rows)],
        "column_settings": [{"align": align, "is_wrapped": True} for align in node.aligns],
    }


def listed(table: Table) -> MarkdownList:
    """A table as a list, where Slack has no room for it: a point a row, its cells by the columns' names."""
    header, *rows = table.rows
    points = []
    for row in rows or [header]:
        points.append(Item(spans=bold(row[0]) or (Span(text="-"),)))
        points += [
            Item(spans=(*name, Span(text=": "), *cell), depth=1)
            for name, cell in zip(header[1:], row[1:], strict=True)
            if cell
        ]
    return MarkdownList(items=tuple(points))


def width(spans: Spans) -> int:
    return sum(span.size for span in spans)


def size(node: Node) -> int:
    """What a node takes of a message's room."""
    match node:
        case Code():
            return len(node.text)
        case MarkdownList():
            return sum(width(item.spans) + 2 for item in node.items)
        case Table():
            return sum(width(cell) + 1 for row in node.rows for cell in row)
        case Rule():
            return 1
    return width(node.spans)
