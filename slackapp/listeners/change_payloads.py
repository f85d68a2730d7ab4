"""Parses payloads about changes: an edited message, and an app that is removed."""

import re

from slackapp.codes import IgnoreReason
from slackapp.listeners.incoming import Departure, Edit, Ignored, message_key
from slackapp.listeners.payloads import UNREADABLE, Body, installed_team, is_reply
from slackapp.thread.slack_text import mentioned

_TEAM = re.compile("T[A-Z0-9]{2,31}")


def from_edit(body: Body, bot_user: str) -> Edit | Ignored:
    """A change of the text of a message that may be a question, by its author.

    Slack also reports the previews of links as changes, and every update of the app's own messages.
    """
    try:
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
    except UNREADABLE:
        return Ignored(reason=IgnoreReason.MALFORMED)


def from_departure(body: Body, _bot_user: str = "") -> Departure | Ignored:
    """The app was removed, or its bot's token revoked. Tokens of single users are not the app's."""
    try:
        event, team = body["event"], installed_team(body)
        if event["type"] == "tokens_revoked" and not event["tokens"].get("bot"):
            return Ignored(reason=IgnoreReason.NOT_ADDRESSED)
        if not _TEAM.fullmatch(team):
            return Ignored(reason=IgnoreReason.MALFORMED)
        return Departure(team=team)
    except UNREADABLE:
        return Ignored(reason=IgnoreReason.MALFORMED)
