"""A Slack payload as a request to us: who asks what, where, and where the answer belongs."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any

from slackapp.codes import IgnoreReason

Body = Mapping[str, Any]

MAX_TEXT_CHARS = 40_000
"""Slack's own limit for a message; what is longer did not come from a person."""
PERSONAL_SUBTYPES = frozenset({None, "file_share", "thread_broadcast"})
"""Messages that a person wrote; the other subtypes report something."""
MENTION = re.compile(r"<@([A-Z0-9]+)(?:\|[^>]*)?>")
UNREADABLE = (LookupError, TypeError, AttributeError, ValueError)
"""How a payload of another shape than Slack's shows itself."""


class Kind(StrEnum):
    MENTION = "mention"
    FOLLOW_UP = "follow_up"
    """A reply in a thread, without a mention."""
    DIRECT = "direct"
    COMMAND = "command"
    SHORTCUT = "shortcut"


class Sound:
    """A value whose texts are texts, and such as UTF-8 can say: stores and Slack take no others."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type] # the classes below are dataclasses
            value = getattr(self, field.name)
            for text in value if isinstance(value, tuple) else (value,):
                if not isinstance(text, str | bool):
                    raise TypeError(f"{field.name} is no text")
                str(text).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming(Sound):
    """A request, parsed and ready to be handed over."""

    kind: Kind
    key: str
    """What is claimed: the same for every delivery of the same request."""
    team: str
    channel: str
    user: str
    user_team: str = ""
    """The workspace that the user belongs to, where Slack says so."""
    shared: bool = False
    """Whether the channel is shared with another organisation."""
    ts: str = ""
    """The message that asks; a command has none."""
    thread_ts: str = ""
    """The thread where the answer belongs; a command opens its own."""
    text: str = ""
    """As Slack sent it, mention included."""
    too_long: bool = False
    files: tuple[str, ...] = ()
    """Names of files that came with the message."""
    bot_user: str = ""
    response_url: str = ""
    echo: bool = False
    """A `message` event whose post comes as an `app_mention` too."""

    @property
    def question(self) -> str:
        """The text without the mention of us."""
        return (
            re.sub(rf"<@{self.bot_user}(?:\|[^>]*)?>", " ", self.text).strip()
            if self.bot_user
            else self.text.strip()
        )

    @property
    def starts_thread(self) -> bool:
        """Whether nothing was said in the thread before."""
        return not self.thread_ts or self.thread_ts == self.ts

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "Incoming":
        fields = json.loads(text)
        return cls(**fields | {"kind": Kind(fields["kind"]), "files": tuple(fields["files"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """An event that asks us nothing."""

    reason: IgnoreReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop(Sound):
    """Somebody wants a run stopped."""

    team: str
    channel: str
    user: str
    """Who wants it; empty when the request itself is gone."""
    key: str = ""
    """The claim itself, where the payload names its message."""
    names: tuple[str, ...] = ()
    """Other names under which the claim may be linked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback(Sound):
    """What a user thinks of an answer."""

    team: str
    channel: str
    user: str
    ts: str
    value: str
    thread_ts: str = ""

    @property
    def name(self) -> str:
        return f"feedback:{self.team}:{self.channel}:{self.ts}:{self.user}"


def message_key(team: str, channel: str, ts: str) -> str:
    """The claim's key of a message, whichever of its events came (S2)."""
    return f"{team}:{channel}:{ts}"


def trigger_key(team: str, trigger_id: str) -> str:
    return f"{team}:trigger:{trigger_id}"


def thread_name(team: str, channel: str, thread_ts: str) -> str:
    """The name under which a thread's last claim is linked."""
    return f"thread:{team}:{channel}:{thread_ts}"


def reply_name(team: str, channel: str, ts: str) -> str:
    """The name under which a reply's claim is linked."""
    return f"reply:{team}:{channel}:{ts}"


def from_event(body: Body, bot_user: str) -> Incoming | Ignored:
    """An `app_mention` or `message` event."""
    try:
        event = body["event"]
        reason = _ignored(event, bot_user)
        return Ignored(reason=reason) if reason else _message(body, event, bot_user)
    except UNREADABLE:
        return Ignored(reason=IgnoreReason.MALFORMED)


def _ignored(event: Body, bot_user: str) -> IgnoreReason | None:
    """Why a message event asks us nothing; checks of shape come before everything else (S1)."""
    text = str(event.get("text") or "")
    mentioned = set(MENTION.findall(text))
    direct = event.get("channel_type") == "im"
    ours = event["type"] == "app_mention" or bot_user in mentioned or direct
    in_thread = bool(event.get("thread_ts")) and event["thread_ts"] != event["ts"]
    rules = (
        (event.get("subtype") not in PERSONAL_SUBTYPES, IgnoreReason.SUBTYPE),
        (event.get("user") == bot_user, IgnoreReason.OWN_MESSAGE),
        (bool(event.get("bot_id") or event.get("bot_profile")), IgnoreReason.OTHER_BOT),
        (not event.get("user"), IgnoreReason.NO_USER),
        (bool(event.get("edited")), IgnoreReason.EDITED),
        (not ours and not in_thread, IgnoreReason.NOT_ADDRESSED),
        (not ours and bool(mentioned), IgnoreReason.MENTIONS_ANOTHER),
        (not ours and not text.strip(), IgnoreReason.EMPTY),
    )
    return next((reason for applies, reason in rules if applies), None)


def _message(body: Body, event: Body, bot_user: str) -> Incoming:
    team = str(body["team_id"])
    text = str(event.get("text") or "")
    return Incoming(
        kind=_kind(event, bot_user, text),
        key=message_key(team, event["channel"], event["ts"]),
        team=team,
        channel=event["channel"],
        user=event["user"],
        user_team=str(event.get("user_team") or event.get("source_team") or event.get("team") or ""),
        shared=bool(body.get("is_ext_shared_channel")),
        ts=event["ts"],
        thread_ts=event.get("thread_ts") or event["ts"],
        text=_short(text),
        too_long=len(text) > MAX_TEXT_CHARS,
        files=_file_names(event),
        bot_user=bot_user,
        echo=_is_echo(event, bot_user, text),
    )


def _is_echo(event: Body, bot_user: str, text: str) -> bool:
    """In direct messages Slack sends no `app_mention`."""
    return (
        event["type"] == "message" and event.get("channel_type") != "im" and bot_user in MENTION.findall(text)
    )


def _kind(event: Body, bot_user: str, text: str) -> Kind:
    if event.get("channel_type") == "im":
        return Kind.DIRECT
    if event["type"] == "app_mention" or bot_user in MENTION.findall(text):
        return Kind.MENTION
    return Kind.FOLLOW_UP


def from_command(body: Body, bot_user: str) -> Incoming | Ignored:
    """`/fetch <link> <question>`."""
    try:
        text = str(body.get("text") or "")
        return Incoming(
            kind=Kind.COMMAND,
            key=trigger_key(body["team_id"], body["trigger_id"]),
            team=body["team_id"],
            channel=body["channel_id"],
            user=body["user_id"],
            text=_short(text),
            too_long=len(text) > MAX_TEXT_CHARS,
            bot_user=bot_user,
            response_url=str(body.get("response_url") or ""),
        )
    except UNREADABLE:
        return Ignored(reason=IgnoreReason.MALFORMED)


def from_shortcut(body: Body, bot_user: str) -> Incoming | Ignored:
    """The message shortcut: the message's own text is what is to be read."""
    try:
        message, team = body["message"], body["team"]["id"]
        text = str(message.get("text") or "")
        return Incoming(
            kind=Kind.SHORTCUT,
            key=trigger_key(team, body["trigger_id"]),
            team=team,
            channel=body["channel"]["id"],
            user=body["user"]["id"],
            user_team=str(body["user"].get("team_id") or ""),
            thread_ts=message.get("thread_ts") or message["ts"],
            text=_short(text),
            too_long=len(text) > MAX_TEXT_CHARS,
            files=_file_names(message),
            bot_user=bot_user,
            response_url=str(body.get("response_url") or ""),
        )
    except UNREADABLE:
        return Ignored(reason=IgnoreReason.MALFORMED)


def from_deletion(body: Body) -> Stop | Ignored:
    """A deleted request stops its run, whoever deleted it.

    A message with replies is not deleted but changed: what stands there then is its tombstone.
    """
    try:
        event, team = body["event"], body["team_id"]
        if event["subtype"] == "message_changed":
            if event["message"].get("subtype") != "tombstone":
                return Ignored(reason=IgnoreReason.SUBTYPE)
            ts = event["message"]["ts"]
        else:
            ts = event["deleted_ts"]
        key = message_key(team, event["channel"], ts)
        return Stop(team=team, channel=event["channel"], user="", key=key)
    except UNREADABLE:
        return Ignored(reason=IgnoreReason.MALFORMED)


STOP_REACTIONS = frozenset({"x", "heavy_multiplication_x", "negative_squared_cross_mark"})


def from_reaction(body: Body) -> Stop | Ignored:
    """A cross on the request, or on our reply to it."""
    try:
        event, team = body["event"], body["team_id"]
        if event["reaction"] not in STOP_REACTIONS:
            return Ignored(reason=IgnoreReason.NOT_ADDRESSED)
        channel, ts = event["item"]["channel"], event["item"]["ts"]
        return Stop(
            team=team,
            channel=channel,
            user=event["user"],
            key=message_key(team, channel, ts),
            names=(reply_name(team, channel, ts),),
        )
    except UNREADABLE:
        return Ignored(reason=IgnoreReason.MALFORMED)


def from_session_stopped(body: Body) -> Stop | Ignored:
    """Slack's own stop button."""
    try:
        event, team = body["event"], body["team_id"]
        streams = tuple(
            reply_name(team, event["channel"], ts) for ts in event.get("streaming_message_ts") or ()
        )
        thread = thread_name(team, event["channel"], event["thread_ts"])
        return Stop(team=team, channel=event["channel"], user=event["user"], names=(*streams, thread))
    except UNREADABLE:
        return Ignored(reason=IgnoreReason.MALFORMED)


def from_feedback(body: Body) -> Feedback | Ignored:
    """A click on a feedback button under an answer."""
    try:
        return Feedback(
            team=body["team"]["id"],
            channel=body["container"]["channel_id"],
            user=body["user"]["id"],
            ts=body["container"]["message_ts"],
            value=str(body["actions"][0]["value"]),
            thread_ts=str(body["container"].get("thread_ts") or ""),
        )
    except UNREADABLE:
        return Ignored(reason=IgnoreReason.MALFORMED)


def _short(text: str) -> str:
    """A text that is too long is not kept at all: nobody will read it."""
    return _sayable(text) if len(text) <= MAX_TEXT_CHARS else ""


def _sayable(text: str) -> str:
    """Half of a surrogate pair, which JSON can escape and UTF-8 cannot say, becomes a question mark."""
    return text.encode("utf-8", "replace").decode()


def _file_names(message: Body) -> tuple[str, ...]:
    named = (str(file.get("name") or "") for file in message.get("files") or ())
    return tuple(map(_sayable, filter(None, named)))
