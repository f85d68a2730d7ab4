"""Nodes as text for where there are no blocks: notifications, search, and Slack refusing what we made."""

from slackapp.reply.blocks.inline import Span
from slackapp.reply.blocks.markdown_nodes import Code, Item, MarkdownList, Node, Rule, Spans, Table
from slackapp.reply.blocks.slack_blocks import listed
from slackapp.slack.message import escaped


def plain(node: Node) -> str:
    """A node in Slack's own text format, everything of others escaped."""
    match node:
        case Code():
            return f"```\n{escaped(node.text)}\n```"
        case MarkdownList():
            return "\n".join(map(_item, node.items))
        case Table():
            return plain(listed(node))
        case Rule():
            return "---"
    return _line(node.spans)


def _item(item: Item) -> str:
    mark = "\u2022" if item.number is None else f"{item.number}."
    return f"{'    ' * item.depth}{mark} {_line(item.spans)}"


def _line(spans: Spans) -> str:
    return "".join(map(_span, spans))


def _span(span: Span) -> str:
    if span.url and span.text != span.url:
        label = escaped(span.text).replace("|", "/").replace("\n", " ")  # no link spans lines
        return f"<{_target(span.url)}|{label}>"
    return f"<{_target(span.url)}>" if span.url else escaped(span.text)


def _target(url: str) -> str:
    return escaped(url).replace("|", "%7C")
