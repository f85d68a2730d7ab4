"""Nodes as text, where blocks are not shown: notifications, search, and when Slack refuses the blocks."""

from slackapp.reply.blocks.markdown_nodes import Code, MarkdownList, Node, Rule, Spans, Table
from slackapp.reply.blocks.slack_blocks import listed
from slackapp.slack.message import escaped


def plain(node: Node) -> str:
    """A node in Slack's own text format, with its text escaped."""
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
