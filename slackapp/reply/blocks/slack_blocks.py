"""Nodes as Slack shows them: as blocks, and as text where blocks are not shown.

`rich_text` is for words, `header` for headings, `table` for tables.

For `rich_text` see https://docs.slack.dev/reference/block-kit/blocks/rich-text-block (`offset`, `border`)
and `@slack/types` of Slack's SDK for Node (`indent` from 0 to 8, `border` as a quote's line).
"""

from collections.abc import Iterable
from typing import Any

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
    bold,
)
from slackapp.reply.blocks.spans import Span, Spans, joined
from slackapp.slack.message import escaped

Block = dict[str, Any]

LONGEST_HEADER = 150
HEADER_LEVELS = 2
"""Deeper headings are bold lines: Slack has one size for headers."""
BORDER: Block = {"border": 1}
"""The line of a quote beside a list, code or another quote: `RichTextBorderable` of `@slack/types`."""


def block(node: Node) -> Block:
    """The block that shows a node."""
    match node:
        case Heading():
            text = "".join(span.text for span in node.spans).replace("\n", " ")
            is_plain = not any(span.url or span.code for span in node.spans)
            if node.level <= HEADER_LEVELS and is_plain and 0 < len(text.strip()) <= LONGEST_HEADER:
                return {"type": "header", "text": {"type": "plain_text", "text": text, "emoji": False}}
            return rich_text(section(bold(node.spans or (Span(text=" "),))))
        case MarkdownList():
            return rich_text(*_lists(node))
        case Quote():
            quote = {"type": "rich_text_quote", "elements": _elements(node.spans)}
            return rich_text(quote | (BORDER if node.nested else {}))
        case Code():
            elements = [{"type": "text", "text": node.text or " "}]
            code: Block = {"type": "rich_text_preformatted", "elements": elements}
            return rich_text(code | (BORDER if node.quoted else {}))
        case Table():
            header, *rows = node.rows
            return {
                "type": "table",
                "rows": [[rich_text(section(cell)) for cell in row] for row in (map(bold, header), *rows)],
                "column_settings": [{"align": align, "is_wrapped": True} for align in node.aligns],
            }
        case Rule():
            return {"type": "divider"}
        case Paragraph():
            return rich_text(section(node.spans))


def rich_text(*elements: Block) -> Block:
    return {"type": "rich_text", "elements": list(elements)}


def section(spans: Iterable[Span]) -> Block:
    return {"type": "rich_text_section", "elements": _elements(spans)}


def note(text: str) -> Block:
    """A small line beside an answer."""
    return {"type": "context", "elements": [{"type": "plain_text", "text": text, "emoji": False}]}


def _elements(spans: Iterable[Span]) -> list[Block]:
    """Slack refuses an empty list and an empty text."""
    return [span.element() for span in spans] or [{"type": "text", "text": " "}]


def _lists(listing: MarkdownList) -> list[Block]:
    """A `rich_text_list` for each run of items of one kind and depth whose numbers follow each other."""
    lists: list[Block] = []
    last: Item | None = None
    for item in listing.items:
        follows = last and (item.number == last.number + 1 if last.number else not item.number)
        if last is None or not follows or last.depth != item.depth:
            shape: Block = {"type": "rich_text_list", "style": "ordered" if item.number else "bullet"}
            shape |= {"indent": item.depth, "elements": []}
            if item.number and item.number > 1:
                shape["offset"] = item.number - 1
            lists.append(shape | (BORDER if listing.quoted else {}))
        # Slack counts from 1: an item 0 is a bullet with the text "0."
        words = joined((Span(text="0. "), *item.spans)) if item.number == 0 else item.spans
        lists[-1]["elements"].append(section(words))
        last = item
    return lists


def listed(table: Table) -> MarkdownList:
    """A table as a list, if Slack cannot show it: an item for each row, its cells with the columns' names."""
    header, *rows = table.rows
    items = []
    for row in rows or [header]:
        items.append(Item(spans=bold(row[0]) or (Span(text="-"),)))
        items += [
            Item(spans=(*name, Span(text=": "), *cell), depth=1)
            for name, cell in zip(header[1:], row[1:], strict=True)
            if cell
        ]
    return MarkdownList(items=tuple(items))


def plain(node: Node) -> str:
    """A node in Slack's own text format, escaped: for notifications and search, and if blocks are refused."""
    match node:
        case Code():
            return f"```\n{escaped(node.text)}\n```"
        case MarkdownList():
            marks = ["•" if item.number is None else f"{item.number}." for item in node.items]
            return "\n".join(
                f"{'    ' * item.depth}{mark} {_line(item.spans)}"
                for mark, item in zip(marks, node.items, strict=True)
            )
        case Table():
            return plain(listed(node))
        case Rule():
            return "---"
    return _line(node.spans)


def _line(spans: Spans) -> str:
    texts = []
    for span in spans:
        text, target = escaped(span.text), escaped(span.url).replace("|", "%7C")
        if span.url and span.text != span.url:
            label = text.replace("|", "/").replace("\n", " ")  # a link must not contain a line break
            text = f"<{target}|{label}>"
        elif span.url:
            text = f"<{target}>"
        texts.append(text)
    return "".join(texts)


def width(spans: Spans) -> int:
    return sum(span.size for span in spans)


def size(node: Node) -> int:
    """A node's share of a message's length."""
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
