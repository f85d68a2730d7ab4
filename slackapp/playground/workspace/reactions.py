"""Reactions on messages, by people and by apps."""

import re

from slackapp.playground.errors import ApiRefused
from slackapp.playground.events.publisher import EventPublisher
from slackapp.playground.values import Json
from slackapp.playground.workspace.records import Channel
from slackapp.playground.workspace.workspace import Workspace

NAME = re.compile(r"[^\s:]{1,100}(::skin-tone-[2-6])?")


def add(
    workspace: Workspace, herald: EventPublisher, channel: Channel, ts: str, name: str, user: str
) -> None:
    message = _reactable(workspace, channel, ts, name)
    entry = _entry(message, name)
    if user in entry["users"]:
        raise ApiRefused("already_reacted")
    entry["users"].append(user)
    _changed(workspace, herald, channel, message, "reaction_added", name, user)


def remove(
    workspace: Workspace, herald: EventPublisher, channel: Channel, ts: str, name: str, user: str
) -> None:
    message = _reactable(workspace, channel, ts, name)
    entry = _entry(message, name)
    if user in entry["users"]:
        entry["users"].remove(user)
        _changed(workspace, herald, channel, message, "reaction_removed", name, user)
    else:
        _tidy(message)
        raise ApiRefused("no_reaction")


def _reactable(workspace: Workspace, channel: Channel, ts: str, name: str) -> Json:
    if not NAME.fullmatch(name):
        raise ApiRefused("invalid_name")
    return workspace.messages.get(channel.id, ts)


def _entry(message: Json, name: str) -> Json:
    reactions: list[Json] = message.setdefault("reactions", [])
    found = next((entry for entry in reactions if entry["name"] == name), None)
    if found is None:
        found = {"name": name, "users": [], "count": 0}
        reactions.append(found)
    return found


def _tidy(message: Json) -> None:
    """Counts, and drops what nobody is left for."""
    kept = [entry | {"count": len(entry["users"])} for entry in message["reactions"] if entry["users"]]
    message["reactions"] = kept
    if not kept:
        del message["reactions"]


def _changed(
    workspace: Workspace,
    herald: EventPublisher,
    channel: Channel,
    message: Json,
    kind: str,
    name: str,
    user: str,
) -> None:
    _tidy(message)
    workspace.changed(channel.id, message)
    event = {
        "type": kind,
        "user": user,
        "reaction": name,
        "item": {"type": "message", "channel": channel.id, "ts": message["ts"]},
        "item_user": message.get("user", ""),
        "event_ts": workspace.messages.stamp(),
    }
    herald.about(event, channel)
