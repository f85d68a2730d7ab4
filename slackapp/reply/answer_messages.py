"""From the agent's answer to messages for Slack: split where they must be, never cut.

Later parts say so above their text; notes, sources and the feedback buttons stand under the last part.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from slackapp import messages_ja
from slackapp.reply.blocks.allowed_links import with_links_only_to
from slackapp.reply.blocks.inline import Span
from slackapp.reply.blocks.markdown_nodes import Heading, Item, MarkdownList, Node, Paragraph, Table, parse
from slackapp.reply.blocks.plain_text import plain
from slackapp.reply.blocks.slack_blocks import block, listed, note, size
from slackapp.reply.blocks.splitting import pieces
from slackapp.slack.message import Message, MessageKind, escaped
from slackapp.thread.slack_text import sayable

if TYPE_CHECKING:
    from fetcher.agent import Answer, Source

FEEDBACK_ACTION = "feedback"
GOOD, BAD = "good", "bad"
LONGEST_TEXT = 3_000
"""What a text beside blocks may have; `chat.update` takes at most 4,000 characters of it."""
GATHERED = 1_000
"""How long a block of short paragraphs may become."""
MOST_SOURCES = 30
LONGEST_QUOTE = 500
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageLimits:
    """How much goes into one message."""

    room: int
    """In characters, of at most about 13,000 that Slack takes."""
    blocks: int = 40
    """Of 50, with room for what stands around the answer."""
    tables: bool = True
    """Whether tables may be tables; Slack takes one a message."""
    rich: bool = True
    """False for text alone, should Slack refuse our blocks."""


SHAPES = (
    MessageLimits(room=10_000),
    MessageLimits(room=4_000),
    MessageLimits(room=2_500, rich=False, tables=False),
    MessageLimits(room=700, rich=False, tables=False),
)
"""From what reads best to what Slack is sure to take: each is for when it refused the one before."""
WHISPERED = MessageLimits(room=10_000, tables=False)
"""A response URL may be used five times only, so that no table may begin a message of its own."""


def messages(answer: "Answer", shape: MessageLimits = SHAPES[0]) -> tuple[Message, ...]:
    """The answer's messages, in order; at least one."""
    parts = list(_packed(_gathered(list(_nodes(answer)), shape), shape))
    total = len(parts)
    from fetcher.agent import links_of

    allowed = links_of(answer)
    return tuple(
        with_links_only_to(
            allowed, _message(part, number, total, shape, feedback=answer.answered and number == total)
        )
        for number, part in enumerate(parts, start=1)
    )


def _nodes(answer: "Answer") -> Iterator[Node]:
    text = _sound(answer.text).rstrip().lstrip("\n") or messages_ja.failed()
    nodes = parse(text, {source.number: source.url for source in answer.sources})
    says_something = any(plain(node).strip() for node in nodes)  # an empty quote or heading does not
    yield from nodes if says_something else [Paragraph(spans=(Span(text=text),))]
    for sentence in answer.undone:
        yield Paragraph(spans=(Span(text=f"\u203b {_sound(sentence)}", italic=True),))
    if answer.sources:
        yield Heading(level=3, spans=(Span(text=messages_ja.sources_heading()),))
        yield MarkdownList(items=tuple(_sources(answer.sources)))


def _gathered(nodes: Sequence[Node], shape: MessageLimits) -> Sequence[Node]:
    """Short paragraphs in one block, where there are more than a message has blocks."""
    if len(nodes) <= shape.blocks:
        return nodes
    gathered: list[Node] = []
    used = GATHERED
    for node in nodes:
        last = gathered[-1] if gathered else None
        used += size(node)
        if isinstance(node, Paragraph) and isinstance(last, Paragraph) and used < GATHERED:
            gathered[-1] = Paragraph(spans=(*last.spans, Span(text="\n\n"), *node.spans))
        else:
            gathered.append(node)
            used = size(node)
    return gathered


def _sound(text: str) -> str:
    """Text that JSON can carry, without control characters."""
    return _CONTROL.sub("", sayable(text.replace("\r\n", "\n").replace("\r", "\n")))


def _sources(sources: Sequence["Source"]) -> Iterator[Item]:
    for source in sources[:MOST_SOURCES]:
        title = " ".join(_sound(source.title).split()) or messages_ja.source_without_title()
        host = urlsplit(source.url).hostname or ""
        shown = (Span(text=title, url=source.url), Span(text=f" ({host})"))
        yield Item(spans=shown if host and host not in title else shown[:1], number=source.number)
    if (left := len(sources) - MOST_SOURCES) > 0:
        yield Item(spans=(Span(text=messages_ja.more_sources(left)),))


def _packed(nodes: Iterable[Node], shape: MessageLimits) -> Iterator[list[Node]]:
    """Nodes by message; a heading goes with what follows it."""
    part: list[Node] = []
    for node in _fitting(nodes, shape):
        if part and not _fits(part, node, shape):
            moved = [part.pop()] if len(part) > 1 and isinstance(part[-1], Heading) else []
            yield part
            part = moved
        part.append(node)
    if part:
        yield part


def _fitting(nodes: Iterable[Node], shape: MessageLimits) -> Iterator[Node]:
    for node in nodes:
        flat = listed(node) if isinstance(node, Table) and not shape.tables else node
        yield from pieces(flat, shape.room)


def _fits(part: Sequence[Node], node: Node, shape: MessageLimits) -> bool:
    one_table = not (isinstance(node, Table) and any(isinstance(other, Table) for other in part))
    return one_table and len(part) < shape.blocks and sum(map(size, part)) + size(node) <= shape.room


def _message(
    nodes: Sequence[Node], number: int, total: int, shape: MessageLimits, *, feedback: bool
) -> Message:
    above = [messages_ja.continued(number, total)] if number > 1 else []
    text = "\n\n".join([*above, *map(plain, nodes)])
    if not shape.rich:
        return Message(text=text, sort=MessageKind.ANSWER)
    blocks = [*map(note, above), *map(block, nodes), *([feedback_buttons()] if feedback else [])]
    return Message(text=_shortened(text), blocks=tuple(blocks), sort=MessageKind.ANSWER)


def _shortened(text: str) -> str:
    """The text for notifications; whole lines, so that no link and no escape is cut."""
    if len(text) <= LONGEST_TEXT:
        return text
    kept = text[: text.rfind("\n", 0, LONGEST_TEXT) + 1].rstrip()
    return f"{kept}\n\u2026" if kept else messages_ja.long_answer()


def feedback_buttons() -> dict[str, Any]:
    def button(text: str, value: str) -> dict[str, Any]:
        return {
            "text": {"type": "plain_text", "text": text},
            "accessibility_label": text,
            "value": value,
        }

    buttons = {
        "type": "feedback_buttons",
        "action_id": FEEDBACK_ACTION,
        "positive_button": button(messages_ja.feedback_good(), GOOD),
        "negative_button": button(messages_ja.feedback_bad(), BAD),
    }
    return {"type": "context_actions", "elements": [buttons]}


def root(user: str, question: str) -> Message:
    """The message that a command's thread hangs on: who asks, and the beginning of what."""
    quoted = question if len(question) <= LONGEST_QUOTE else f"{question[:LONGEST_QUOTE]}\u2026"
    lines = escaped(_sound(quoted)).replace("\n", "\n>")
    return Message(text=messages_ja.command_root(user, lines), sort=MessageKind.ROOT)
