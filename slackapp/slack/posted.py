"""Messages that this app has posted, and how to recognise them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from slackapp.slack.message import mark_of


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
