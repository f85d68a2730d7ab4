"""Parses Slack's payloads into requests; all others are `Ignored`, with the reason."""

from collections.abc import Mapping
from typing import Any

from slackapp.codes import IgnoreReason
from slackapp.listeners.incoming import (
    STOP_REACTIONS,
    Ignored,
    Incoming,
    Kind,
    Name,
    Stop,
    message_key,
    trigger_key,
)
from slackapp.slack.message import SLACKBOT, is_by_app, is_marked
from slackapp.slack.shared_files import file_name, file_records
from slackapp.thread.message_links import forwarded_links, own_links
from slackapp.thread.slack_text import calls_others, encodable, mentioned

Body = Mapping[str, Any]

MAX_TEXT_CHARS = 40_000
"""Slack's own limit for a message; a longer text was not typed by a person."""
PERSONAL_SUBTYPES = frozenset({None, "file_share", "me_message", "thread_broadcast"})
"""Messages that a person wrote; the other subtypes are notifications."""
EDIT_SECONDS = 12 * 3600
"""A later edit does not ask, even if it adds a mention. A claim lives longer: no edit is answered twice."""
UNREADABLE = (LookupError, TypeError, AttributeError, ValueError)
"""What a payload of an unexpected shape raises."""


def from_event(body: Body, bot_user: str) -> Incoming | Ignored:
    """An `app_mention` or `message` event. An edit is a question if it adds the mention of the app."""
    try:
        event = body["event"]
        if event.get("subtype") == "message_changed":
            versions = [event.get(name) or {} for name in ("previous_message", "message")]
            mentions = [bot_user in mentioned(str(each.get("text") or "")) for each in versions]
            if mentions == [False, True]:  # before the edit, and after it
                place = {name: event.get(name) for name in ("type", "channel", "channel_type")}
                event = {**event["message"], **place}
        text = str(event.get("text") or "")
        if event.get("channel_type") == "im":  # also with a mention: Slack sends no `app_mention` for it
            kind = Kind.DIRECT
        elif event["type"] == "app_mention" or bot_user in mentioned(text):
            kind = Kind.MENTION
        else:
            kind = Kind.FOLLOW_UP
        if reason := _ignore_reason(event, bot_user, kind):
            return Ignored(reason=reason)
        team = installed_team(body)
        return Incoming(
            kind=kind,
            key=message_key(team, event["channel"], event["ts"]),
            team=team,
            channel=event["channel"],
            user=event["user"],
            user_team=str(event.get("user_team") or event.get("source_team") or event.get("team") or ""),
            enterprise=str(authorization(body).get("enterprise_id") or ""),
            shared=bool(body.get("is_ext_shared_channel")),
            ts=event["ts"],
            thread_ts=event.get("thread_ts") or event["ts"],
            text=_text_within_limit(text),
            too_long=len(text) > MAX_TEXT_CHARS,
            files=file_names(event),
            file_records=file_records(event),
            links=own_links(event),
            forwarded=forwarded_links(event),
            bot_user=bot_user,
            joins=kind is not Kind.DIRECT and is_reply(event) and event.get("parent_user_id") != bot_user,
            echo=kind is Kind.MENTION and event["type"] == "message" and event.get("channel_type") != "mpim",
        )
    except UNREADABLE:
        return Ignored(reason=IgnoreReason.MALFORMED)


def _ignore_reason(event: Body, bot_user: str, kind: Kind) -> IgnoreReason | None:
    """Why a message event is not a request; the checks that need no store come first (S1)."""
    text = str(event.get("text") or "")
    addressed, edited = kind is not Kind.FOLLOW_UP, event.get("edited")
    is_late = (
        kind is not Kind.MENTION or float(edited["ts"]) - float(event["ts"]) > EDIT_SECONDS
        if edited
        else False
    )
    rules = (
        (event.get("subtype") not in PERSONAL_SUBTYPES, IgnoreReason.SUBTYPE),
        (event.get("user") == bot_user, IgnoreReason.OWN_MESSAGE),
        (bool(event.get("bot_id") or event.get("bot_profile")), IgnoreReason.OTHER_BOT),
        (event.get("user") == SLACKBOT, IgnoreReason.OTHER_BOT),
        (not event.get("user"), IgnoreReason.NO_USER),
        (is_late, IgnoreReason.EDITED),
        (not addressed and not is_reply(event), IgnoreReason.NOT_ADDRESSED),
        (not addressed and calls_others(text), IgnoreReason.MENTIONS_ANOTHER),
        (not addressed and not text.strip(), IgnoreReason.EMPTY),
    )
    return next((reason for applies, reason in rules if applies), None)


def from_command(body: Body, bot_user: str) -> Incoming | Ignored:
    """`/fetch <link> <question>`."""
    try:
        text, team = str(body.get("text") or ""), installed_team(body)
        return Incoming(
            kind=Kind.COMMAND,
            key=trigger_key(team, body["trigger_id"]),
            team=team,
            channel=body["channel_id"],
            user=body["user_id"],
            text=_text_within_limit(text),
            too_long=len(text) > MAX_TEXT_CHARS,
            bot_user=bot_user,
            response_url=str(body.get("response_url") or ""),
        )
    except UNREADABLE:
        return Ignored(reason=IgnoreReason.MALFORMED)


def from_shortcut(body: Body, bot_user: str) -> Incoming | Ignored:
    """The message shortcut: the question is about the message's own text."""
    try:
        team = installed_team(body)
        return Incoming(
            kind=Kind.SHORTCUT,
            key=trigger_key(team, body["trigger_id"]),
            team=team,
            channel=body["channel"]["id"],
            user=body["user"]["id"],
            user_team=str(body["user"].get("team_id") or ""),
            bot_user=bot_user,
            response_url=str(body.get("response_url") or ""),
            **message_fields(body["message"]),
        )
    except UNREADABLE:
        return Ignored(reason=IgnoreReason.MALFORMED)


def message_fields(message: Body) -> dict[str, Any]:
    """The fields of a question about a message; raises one of UNREADABLE."""
    text = str(message.get("text") or "")
    return {
        "thread_ts": message.get("thread_ts") or message["ts"],
        "text": _text_within_limit(text),
        "too_long": len(text) > MAX_TEXT_CHARS,
        "files": file_names(message),
        "file_records": file_records(message),
        "links": own_links(message),
        "forwarded": forwarded_links(message),
        "joins": bool(message.get("thread_ts")),
        "author": str(message.get("user") or ""),
        "marked": is_marked(message),
        "by_app": is_by_app(message),
    }


def from_deletion(body: Body, _bot_user: str = "") -> Stop | Ignored:
    """A deleted question stops its run, also if another user deleted it.

    A message with replies is not deleted but changed into a tombstone.
    """
    try:
        event, team = body["event"], installed_team(body)
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


def from_reaction(body: Body, _bot_user: str = "") -> Stop | Ignored:
    """A cross on the question, or on the reply to it."""
    try:
        event, team = body["event"], installed_team(body)
        if event["reaction"] not in STOP_REACTIONS:
            return Ignored(reason=IgnoreReason.NOT_ADDRESSED)
        channel, ts = event["item"]["channel"], event["item"]["ts"]
        return Stop(
            team=team,
            channel=channel,
            user=event["user"],
            key=message_key(team, channel, ts),
            names=(Name.REPLY.of(team, channel, ts),),
        )
    except UNREADABLE:
        return Ignored(reason=IgnoreReason.MALFORMED)


def from_session_stopped(body: Body, _bot_user: str = "") -> Stop | Ignored:
    """Slack's own stop button."""
    try:
        event, team = body["event"], installed_team(body)
        streams = tuple(
            Name.REPLY.of(team, event["channel"], ts) for ts in event.get("streaming_message_ts") or ()
        )
        thread = Name.THREAD.of(team, event["channel"], event["thread_ts"])
        return Stop(team=team, channel=event["channel"], user=event["user"], names=(*streams, thread))
    except UNREADABLE:
        return Ignored(reason=IgnoreReason.MALFORMED)


def installed_team(body: Body) -> str:
    """The workspace in which the app is installed, as Bolt finds it (slack_bolt/request/internals.py) (S18).

    The outer `team_id` of an event in a shared channel is often the other side's, and differs between the
    two events of one mention. The authorization is always ours. Raises LookupError if there is none at all.
    """
    team = authorization(body).get("team_id") or body.get("team") or body.get("team_id")
    team = team["id"] if isinstance(team, Mapping) else team
    return str(team or body["user"]["team_id"])  # `team` is null in interactions of an organisation's app


def authorization(body: Body) -> Body:
    """For whom Slack sends an event; empty in interactions."""
    return next(iter(body.get("authorizations") or ()), {})


def is_reply(message: Body) -> bool:
    """Whether a message stands in a thread that another message began."""
    return bool(message.get("thread_ts")) and message["thread_ts"] != message["ts"]


def _text_within_limit(text: str) -> str:
    """The text; empty if it is too long, because then the question is refused."""
    return encodable(text) if len(text) <= MAX_TEXT_CHARS else ""


def file_names(message: Body) -> tuple[str, ...]:
    """The names of a message's files."""
    return tuple(filter(None, map(file_name, message.get("files") or ())))
