"""Parses payloads about changes: an edited message, and an app that is removed."""

import re

from slackapp.codes import IgnoreReason
from slackapp.listeners.incoming import Departure, Edit, Ignored, message_key
from slackapp.listeners.payloads import UNREADABLE, Body, installed_team

_TEAM = re.compile("T[A-Z0-9]{2,31}")


def from_edit(body: Body) -> Edit | Ignored:
    """A change of a message's text by its author. Slack also reports the previews of links as changes."""
    try:
        event, team = body["event"], installed_team(body)
        before, after = event.get("previous_message") or {}, event["message"]
        by_author = (after.get("edited") or {}).get("user") == after.get("user")
        if not by_author or before.get("text") == after.get("text"):
            return Ignored(reason=IgnoreReason.SUBTYPE)
        key = message_key(team, event["channel"], after["ts"])
        return Edit(team=team, channel=event["channel"], user=after["user"], key=key)
    except UNREADABLE:
        return Ignored(reason=IgnoreReason.MALFORMED)


def from_departure(body: Body) -> Departure | Ignored:
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
