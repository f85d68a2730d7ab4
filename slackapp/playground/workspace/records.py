"""The parts of a workspace: teams, users, channels, and the streams and statuses of apps."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from slackapp.playground.values import Json

STREAM_LIFE = timedelta(minutes=5)
STATUS_LIFE = timedelta(minutes=2)


@dataclass(slots=True, kw_only=True)
class Team:
    id: str
    name: str
    domain: str
    enterprise_id: str = ""
    """The organisation on Enterprise Grid that it belongs to."""

    @property
    def url(self) -> str:
        """Where people see it; links to messages begin with it."""
        return f"https://{self.domain}.slack.com/"

    @property
    def visible_id(self) -> str:
        """What a mention says to other organisations: for a workspace on Grid, its organisation."""
        return self.enterprise_id or self.id


@dataclass(slots=True, kw_only=True)
class User:
    id: str
    name: str
    real_name: str
    team_id: str
    is_bot: bool = False
    deleted: bool = False
    is_restricted: bool = False
    is_admin: bool = False
    bot_id: str = ""
    locale: str = "ja-JP"


@dataclass(slots=True, kw_only=True)
class Channel:
    id: str
    name: str
    team_id: str
    private: bool = False
    is_im: bool = False
    is_mpim: bool = False
    """A group DM: a conversation of some people, and of apps that they have added."""
    is_archived: bool = False
    is_ext_shared: bool = False
    shared_with: str = ""
    """The workspace of another organisation that has the channel too (Slack Connect)."""
    topic: str = ""
    user: str = ""
    """The person of a direct conversation."""
    members: set[str] = field(default_factory=set)

    @property
    def kind(self) -> str:
        """The `channel_type` of events."""
        if self.is_im:
            return "im"
        return "mpim" if self.is_mpim else "group" if self.private else "channel"


@dataclass(slots=True, kw_only=True)
class Stream:
    """A message that an app is still writing."""

    app_id: str
    until: datetime
    tasks: dict[str, Json] = field(default_factory=dict)
    plan: str = ""
    extra: list[Json] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Status:
    """The line under a thread in which an app says what it is doing."""

    text: str
    until: datetime
