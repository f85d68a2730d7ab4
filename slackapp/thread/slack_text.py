"""Slack's text format as plain text: links as where they lead, mentions as names, escapes undone."""

import re
from collections.abc import Mapping

from fetcher.text import well_formed

_WRAPPED = re.compile(
    r"<(?P<target>(?:[@#!]|[A-Za-z][A-Za-z0-9+.-]*+:)[^<>|\n]++)(?:\|(?P<label>[^<>\n]*+))?>"
)
_PLAIN_URL = re.compile(r"[A-Za-z0-9\-._~:/?#@!$&*+,;=%]*[A-Za-z0-9\-_/#&+=%]")
"""A URL that ends where it looks as if it did."""
_USER = re.compile(r"[UW][A-Z0-9]+")

Names = Mapping[str, str]


def unwrapped(text: str, names: Names) -> str:
    """A message as its readers see it, but with each link's target in place of its label."""

    def shown(found: re.Match[str]) -> str:
        target, label = unescaped(found["target"]), unescaped(found["label"] or "")
        return _link(found, target) if is_web(target) else _reference(target, label, names)

    pieces, at = [], 0
    for found in _WRAPPED.finditer(text):
        pieces += [unescaped(text[at : found.start()]), shown(found)]
        at = found.end()
    return "".join([*pieces, unescaped(text[at:])]).strip()


def links_in(text: str) -> tuple[str, ...]:
    """The links that Slack itself found in a text."""
    targets = (unescaped(found["target"]) for found in _WRAPPED.finditer(text))
    return tuple(dict.fromkeys(filter(is_web, targets)))


def mentioned(text: str) -> tuple[str, ...]:
    """The ids of the people whom a text names."""
    targets = (found["target"] for found in _WRAPPED.finditer(text))
    return tuple(target[1:] for target in targets if target[0] == "@" and _USER.fullmatch(target[1:]))


def sayable(text: str) -> str:
    """Half of a surrogate pair, which JSON can escape and UTF-8 cannot say, becomes a question mark."""
    return well_formed(text, "?")


def is_web(target: str) -> bool:
    return target.lower().startswith(("http://", "https://"))


def delimited(url: str) -> str:
    """A URL as it stands in text: bare where everybody sees its end, else in angle brackets of its own."""
    return url if _PLAIN_URL.fullmatch(url) else f"<{url.replace('<', '%3C').replace('>', '%3E')}>"


def unescaped(text: str) -> str:
    """What Slack's text says: Slack escapes these three and nothing else: `&region=jp` is a part of a URL."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _link(found: re.Match[str], url: str) -> str:
    """The target, set apart from what Slack lets touch it."""
    text, start, end = found.string, found.start(), found.end()
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    left = " " if before and not before.isspace() and before not in "(\"'\u300c\u300e\uff08" else ""
    right = " " if after and not after.isspace() else ""
    return f"{left}{delimited(url)}{right}"


def _reference(target: str, label: str, names: Names) -> str:
    """A mention, as the name that it shows."""
    sign, name = target[0], target[1:]
    if sign == "@":
        return f"@{names.get(name) or label or name}"
    if sign == "#":
        return f"#{label or name}"
    if sign == "!":
        return label or f"@{name.partition('^')[0]}"
    return label or target
