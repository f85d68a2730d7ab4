"""An answer in Markdown, as whatever wrote it may have written it."""

import re
from collections.abc import Iterator
from itertools import chain

from fetcher.agent import Answer, Source
from slackapp.playground.webapi import block_rules as slacks_rules
from slackapp.reply.answer_messages import EPHEMERAL_LIMITS, LIMITS, messages, root_message
from slackapp.reply.blocks.markdown_nodes import Code, MarkdownList, Node, Rule, Table, parse
from slackapp.reply.blocks.splitting import pieces
from slackapp.slack.message import Message
from slackapp.thread.block_text import text_of
from slackapp.thread.message_links import links_of
from tests.fuzz.bounds import at_most, is_multiplied
from tests.fuzz.draws import Draws

LONGEST_ANSWER = 30_000
SHAPED = (*LIMITS, EPHEMERAL_LIMITS)
LIVE = re.compile(r"<(?!https?://[^\s<>|]+(?:\|[^<>\n|]*)?>)")
"""What Slack would take for a mention, or for a link that is none of the web's."""


def check(data: bytes) -> None:
    """Whatever an answer says, Slack takes its messages, nobody is called and nothing is lost."""
    draws = Draws(data)
    shape = draws.pick(SHAPED)
    sources = tuple(
        Source(number=number, title=draws.text(63), url="https://a.example/?a=1&b=2|c")
        for number in range(1, draws.number(3) + 1)
    )
    undone = (draws.text(63),) * draws.number(1)
    text = draws.rest() * (LONGEST_ANSWER // len(data) if is_multiplied(data) else 1)
    with at_most(3):
        said = messages(Answer(text=text, sources=sources, undone=undone), shape)
    assert said
    for message in (*said, root_message("U0SATO", text[:2_000])):
        _assert_harmless(message)
    for node in parse(text[:2_000]):
        _assert_nothing_lost(node, room=shape.room // 10)


def _assert_harmless(message: Message) -> None:
    assert message.text.strip()
    message.text.encode()
    calls = LIVE.sub("", message.text.replace("<@U0SATO>", ""))
    assert calls == message.text.replace("<@U0SATO>", "")
    if message.blocks:
        slacks_rules.check(list(message.blocks))
        assert len(message.text) <= 4_000
    assert all(link.startswith(("http://", "https://")) for link in links_of(list(message.blocks)))
    text_of(message.blocks).encode()


def _assert_nothing_lost(node: Node, room: int) -> None:
    if isinstance(node, Table):
        return
    cut = list(pieces(node, room))
    assert "".join(chain(*map(_texts, cut))) == "".join(_texts(node))


def _texts(node: Node) -> Iterator[str]:
    """A node's words, without the line ends of code, at which it is cut."""
    match node:
        case Code():
            yield node.text.replace("\n", "")
        case MarkdownList():
            yield from (span.text for item in node.items for span in item.spans)
        case Table() | Rule():
            return
        case _:
            yield from (span.text for span in node.spans)
