"""A message that we say in Slack, and the mark by which we find it again."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

EVENT_TYPE = "web_reader_reply"


class MessageKind(StrEnum):
    """What a message of ours is, for whoever reads the thread later."""

    ROOT = "root"
    PROGRESS = "progress"
    ANSWER = "answer"
    NOTICE = "notice"
    """Something that went wrong, or was stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What is shown; the text stands for the blocks where these cannot be."""

    text: str
    blocks: tuple[dict[str, Any], ...] = ()
    sort: MessageKind = MessageKind.NOTICE


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Says which claim a message belongs to, and which part of its reply it is."""

    key: str
    part: str

    def metadata(self, sort: MessageKind) -> dict[str, Any]:
        payload = {"key": self.key, "part": self.part, "sort": sort.value}
        return {"event_type": EVENT_TYPE, "event_payload": payload}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where something is said; marks of ours are looked for from `since` on."""

    channel: str
    thread_ts: str = ""
    since: str = ""


def payload(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """What our mark on a message says; empty where there is none."""
    metadata = message.get("metadata") or {}
    return metadata.get("event_payload") or {} if metadata.get("event_type") == EVENT_TYPE else {}


def is_marked(message: Mapping[str, Any]) -> bool:
    """Whether a message says that this app, here or in another installation, has written it."""
    return (message.get("metadata") or {}).get("event_type") == EVENT_TYPE


def mark_of(message: Mapping[str, Any]) -> Mark | None:
    said = payload(message)
    return Mark(key=str(said["key"]), part=str(said["part"])) if {"key", "part"} <= said.keys() else None


def escaped(text: str) -> str:
    """Text in which Slack finds no mention and no link of its own making."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
