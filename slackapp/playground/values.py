"""Values that the parts of the local Slack exchange, and that tests read."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

Json = dict[str, Any]

READER = "U0READER"
"""The default bot user of an app."""
HANDLE = "webreader"
"""Its name in the manifest, by which people mention it in Slack."""

SUBSCRIPTIONS = frozenset(
    {
        "agent_session_stopped",
        "app_home_opened",
        "app_mention",
        "app_uninstalled",
        "message.channels",
        "message.groups",
        "message.im",
        "message.mpim",
        "reaction_added",
        "tokens_revoked",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """An installed app; with a request URL it gets HTTP requests, otherwise Socket Mode envelopes."""

    bot_token: str = field(repr=False)
    signing_secret: str = field(default="", repr=False)
    app_token: str = field(default="", repr=False)
    request_url: str = ""
    app_id: str = "A0READER"
    bot_id: str = "B0READER"
    bot_user: str = READER
    name: str = "Webリーダー"
    team_id: str = "T0LOCAL"
    scopes: frozenset[str] | None = None
    """Scopes of the bot token; None means all."""
    subscriptions: frozenset[str] = SUBSCRIPTIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A Web API call, or a request to an upload or response URL, without its token."""

    method: str
    arguments: Json
    status: int
    """The HTTP status; 0 when the connection was dropped instead."""
    response: Json
    at: datetime
    seconds: float
    app_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedDelivery:
    """One attempt to deliver a request to an app."""

    event_id: str
    """The id of an event, or the trigger of a command or an interaction."""
    type: str
    attempt: int
    """Slack's retry number; 0 is the first attempt."""
    status: int
    """The app's HTTP status; 0 when there was none."""
    error: str
    """Why it failed, as in `X-Slack-Retry-Reason`; empty when it was acknowledged."""
    seconds: float
    transport: str
    app_id: str
    at: datetime
    body: Json
    answer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledgement:
    """How an app answered a command, a shortcut or a click."""

    status: int
    body: Json
    """The JSON of the answer; a plain text becomes `{"text": …}`."""
    error: str = ""
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        return not self.error

    @property
    def text(self) -> str:
        return str(self.body.get("text", ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """How many entries are kept before the oldest are dropped, so that hours of traffic fit in memory."""

    calls: int = 10_000
    deliveries: int = 10_000
    messages: int = 50_000
    ephemerals: int = 5_000
    file_bytes: int = 256 << 20
