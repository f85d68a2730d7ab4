"""Turns the text that people type into the form that Slack stores."""

import re

from slackapp.playground.values import HANDLE, READER
from slackapp.playground.workspace.workspace import Workspace
from slackapp.slack.message import escaped

URL = re.compile(r"https?://[^\s<>\u3000、。「」（）]+")
NAME = re.compile(r"(?<![\w/])([@#])([\w.-]+)")
SPECIAL = frozenset({"here", "channel", "everyone"})


def slack_markup(text: str, workspace: Workspace) -> str:
    """Escapes the text, marks links, and replaces the names of people and channels by their ids."""
    with workspace.lock:
        users = {name: user.id for user in workspace.users.values() for name in (user.name, user.real_name)}
        users |= {HANDLE: READER} if READER in workspace.users else {}
        channels = {channel.name: channel.id for channel in workspace.channels.values() if not channel.is_im}

    def reference(match: re.Match[str]) -> str:
        sign, name = match.groups()
        if sign == "@" and name in SPECIAL:
            return f"<!{name}>"
        if sign == "@" and name in users:
            return f"<@{users[name]}>"
        if sign == "#" and name in channels:
            return f"<#{channels[name]}|{name}>"
        return match.group()

    pieces, end = [], 0
    for link in URL.finditer(text):
        pieces += [NAME.sub(reference, escaped(text[end : link.start()])), f"<{escaped(link.group())}>"]
        end = link.end()
    return "".join([*pieces, NAME.sub(reference, escaped(text[end:]))])
