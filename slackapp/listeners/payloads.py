"""Parses Slack's payloads into requests; all others are `Ignored`, with the reason.

Authorities: docs.slack.dev, events `reaction_added` (the message of a webhook has no `item_user`) and
`app_home_opened`, payloads "block_actions" (of a view) and "view_submission".
"""

import re
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from slackapp.codes import IgnoreReason
from slackapp.listeners.incoming import (
    LONGEST_REASON,
    REASON,
    STOP_REACTIONS,
    Departure,
    Edit,
    Feedback,
    FeedbackReason,
    HomeOpened,
    Ignored,
    Incoming,
    Kind,
    ModalWanted,
    Name,
    Stop,
    emoji_name,
    message_key,
    trigger_key,
)
from slackapp.slack.message import SLACKBOT, escaped, is_by_app, is_marked
from slackapp.slack.shared_files import file_name, file_records
from slackapp.thread.message_links import forwarded_links, own_links
from slackapp.thread.slack_text import calls_others, encodable, mentioned

Body = Mapping[str, Any]
P = ParamSpec("P")
V = TypeVar("V")

MAX_TEXT_CHARS = 40_000
"""Slack's own limit for a message; a longer text was not typed by a person."""
PERSONAL_SUBTYPES = frozenset({None, "file_share", "me_message", "thread_broadcast"})
"""Messages that a person wrote; the other subtypes are notifications."""
EDIT_SECONDS = 12 * 3600
"""A later edit does not ask, even if it adds a mention. A claim lives longer: no edit is answered twice."""
UNREADABLE = (LookupError, TypeError, AttributeError, ValueError)
"""What a payload of an unexpected shape raises."""
BUTTON = "read_link"
"""The button of the Home tab, which opens a modal."""
MODAL_CALLBACK = "read_link_modal"
URL_INPUT, QUESTION_INPUT = "url", "question"
"""The blocks of the modal, and the inputs in them."""
LONGEST_URL, LONGEST_QUESTION = 2_000, 1_000
_DIRECT = re.compile(r"D[A-Z0-9]{2,31}")
_TEAM = re.compile(r"T[A-Z0-9]{2,31}")
_LINK = re.compile(r"https?://[^\s<>|]+", re.IGNORECASE)


def ignoring_malformed(parse: Callable[P, V | Ignored]) -> Callable[P, V | Ignored]:
    """The same parser; it ignores payloads of an unexpected shape."""

    @wraps(parse)
    def parse_or_ignore(*args: P.args, **kwargs: P.kwargs) -> V | Ignored:
        try:
            return parse(*args, **kwargs)
        except UNREADABLE:
            return Ignored(reason=IgnoreReason.MALFORMED)

    return parse_or_ignore


@ignoring_malformed
def from_event(body: Body, bot_user: str) -> Incoming | Ignored:
    """An `app_mention` or `message` event. An edit is a question if it adds the mention of the app."""
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


@ignoring_malformed
def from_command(body: Body, bot_user: str) -> Incoming | Ignored:
    """`/fetch <link> <question>`."""
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


@ignoring_malformed
def from_shortcut(body: Body, bot_user: str) -> Incoming | Ignored:
    """The message shortcut: the question is about the message's own text."""
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


@ignoring_malformed
def from_deletion(body: Body, _bot_user: str = "") -> Stop | Ignored:
    """A deleted question stops its run, also if another user deleted it.

    A message with replies is not deleted but changed into a tombstone.
    """
    event, team = body["event"], installed_team(body)
    if event["subtype"] == "message_changed":
        if event["message"].get("subtype") != "tombstone":
            return Ignored(reason=IgnoreReason.SUBTYPE)
        ts = event["message"]["ts"]
    else:
        ts = event["deleted_ts"]
    key = message_key(team, event["channel"], ts)
    return Stop(team=team, channel=event["channel"], user="", key=key)


@ignoring_malformed
def from_reaction(body: Body, _bot_user: str = "") -> Stop | Ignored:
    """A cross on the question, or on the reply to it."""
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


@ignoring_malformed
def from_session_stopped(body: Body, _bot_user: str = "") -> Stop | Ignored:
    """Slack's own stop button."""
    event, team = body["event"], installed_team(body)
    streams = tuple(
        Name.REPLY.of(team, event["channel"], ts) for ts in event.get("streaming_message_ts") or ()
    )
    thread = Name.THREAD.of(team, event["channel"], event["thread_ts"])
    return Stop(team=team, channel=event["channel"], user=event["user"], names=(*streams, thread))


@ignoring_malformed
def from_reading_reaction(body: Body, bot_user: str, name: str) -> Incoming | Ignored:
    """The reaction with this name on a message of another author. All reactions on it share one claim."""
    event, team = body["event"], installed_team(body)
    if not name or emoji_name(event["reaction"]) != name:
        return Ignored(reason=IgnoreReason.NOT_ADDRESSED)
    if bot_user in (event["user"], event.get("item_user")):
        return Ignored(reason=IgnoreReason.OWN_MESSAGE)
    channel, ts = event["item"]["channel"], event["item"]["ts"]
    return Incoming(
        kind=Kind.REACTION,
        key=message_key(team, channel, ts),
        team=team,
        channel=channel,
        user=event["user"],
        enterprise=str(authorization(body).get("enterprise_id") or ""),
        shared=bool(body.get("is_ext_shared_channel")),
        ts=ts,
        bot_user=bot_user,
    )


@ignoring_malformed
def from_home_opened(body: Body, _bot_user: str = "") -> HomeOpened | Ignored:
    """A user opens the app's home, or the messages with it."""
    event = body["event"]
    if event.get("tab") not in ("home", "messages"):
        return Ignored(reason=IgnoreReason.NOT_ADDRESSED)
    return HomeOpened(
        team=installed_team(body),
        user=event["user"],
        channel=event["channel"],
        tab=event["tab"],
        enterprise=str(authorization(body).get("enterprise_id") or ""),
    )


@ignoring_malformed
def from_button(body: Body, _bot_user: str = "") -> ModalWanted | Ignored:
    """A click on the button of the Home tab, whose value is the direct conversation."""
    return ModalWanted(
        trigger=body["trigger_id"],
        channel=body["actions"][0]["value"],
        team=installed_team(body),
        user=body["user"]["id"],
    )


@ignoring_malformed
def from_modal(body: Body, bot_user: str) -> Incoming | Ignored:
    """A link and a question that were written in the modal; without text if the link is not one."""
    view, team = body["view"], installed_team(body)
    url, question = (view["state"]["values"][name][name]["value"] for name in (URL_INPUT, QUESTION_INPUT))
    url, words = encodable(str(url or "").strip()), encodable(str(question or ""))[:LONGEST_QUESTION]
    is_link = len(url) <= LONGEST_URL and _LINK.fullmatch(url)
    channel, _, _ = str(view["private_metadata"]).partition(":")  # the language is behind it
    if not _DIRECT.fullmatch(channel) or not view["id"]:
        return Ignored(reason=IgnoreReason.MALFORMED)
    return Incoming(
        kind=Kind.MODAL,
        key=trigger_key(team, view["id"]),
        team=team,
        channel=channel,
        user=body["user"]["id"],
        user_team=str(body["user"].get("team_id") or ""),
        text=f"<{escaped(url)}> {escaped(words)}".strip() if is_link else "",
        bot_user=bot_user,
    )


@ignoring_malformed
def from_edit(body: Body, bot_user: str) -> Edit | Ignored:
    """A change of the text of a message that may be a question, by its author.

    Slack also reports the previews of links as changes, and every update of the app's own messages.
    """
    event, team = body["event"], installed_team(body)
    before, after = event.get("previous_message") or {}, event["message"]
    by_author = (after.get("edited") or {}).get("user") == after.get("user")
    if not by_author or before.get("text") == after.get("text"):
        return Ignored(reason=IgnoreReason.SUBTYPE)
    if after.get("bot_id"):
        return Ignored(reason=IgnoreReason.OTHER_BOT)
    is_direct = event.get("channel_type") == "im"
    if not is_direct and not is_reply(after) and bot_user not in mentioned(str(before.get("text") or "")):
        return Ignored(reason=IgnoreReason.NOT_ADDRESSED)
    key = message_key(team, event["channel"], after["ts"])
    return Edit(team=team, channel=event["channel"], user=after["user"], key=key)


@ignoring_malformed
def from_departure(body: Body, _bot_user: str = "") -> Departure | Ignored:
    """The app was removed, or its bot's token revoked. Tokens of single users are not the app's."""
    event, team = body["event"], installed_team(body)
    if event["type"] == "tokens_revoked" and not event["tokens"].get("bot"):
        return Ignored(reason=IgnoreReason.NOT_ADDRESSED)
    if not _TEAM.fullmatch(team):
        return Ignored(reason=IgnoreReason.MALFORMED)
    return Departure(team=team)


@ignoring_malformed
def from_feedback(body: Body, _bot_user: str = "") -> Feedback | Ignored:
    """A click on a feedback button under an answer."""
    return Feedback(
        team=installed_team(body),
        channel=body["container"]["channel_id"],
        user=body["user"]["id"],
        ts=body["container"]["message_ts"],
        value=str(body["actions"][0]["value"]),
        thread_ts=str(body["container"].get("thread_ts") or ""),
        press=str(body["actions"][0].get("action_ts") or ""),
        trigger=str(body.get("trigger_id") or ""),
    )


@ignoring_malformed
def from_reason(body: Body, _bot_user: str = "") -> FeedbackReason | Ignored:
    """The modal after "not useful". The name of the rating ends with the user who gave it."""
    view, user = body["view"], body["user"]["id"]
    name, text = str(view["private_metadata"]), view["state"]["values"][REASON][REASON]["value"]
    words = " ".join(encodable(str(text or "")).split())[:LONGEST_REASON]
    if not words:
        return Ignored(reason=IgnoreReason.EMPTY)
    if not name.startswith("feedback:") or name.rpartition(":")[2] != user:
        return Ignored(reason=IgnoreReason.MALFORMED)
    return FeedbackReason(name=name, text=words)


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
