"""What a method works with, and the checks that many of them share."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from slackapp.playground.errors import ApiRefused
from slackapp.playground.events.publisher import EventPublisher
from slackapp.playground.values import App, Json
from slackapp.playground.webapi.arguments import Arguments
from slackapp.playground.webapi.faults import Fault
from slackapp.playground.workspace.records import Channel
from slackapp.playground.workspace.workspace import Workspace

READ = {"channel": "channels:read", "group": "groups:read", "im": "im:read"}
HISTORY = {"channel": "channels:history", "group": "groups:history", "im": "im:history"}


class Tickets(Protocol):
    def ticket(self, app: App) -> str:
        """An address for a Socket Mode connection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The caller, and the Slack that it calls."""

    app: App
    workspace: Workspace
    herald: EventPublisher
    base_url: str
    sockets: Tickets
    fault: Fault = field(default_factory=Fault)

    def allow(self, scope: str) -> None:
        """Refuses a caller whose token does not carry a scope."""
        scopes = self.app.scopes
        if scope and scopes is not None and scope not in scopes:
            raise ApiRefused("missing_scope", needed=scope, provided=",".join(sorted(scopes)))

    def channel(self, name: str, scopes: dict[str, str] | None = None) -> Channel:
        """A channel that the caller can see."""
        channel = self.workspace.channel(name)
        inside = self.app.bot_user in channel.members
        if (channel.is_im or channel.private) and not inside:
            raise ApiRefused("channel_not_found")
        if scopes:
            self.allow(scopes[channel.kind])
        return channel

    def joined(self, name: str, scopes: dict[str, str] | None = None) -> Channel:
        """A channel that the caller is a member of."""
        channel = self.channel(name, scopes)
        if self.app.bot_user not in channel.members:
            raise ApiRefused("not_in_channel")
        return channel

    def writable(self, name: str) -> Channel:
        """A channel that the caller can post in; a person's id means the conversation with them."""
        if name in self.workspace.users:
            return self.workspace.direct(name, self.app.bot_user)
        channel = self.joined(name)
        if channel.is_archived:
            raise ApiRefused("is_archived")
        return channel

    def thread(self, channel: Channel, thread_ts: str) -> str:
        """The thread that a reply goes to."""
        root = self.workspace.messages.get(channel.id, thread_ts, "thread_not_found")
        if root.get("thread_ts", thread_ts) != thread_ts:
            raise ApiRefused("cannot_reply_to_message")
        return thread_ts

    def signed(self) -> Json:
        """What every message of the caller says about its author."""
        app = self.app
        return {
            "user": app.bot_user,
            "bot_id": app.bot_id,
            "app_id": app.app_id,
            "team": app.team_id,
            "bot_profile": {
                "id": app.bot_id,
                "app_id": app.app_id,
                "name": app.name,
                "team_id": app.team_id,
                "deleted": False,
            },
        }


Run = Callable[[Context, Arguments], Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A row of the table."""

    run: Run
    scope: str = ""
    """What the token must carry; where it depends on the channel, the method asks itself."""
    per_minute: int = 50
    """Slack's tier, as the calls that it lets through."""
    per_channel: bool = False
    """Whether the calls are counted for each channel."""
    app_token: bool = False
