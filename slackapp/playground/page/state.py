"""Everything that the page shows, at one moment."""

from slackapp.playground.server import LocalSlack
from slackapp.playground.values import Json

MAX_MESSAGES = 2_000
"""Newest messages of each channel that the page gets."""


def snapshot(slack: LocalSlack) -> Json:
    """The workspace as JSON; a caller that needs a matching position in the event stream holds the lock."""
    workspace, bot = slack.workspace, slack.app.bot_user
    with workspace.lock:
        workspace.end_expired()
        messages = {
            channel: [
                workspace.messages.shown(channel, message)
                for message in workspace.messages.all(channel)[-MAX_MESSAGES:]
            ]
            for channel in workspace.channels
        }
        return {
            "team": workspace.teams[slack.app.team_id].name,
            "url": workspace.teams[slack.app.team_id].url,
            "bot": bot,
            "users": [
                {"id": user.id, "name": user.name, "real_name": user.real_name, "is_bot": user.is_bot}
                for user in workspace.users.values()
            ],
            "channels": [
                {
                    "id": channel.id,
                    "name": channel.name,
                    "topic": channel.topic,
                    "is_im": channel.is_im,
                    "user": channel.user,
                    "has_bot": bot in channel.members,
                }
                for channel in workspace.channels.values()
            ],
            "messages": messages,
            "ephemerals": [dict(each) for each in workspace.ephemerals],
            "sessions": [
                {
                    "channel": channel,
                    "thread_ts": thread_ts,
                    "status": session["status"],
                    "title": session["title"],
                }
                for (channel, thread_ts), session in workspace.sessions.items()
            ],
            "modals": dict(workspace.modals),
            "suggested": dict(workspace.prompts),
            "homes": {user: view for (_, user), view in workspace.homes.items()},
        }
