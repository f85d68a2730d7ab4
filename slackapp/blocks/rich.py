"""Nodes as Slack's blocks: `rich_text` for words, `header` for headings, `table` for tables."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any, TypeVar

from slackapp.blocks.inline import Span
from slackapp.blocks.nodes import Code, Heading, Item, Listing, Node, Paragraph, Quote, Rule, Spans, Table

Block = dict[str, Any]

LONGEST_HEADER = 150
HEADER_LEVELS = 2
"""Deeper headings are bold lines: Slack has one size for headers."""

N = TypeVar("N")


def block(node: Node) -> Block:
    """How Slack shows a node."""
    match node:
        case Heading():
            return _heading(node)
        case Listing():
            return rich_text(*_lists(node.items))
        case Quote():
            return rich_text({"type": "rich_text_quote", "elements": _elements(node.spans)})
        case Code():
            text = node.text or " "
            return rich_text({"type": "rich_text_preformatted", "elements": [{"type": "text", "text": text}]})
        case Table():
            return _table(node)
        case Rule():
            return {"type": "divider"}
        case Paragraph():
            return rich_text(section(node.spans))


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
    text = "".join(span.text for span in node.spans)
    plain = not any(span.url or span.code for span in node.spans)
    if node.level <= HEADER_LEVELS and plain and 0 < len(text.strip()) <= LONGEST_HEADER:
        return {"type": "header", "text": {"type": "plain_text", "text": text, "emoji": False}}
    elements = [span.element() for span in node.spans] or [{"type": "text", "text": " "}]
    bold = [element | {"style": element.get("style", {}) | {"bold": True}} for element in elements]
    return rich_text({"type": "rich_text_section", "elements": bold})


def _lists(items: Sequence[Item]) -> list[Block]:
    """A `rich_text_list` for each run of points of one kind and depth, numbers going on where they do."""
    runs: list[Block] = []
    for run in _runs(items):
        first = run[0]
        shape: Block = {
            "type": "rich_text_list",
            "style": "bullet" if first.number is None else "ordered",
            "indent": first.depth,
            "elements": [section(item.spans) for item in run],
        }
        if first.number is not None and first.number > 1:
            shape["offset"] = first.number - 1
        runs.append(shape)
    return runs


def _runs(items: Sequence[Item]) -> list[list[Item]]:
    return _grouped(items, lambda item: (item.depth, item.number is None))


def _grouped(items: Sequence[N], key: Callable[[N], Any]) -> list[list[N]]:
    return [list(group) for _, group in groupby(items, key=key)]


def _table(node: Table) -> Block:
    header, *rows = node.rows
    bold = tuple(tuple(_bold(span) for span in cell) for cell in header)
    return {
        "type": "table",
        "rows": [[rich_text(section(cell)) for cell in row] for row in (bold, *rows)],
        "column_settings": [{"align": align, "is_wrapped": True} for align in node.aligns],
    }


def _bold(span: Span) -> Span:
    return Span(
        text=span.text, bold=True, italic=span.italic, strike=span.strike, code=span.code, url=span.url
    )


def listed(table: Table) -> Listing:
    """A table as a list, where Slack has no room for it: a point a row, its cells by the columns' names."""
    header, *rows = table.rows
    points = []
    for row in rows or [header]:
        points.append(Item(spans=tuple(_bold(span) for span in row[0]) or (Span(text="-"),)))
        points += [
            Item(spans=(*name, Span(text=": "), *cell), depth=1)
            for name, cell in zip(header[1:], row[1:], strict=True)
            if cell
        ]
    return Listing(items=tuple(points))


def width(spans: Spans) -> int:
    return sum(span.size for span in spans)


def size(node: Node) -> int:
    """What a node takes of a message's room."""
    match node:
        case Code():
            return len(node.text)
        case Listing():
            return sum(width(item.spans) + 2 for item in node.items)
        case Table():
            return sum(width(cell) + 1 for row in node.rows for cell in row)
        case Rule():
            return 1
    return width(node.spans)
