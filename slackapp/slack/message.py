"""A message of this app, the mark by which the app finds it again, and what it then finds."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

EVENT_TYPE = "web_reader_reply"
SLACKBOT = "USLACKBOT"
"""Slack's own user, which writes to the app when a user removes it from a channel; without `bot_id`, as
recorded in MercuryTechnologies/slack-web, tests/golden/SlackWebhookEvent/slackbotIm.json."""


class MessageKind(StrEnum):
    """The kinds of messages, for a later reader of the thread."""

    ROOT = "root"
    PROGRESS = "progress"
    ANSWER = "answer"
    NOTICE = "notice"
    """Something failed, or was stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """The content of a message; the text replaces the blocks where Slack cannot show them."""

    text: str
    blocks: tuple[dict[str, Any], ...] = ()
    kind: MessageKind = MessageKind.NOTICE

    @property
    def digest(self) -> str:
        """Stands for the content in the message's mark: a reader sees whether this is what it says."""
        content = json.dumps([self.text, self.blocks], ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Says which claim a message belongs to, and which part of the reply it is."""

    key: str
    part: str
    run: str = ""
    """The run of a worker that has written it."""

    def metadata(self, kind: MessageKind, digest: str = "") -> dict[str, Any]:
        payload = {"key": self.key, "part": self.part, "sort": kind.value, "run": self.run, "digest": digest}
        return {"event_type": EVENT_TYPE, "event_payload": payload}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where messages are posted; the app searches for its marks from `since` on."""

    channel: str
    thread_ts: str = ""
    since: str = ""


def mark_payload(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """The content of our mark on a message; empty if it has none."""
    metadata = message.get("metadata") or {}
    return metadata.get("event_payload") or {} if metadata.get("event_type") == EVENT_TYPE else {}


def is_marked(message: Mapping[str, Any]) -> bool:
    """Whether a message says that this app, here or in another installation, has written it."""
    return (message.get("metadata") or {}).get("event_type") == EVENT_TYPE


def is_by_app(message: Mapping[str, Any]) -> bool:
    """Whether an app has written a message, also in a person's name; a webhook's message has no user."""
    return bool(message.get("bot_id") or message.get("bot_profile")) or message.get("user") in (
        None,
        "",
        SLACKBOT,
    )


def mark_of(message: Mapping[str, Any]) -> Mark | None:
    payload = mark_payload(message)
    if not {"key", "part"} <= payload.keys():
        return None
    return Mark(key=str(payload["key"]), part=str(payload["part"]), run=str(payload.get("run", "")))


def escaped(text: str) -> str:
    """Text in which Slack finds no mention and no link of its own making."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@dataclass(frozen=True, slots=True, kw_only=True)
class PostedMessage:
    """A message of this app, as Slack returns it."""

    ts: str
    part: str
    """Which part of the reply it is; empty if it has no mark."""
    kind: str = ""
    run: str = ""
    """The run of the worker that wrote it last."""
    digest: str = ""
    """Of its content, as that worker wrote it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamIdentity:
    """Identifies a stream of ours before it has a mark."""

    bot_user: str
    name: str
    """The prefix of its tasks' ids."""

    def may_have_made(self, message: Mapping[str, Any]) -> bool:
        if message.get("user") != self.bot_user or mark_of(message) or message.get("files"):
            return False
        tasks = list(_task_ids(message.get("blocks") or ()))
        return not tasks or any(task.startswith(self.name) for task in tasks)


def _task_ids(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if "task_id" in value:
            yield str(value["task_id"])
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for inner in value:
            yield from _task_ids(inner)
