"""Parses payloads that ask to read a link: a reaction, and the Home tab with its modal.

Authorities: docs.slack.dev, events `reaction_added` (the message of a webhook has no `item_user`) and
`app_home_opened`, payloads "block_actions" (of a view) and "view_submission".
"""

import re

from slackapp.codes import IgnoreReason
from slackapp.listeners.incoming import (
    HomeOpened,
    Ignored,
    Incoming,
    Kind,
    ModalWanted,
    emoji_name,
    message_key,
    trigger_key,
)
from slackapp.listeners.payloads import UNREADABLE, Body, authorization, installed_team
from slackapp.slack.message import escaped
from slackapp.thread.slack_text import encodable

BUTTON = "read_link"
MODAL_CALLBACK = "read_link_modal"
URL, QUESTION = "url", "question"
"""The blocks of the modal, and the inputs in them."""
LONGEST_URL, LONGEST_QUESTION = 2_000, 1_000
_DIRECT = re.compile(r"D[A-Z0-9]{2,31}")
_URL = re.compile(r"https?://[^\s<>|]+", re.IGNORECASE)


def from_reading_reaction(body: Body, bot_user: str, name: str) -> Incoming | Ignored:
    """The reaction with this name on a message of another author. All reactions on it share one claim."""
    try:
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
    except UNREADABLE:
        return Ignored(reason=IgnoreReason.MALFORMED)


def from_home_opened(body: Body, _bot_user: str = "") -> HomeOpened | Ignored:
    """A user opens the app's home, or the messages with it."""
    try:
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
    except UNREADABLE:
        return Ignored(reason=IgnoreReason.MALFORMED)


def from_button(body: Body, _bot_user: str = "") -> ModalWanted | Ignored:
    """A click on the button of the Home tab, whose value is the direct conversation."""
    try:
        return ModalWanted(
            trigger=body["trigger_id"],
            channel=body["actions"][0]["value"],
            team=installed_team(body),
            user=body["user"]["id"],
        )
    except UNREADABLE:
        return Ignored(reason=IgnoreReason.MALFORMED)


def from_modal(body: Body, bot_user: str) -> Incoming | Ignored:
    """A link and a question that were written in the modal; without text if the link is not one."""
    try:
        view, team = body["view"], installed_team(body)
        url, question = (view["state"]["values"][name][name]["value"] for name in (URL, QUESTION))
        url, words = encodable(str(url or "").strip()), encodable(str(question or ""))[:LONGEST_QUESTION]
        is_link = len(url) <= LONGEST_URL and _URL.fullmatch(url)
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
    except UNREADABLE:
        return Ignored(reason=IgnoreReason.MALFORMED)
