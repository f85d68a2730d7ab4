"""A payload of Slack's with something else in a few places, and the text of a message."""

import json
from dataclasses import fields
from typing import Any

from slackapp.listeners import payloads as parse
from slackapp.listeners.incoming import Feedback, Ignored, Incoming, Stop
from slackapp.thread.agent_request import read_message
from slackapp.thread.block_text import text_of
from slackapp.thread.slack_text import is_web, links_in, mentioned, unwrapped
from tests.fuzz.bounds import at_most
from tests.fuzz.draws import Draws
from tests.slackapp.payloads import (
    BOT,
    CHANNEL,
    TEAM,
    USER,
    command,
    direct,
    event,
    mention,
    message,
    shortcut,
)

NAMES = {USER: "佐藤"}
PLACE = {"channel_id": CHANNEL, "message_ts": "100.2", "thread_ts": "100.1"}
BODIES = (
    mention(files=[{"name": "a.csv"}]),
    message("では年額は？", thread_ts="90.1", user_team=TEAM),
    direct("https://shop.example/"),
    command("https://shop.example/ いくら？"),
    shortcut("<https://shop.example/|店>"),
    event(type="message", subtype="message_deleted", channel=CHANNEL, deleted_ts="90.1"),
    event(
        type="message",
        subtype="message_changed",
        channel=CHANNEL,
        message={"subtype": "tombstone", "ts": "90.1"},
    ),
    event(type="reaction_added", reaction="x", user=USER, item={"channel": CHANNEL, "ts": "90.1"}),
    event(
        type="agent_session_stopped",
        channel=CHANNEL,
        user=USER,
        thread_ts="90.1",
        streaming_message_ts=["90.2"],
    ),
    {"team": {"id": TEAM}, "user": {"id": USER}, "container": PLACE, "actions": [{"value": "good"}]},
)
ELEMENTS = [{"type": "text", "text": "a"}, {"type": "link", "url": "https://a.example/", "text": "b"}]
BLOCKS = [
    {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": ELEMENTS}]},
    {
        "type": "rich_text",
        "elements": [{"type": "rich_text_list", "style": "ordered", "offset": 1, "elements": []}],
    },
    {"type": "table", "rows": [[{"type": "raw_text", "text": "a|b"}]]},
    {"type": "header", "text": {"type": "plain_text", "text": "題"}},
]


def check(data: bytes) -> None:
    """Every payload is understood or ignored, and what is understood can be kept."""
    draws = Draws(data)
    body = draws.edited(draws.pick(BODIES))
    for heard in _heard(body):
        _assert_kept(heard)
    reply = _reply(draws)
    with at_most(1):
        assert isinstance(read_message(reply, BOT).text, str)
        assert isinstance(text_of(reply["blocks"]), str)
    _assert_unwrapped(draws.rest())


def _heard(body: dict[str, object]) -> list[object]:
    readers = (parse.from_event, parse.from_command, parse.from_shortcut)
    others = (
        parse.from_deletion,
        parse.from_reaction,
        parse.from_session_stopped,
        parse.from_feedback,
        parse.from_reason,
    )
    return [*(read(body, BOT) for read in readers), *(read(body) for read in others)]


def _reply(draws: Draws) -> dict[str, Any]:
    """A message of the thread: its blocks and what our mark holds may be anything."""
    mark = draws.edited({"key": "k", "part": "0", "sort": "answer"})
    return {
        "user": draws.pick((USER, BOT)),
        "ts": "100.2",
        "text": draws.text(63),
        "metadata": {"event_type": "web_reader_reply", "event_payload": mark},
        "blocks": draws.edited(BLOCKS),
    }


def _assert_kept(heard: object) -> None:
    """Of the right types, sayable in UTF-8, and the same when it is read again."""
    assert isinstance(heard, (Incoming, Ignored, Stop, Feedback))
    for field in fields(heard):
        value = getattr(heard, field.name)
        texts = value if isinstance(value, tuple) else (value,)
        assert all(isinstance(text, (str, bool)) for text in texts), f"{field.name} is {value!r}"
        "".join(map(str, texts)).encode()
    if isinstance(heard, Incoming):
        kept = heard.to_json().encode()
        assert Incoming.from_json(kept.decode()) == heard
        json.loads(kept)
        assert f"<@{BOT}>" not in heard.question


def _assert_unwrapped(text: str) -> None:
    with at_most(1):
        unwrapped(text, NAMES)
        links, people = links_in(text), mentioned(text)
    assert all(map(is_web, links))
    assert all(person.isalnum() for person in people)
