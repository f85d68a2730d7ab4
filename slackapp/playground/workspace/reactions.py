"""Reactions on messages, by people and by apps."""

import re
from typing import Literal

from slackapp.playground.errors import ApiRefused
from slackapp.playground.events.publisher import EventPublisher
from slackapp.playground.values import Json
from slackapp.playground.workspace.records import Channel
from slackapp.playground.workspace.workspace import Workspace

NAME = re.compile(r"[^\s:]{1,100}(::skin-tone-[2-6])?")


def change_reaction(
    change: Literal["added", "removed"],
    workspace: Workspace,
    publisher: EventPublisher,
    channel: Channel,
    ts: str,
    name: str,
    user: str,
) -> None:
    """Adds or removes the reaction of a user, and publishes the event. Raises ApiRefused."""
    if not NAME.fullmatch(name):
        raise ApiRefused("invalid_name")
    message = workspace.messages.get(channel.id, ts)
    reactions: list[Json] = message.get("reactions", [])
    users: list[str] = next((entry["users"] for entry in reactions if entry["name"] == name), [])
    if change == "added":
        if user in users:
            raise ApiRefused("already_reacted")
        if not users:
            reactions.append({"name": name, "users": users})
        users.append(user)
    else:
        if user not in users:
            raise ApiRefused("no_reaction")
        users.remove(user)
    left = [entry | {"count": len(entry["users"])} for entry in reactions if entry["users"]]
    if left:
        message["reactions"] = left
    else:
        del message["reactions"]
    workspace.record_message(channel.id, message)
    event = {
        "type": f"reaction_{change}",
        "user": user,
        "reaction": name,
        "item": {"type": "message", "channel": channel.id, "ts": ts},
        **({"item_user": message["user"]} if message.get("user") else {}),
        "event_ts": workspace.messages.next_ts(),
    }
    publisher.publish(event, channel)
