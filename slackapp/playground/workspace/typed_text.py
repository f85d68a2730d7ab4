"""What people type, in the form in which Slack keeps it."""

import re

from slackapp.playground.workspace.workspace import Workspace

URL = re.compile(r"https?://[^\s<>\u3000、。「」（）]+")
NAME = re.compile(r"(?<![\w/])([@#])([\w.-]+)")
SPECIAL = frozenset({"here", "channel", "everyone"})


def composed(text: str, workspace: Workspace) -> str:
    """Escapes, marks links, and turns the names of people and channels into their ids."""
    with workspace.lock:
        users = {name: user.id for user in workspace.users.values() for name in (user.name, user.real_name)}
        channels = {channel.name: channel.id for channel in workspace.channels.values() if not channel.is_im}

    def named(match: re.Match[str]) -> str:
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
        pieces += [NAME.sub(named, _escaped(text[end : link.start()])), f"<{_escaped(link.group())}>"]
        end = link.end()
    return "".join([*pieces, NAME.sub(named, _escaped(text[end:]))])


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
