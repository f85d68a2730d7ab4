"""Turns the agent's answer into messages for Slack: split if it is too long, never cut.

Later parts say so above their text; notes, sources and the feedback buttons are under the last part.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from fetcher import wording as engine_wording
from slackapp import wording
from slackapp.listeners.incoming import FEEDBACK_ACTION
from slackapp.reply.blocks.allowed_links import with_links_only_to
from slackapp.reply.blocks.markdown_nodes import Heading, Item, MarkdownList, Node, Paragraph, Table, parse
from slackapp.reply.blocks.slack_blocks import block, listed, note, plain, size
from slackapp.reply.blocks.spans import Span
from slackapp.reply.blocks.splitting import pieces
from slackapp.slack.message import Message, MessageKind, escaped
from slackapp.thread.slack_text import encodable

if TYPE_CHECKING:
    from fetcher.agent import Answer

GOOD, BAD = "good", "bad"
LONGEST_TEXT = 3_000
"""Characters of a text beside blocks; `chat.update` accepts at most 4,000."""
JOINED_LENGTH = 1_000
"""The longest block of joined short paragraphs."""
MOST_SOURCES = 30
LONGEST_QUOTE = 500
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageLimits:
    """How much goes into one message."""

    room: int
    """Characters; Slack has refused 11,341, and accepted 9,597 (bolt-js#2867)."""
    blocks: int = 40
    """Slack accepts 50; the rest is for the blocks around the answer."""
    tables: bool = True
    """Whether tables may be table blocks; Slack accepts one in a message."""
    rich: bool = True
    """False for text without blocks, if Slack refuses blocks."""
    steps: bool = False
    """Whether the steps are shown; they are left out first, if Slack refuses something."""


LIMITS = (
    MessageLimits(room=10_000, steps=True),
    MessageLimits(room=4_000),
    MessageLimits(room=2_500, rich=False, tables=False),
    MessageLimits(room=700, rich=False, tables=False),
)
"""From what reads best to what Slack certainly accepts; each is tried when Slack refused the one before."""
EPHEMERAL_LIMITS = MessageLimits(room=10_000, tables=False)
"""A response URL may be used five times only, so no table may begin a new message."""


def messages(
    answer: "Answer", limits: MessageLimits = LIMITS[0], steps: Sequence[str] = ()
) -> tuple[Message, ...]:
    """The answer's messages, in order; at least one. The steps that were taken stand under the last."""
    from fetcher.agent import links_of

    parts = list(_packed(_with_joined_paragraphs(list(_nodes(answer)), limits), limits))
    total = len(parts)
    below = [steps_block(steps)] if steps and limits.steps else []
    below += [feedback_buttons()] if answer.answered else []
    allowed = links_of(answer)
    built = []
    for number, part in enumerate(parts, start=1):
        above = [wording.continued(number, total)] if number > 1 else []
        text = "\n\n".join([*above, *map(plain, part)])
        blocks: list[dict[str, Any]] = []
        if limits.rich:
            blocks = [*map(note, above), *map(block, part), *(below if number == total else ())]
            if len(text) > LONGEST_TEXT:  # whole lines, so that no link and no escape is cut
                beginning = text[: text.rfind("\n", 0, LONGEST_TEXT) + 1].rstrip()
                text = f"{beginning}\n…" if beginning else wording.long_answer()
        message = Message(text=text, blocks=tuple(blocks), kind=MessageKind.ANSWER)
        built.append(with_links_only_to(allowed, message))
    return tuple(built)


def _nodes(answer: "Answer") -> Iterator[Node]:
    text = _cleaned(answer.text).rstrip().lstrip("\n") or wording.failed()
    nodes = parse(text, {source.number: source.url for source in answer.sources})
    says_something = any(plain(node).strip() for node in nodes)  # an empty quote or heading does not
    yield from nodes if says_something else [Paragraph(spans=(Span(text=text),))]
    for sentence in answer.undone:
        yield Paragraph(spans=(Span(text=wording.remark(_cleaned(sentence)), italic=True),))
    if answer.searches:
        yield Paragraph(spans=(Span(text=_cleaned(engine_wording.searched(answer.searches)), italic=True),))
    if answer.sources:
        yield Heading(level=3, spans=(Span(text=wording.sources_heading()),))
        items = []
        for source in answer.sources[:MOST_SOURCES]:
            title = " ".join(_cleaned(source.title).split()) or wording.source_without_title()
            host = urlsplit(source.url).hostname or ""
            shown = (Span(text=title, url=source.url), Span(text=f" ({host})"))
            spans = shown if host and host not in title else shown[:1]
            items.append(Item(spans=spans, number=source.number))
        if (left := len(answer.sources) - MOST_SOURCES) > 0:
            items.append(Item(spans=(Span(text=wording.more_sources(left)),)))
        yield MarkdownList(items=tuple(items))


def _with_joined_paragraphs(nodes: Sequence[Node], limits: MessageLimits) -> Sequence[Node]:
    """Join short paragraphs if there are more nodes than a message has blocks."""
    if len(nodes) <= limits.blocks:
        return nodes
    joined: list[Node] = []
    used = JOINED_LENGTH
    for node in nodes:
        last = joined[-1] if joined else None
        used += size(node)
        if isinstance(node, Paragraph) and isinstance(last, Paragraph) and used < JOINED_LENGTH:
            joined[-1] = Paragraph(spans=(*last.spans, Span(text="\n\n"), *node.spans))
        else:
            joined.append(node)
            used = size(node)
    return joined


def _cleaned(text: str) -> str:
    """Text that JSON can carry, without control characters."""
    return _CONTROL.sub("", encodable(text.replace("\r\n", "\n").replace("\r", "\n")))


def _packed(nodes: Iterable[Node], limits: MessageLimits) -> Iterator[list[Node]]:
    """The nodes of each message; a heading stays with the node after it."""
    flat = (listed(node) if isinstance(node, Table) and not limits.tables else node for node in nodes)
    part: list[Node] = []
    for node in (piece for whole in flat for piece in pieces(whole, limits.room)):
        second_table = isinstance(node, Table) and any(isinstance(other, Table) for other in part)
        full = len(part) >= limits.blocks or sum(map(size, part)) + size(node) > limits.room
        if part and (second_table or full):
            moved = [part.pop()] if len(part) > 1 and isinstance(part[-1], Heading) else []
            yield part
            part = moved
        part.append(node)
    if part:
        yield part


def steps_block(steps: Sequence[str]) -> dict[str, Any]:
    """The steps as a list that is collapsed until a user opens it."""
    lines = "\n".join(f"• {_cleaned(step)}" for step in steps)
    return {
        "type": "container",
        "title": {"type": "plain_text", "text": wording.steps_title(len(steps)), "emoji": False},
        "is_collapsible": True,
        "default_collapsed": True,
        "child_blocks": [{"type": "section", "text": {"type": "plain_text", "text": lines, "emoji": False}}],
    }


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
        "positive_button": button(wording.feedback_good(), GOOD),
        "negative_button": button(wording.feedback_bad(), BAD),
    }
    return {"type": "context_actions", "elements": [buttons]}


def root_message(user: str, question: str) -> Message:
    """The first message of a command's thread: the asker, and the beginning of the question."""
    quoted = question if len(question) <= LONGEST_QUOTE else f"{question[:LONGEST_QUOTE]}…"
    lines = escaped(_cleaned(quoted)).replace("\n", "\n>")
    return Message(text=wording.command_root(user, lines), kind=MessageKind.ROOT)
