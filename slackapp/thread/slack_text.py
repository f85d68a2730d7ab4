"""Slack's text format as plain text: links as their URLs, mentions as display names, escapes decoded."""

import re
from collections.abc import Mapping
from typing import Any

from fetcher.bare_urls import without_links
from fetcher.text import well_formed

_WRAPPED = re.compile(
    r"<(?P<target>(?:[@#!]|[A-Za-z][A-Za-z0-9+.-]*+:)[^<>|\n]++)(?:\|(?P<label>[^<>\n]*+))?>"
)
_PLAIN_URL = re.compile(r"[A-Za-z0-9\-._~:/?#@!$&*+,;=%]*[A-Za-z0-9\-_/#&+=%]")
"""A URL whose end is clear without brackets."""
_USER = re.compile(r"[UW][A-Z0-9]+")
_GROUPS = frozenset({"!subteam", "!here", "!channel", "!everyone"})
"""Mentions of many (docs.slack.dev, "Formatting message text")."""

Names = Mapping[str, str]
_URL = re.compile(r"<?https?://(?:[^/\s@<>]*+@)?([^/\s?#:<>]++)[^\s<>]*+>?", re.IGNORECASE)
LONGEST_TITLE = 80
"""Slack accepts 200 characters, and shows the beginning."""


def unwrapped(text: str, names: Names) -> str:
    """A message as its readers see it, but with URLs in place of the labels of links."""
    pieces, at = [], 0
    for found in _WRAPPED.finditer(text):
        start, end = found.span()
        target, label = unescaped(found["target"]), unescaped(found["label"] or "")
        if is_web(target):  # with spaces between the URL and the text beside it
            before, after = text[max(0, start - 1) : start], text[end : end + 1]
            left = " " if before and not before.isspace() and before not in "(\"'「『（" else ""
            right = " " if after and not after.isspace() else ""
            shown = f"{left}{delimited(target)}{right}"
        elif target[0] == "@":
            shown = f"@{without_links(names.get(target[1:]) or label or target[1:])}"
        elif target[0] == "#":
            shown = f"#{label or target[1:]}"
        elif target[0] == "!":
            shown = label or f"@{target[1:].partition('^')[0]}"
        else:
            shown = label or target
        pieces += [unescaped(text[at:start]), shown]
        at = end
    return "".join([*pieces, unescaped(text[at:])]).strip()


def titled(text: str) -> str:
    """A question as a title: one line, with hosts in place of URLs."""
    line = " ".join(_URL.sub(r"\1", unwrapped(text, {})).split())
    return line if len(line) <= LONGEST_TITLE else f"{line[: LONGEST_TITLE - 1]}…"


def links_in(text: str) -> tuple[str, ...]:
    """The links that Slack itself found in a text."""
    targets = (unescaped(found["target"]) for found in _WRAPPED.finditer(text))
    return tuple(dict.fromkeys(filter(is_web, targets)))


def mentioned(text: str) -> tuple[str, ...]:
    """The ids of the users that a text mentions."""
    targets = (found["target"] for found in _WRAPPED.finditer(text))
    return tuple(target[1:] for target in targets if target[0] == "@" and _USER.fullmatch(target[1:]))


def calls_others(text: str) -> bool:
    """Whether a text mentions a user, a group of users, or everyone there."""
    targets = [found["target"] for found in _WRAPPED.finditer(text)]
    return bool(mentioned(text)) or any(target.partition("^")[0] in _GROUPS for target in targets)


def encodable(text: str) -> str:
    """Text that UTF-8 can encode: half of a surrogate pair, which JSON allows, becomes a question mark."""
    return well_formed(text, "?")


def is_web(target: str) -> bool:
    return target.lower().startswith(("http://", "https://"))


def delimited(url: str) -> str:
    """A URL for use in text: bare if its end is clear, else in angle brackets."""
    return url if _PLAIN_URL.fullmatch(url) else f"<{url.replace('<', '%3C').replace('>', '%3E')}>"


def unescaped(text: str) -> str:
    """Slack's text decoded: Slack escapes only these three, so `&region=jp` is a part of a URL."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def name_key(team: str, user: str) -> str:
    """The key of a user's display name in the cache, which the guard and the history share."""
    return f"name:{team}:{user}"


def locale_key(team: str, user: str) -> str:
    """The key of a user's locale in the cache."""
    return f"locale:{team}:{user}"


def display_name(user: Mapping[str, Any]) -> str:
    """The name that others see, from `users.info`; empty if Slack does not say."""
    profile = user.get("profile") or {}
    names = (profile.get("display_name"), profile.get("real_name"), user.get("real_name"), user.get("name"))
    return next((encodable(str(name)) for name in names if name), "")
