"""Everything that the page shows, at one moment."""

from typing import Any

from slackapp.playground.server import LocalSlack
from slackapp.playground.values import Json
from slackapp.playground.workspace.records import Channel, User

MOST_MESSAGES = 2_000
"""Of each channel; older ones stay where they are."""


def state(slack: LocalSlack) -> Json:
    """The workspace as JSON; the caller holds its lock when it must agree with a position in the feed."""
    workspace = slack.workspace
    with workspace.lock:
        workspace.settle()
        return {
            "team": workspace.teams[slack.app.team_id].name,
            "bot": slack.app.bot_user,
            "users": [_user(user) for user in workspace.users.values()],
            "channels": [_channel(channel, slack.app.bot_user) for channel in workspace.channels.values()],
            "messages": {channel: _messages(slack, channel) for channel in workspace.channels},
            "ephemerals": [dict(each) for each in workspace.ephemerals],
            "sessions": [
                {"channel": channel, "thread_ts": thread_ts, "status": session["status"]}
                for (channel, thread_ts), session in workspace.sessions.items()
            ],
            "homes": {user: view for (_, user), view in workspace.homes.items()},
        }


def _messages(slack: LocalSlack, channel: str) -> list[Json]:
    messages = slack.workspace.messages
    return [messages.shown(channel, message) for message in messages.all(channel)[-MOST_MESSAGES:]]


def _user(user: User) -> dict[str, Any]:
    return {"id": user.id, "name": user.name, "real_name": user.real_name, "is_bot": user.is_bot}


def _channel(channel: Channel, bot: str) -> dict[str, Any]:
    return {
        "id": channel.id,
        "name": channel.name,
        "topic": channel.topic,
        "is_im": channel.is_im,
        "user": channel.user,
        "has_bot": bot in channel.members,
    }
