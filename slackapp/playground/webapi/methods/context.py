"""What every method gets: the caller, the workspace, and the checks that many methods share."""

from collections.abc import Callable
from dataclasses import dataclass, field

from slackapp.playground.errors import ApiRefused
from slackapp.playground.events.publisher import EventPublisher
from slackapp.playground.events.socket_mode import SocketModeServer
from slackapp.playground.values import App, Json
from slackapp.playground.webapi.arguments import Arguments
from slackapp.playground.webapi.faults import Fault
from slackapp.playground.workspace.records import Channel
from slackapp.playground.workspace.workspace import Workspace

READ = {"channel": "channels:read", "group": "groups:read", "im": "im:read", "mpim": "mpim:read"}
HISTORY = {
    "channel": "channels:history",
    "group": "groups:history",
    "im": "im:history",
    "mpim": "mpim:history",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The calling app, and the Slack that it calls."""

    app: App
    workspace: Workspace
    publisher: EventPublisher
    base_url: str
    sockets: SocketModeServer
    fault: Fault = field(default_factory=Fault)

    def require_scope(self, scope: str) -> None:
        """Refuses a caller whose token does not have the scope."""
        scopes = self.app.scopes
        if scope and scopes is not None and scope not in scopes:
            raise ApiRefused("missing_scope", needed=scope, provided=",".join(sorted(scopes)))

    def visible_channel(self, name: str, scopes: dict[str, str] | None = None) -> Channel:
        """A channel that the caller can see."""
        channel = self.workspace.channel(name)
        inside = self.app.bot_user in channel.members
        if scopes and channel.is_mpim:  # first: without the scope Slack says nothing about a group DM
            self.require_scope(scopes["mpim"])
        if (channel.is_im or channel.private) and not inside:
            raise ApiRefused("channel_not_found")
        if scopes:
            self.require_scope(scopes[channel.kind])
        return channel

    def joined_channel(self, name: str, scopes: dict[str, str] | None = None) -> Channel:
        """A channel that the caller is a member of."""
        channel = self.visible_channel(name, scopes)
        if self.app.bot_user not in channel.members:
            raise ApiRefused("not_in_channel")
        return channel

    def writable_channel(self, name: str) -> Channel:
        """A channel in which the caller can post; a user's id means the direct conversation."""
        if name in self.workspace.users:
            return self.workspace.open_direct(name, self.app.bot_user)
        channel = self.joined_channel(name)
        if channel.is_archived:
            raise ApiRefused("is_archived")
        return channel

    def checked_thread(self, channel: Channel, thread_ts: str) -> str:
        """The timestamp of a thread that can be replied to."""
        root = self.workspace.messages.get(channel.id, thread_ts, "thread_not_found")
        if root.get("thread_ts", thread_ts) != thread_ts:
            raise ApiRefused("cannot_reply_to_message")
        return thread_ts

    def author(self) -> Json:
        """The fields of the caller's messages that describe their author."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A row of the table of methods."""

    run: Callable[[Context, Arguments], Json]
    scope: str = ""
    """The scope that the token needs; the method itself checks scopes that depend on the channel."""
    per_minute: int = 50
    """Calls that Slack's tier for this method allows."""
    per_channel: bool = False
    """Whether the calls are counted for each channel."""
    app_token: bool = False
    agents_only: bool = False
    """Whether Slack answers `not_authorized` on a free plan, and to apps that are not agents."""
