"""The last step before Slack: a finished message with links to what is allowed and to nothing else.

It looks at the blocks and the text as they go out, so that it does not matter how they were made. In
`rich_text` only `link` elements are links. In text with Slack's marks `<...>` is a link, and Slack makes one
of every bare URL as well: what is not allowed loses its `://`, in code too, because it is Slack that decides
there what is code.
"""

import re
from collections.abc import Container
from dataclasses import replace
from typing import Any

from fetcher.bare_urls import without_urls
from slackapp.slack.message import Message, escaped
from slackapp.thread.slack_text import unescaped

_MARK = re.compile(r"<(?P<target>[^<>|\n]++)(?:\|(?P<label>[^<>\n]*+))?>")
_TARGETS = frozenset({"url", "image_url", "thumb_url", "title_link", "author_link", "from_url", "app_url"})
"""Fields of Slack's elements that lead somewhere or are loaded."""
_MARKED_TEXTS = frozenset({"mrkdwn", "markdown"})


def with_links_only_to(allowed: Container[str], message: Message) -> Message:
    """The message as it may be shown."""
    blocks = tuple(_allowed(block, allowed) for block in message.blocks)
    return replace(message, text=_marked_text(message.text, allowed), blocks=blocks)


def _allowed(value: Any, allowed: Container[str]) -> Any:
    """A block, or a part of one; as deep as we make them."""
    if isinstance(value, list | tuple):
        return [_allowed(each, allowed) for each in value]
    if not isinstance(value, dict):
        return value
    if value.get("type") == "link" and value.get("url") not in allowed:
        return _unlinked(value)
    kept = {
        name: _allowed(each, allowed)
        for name, each in value.items()
        if name not in _TARGETS or not isinstance(each, str) or each in allowed
    }
    if value.get("type") in _MARKED_TEXTS and isinstance(value.get("text"), str):
        kept["text"] = _marked_text(value["text"], allowed)
    return kept


def _unlinked(link: dict[str, Any]) -> dict[str, Any]:
    """A link's words; a URL as code, so that it is seen to be none."""
    url, style = str(link.get("url") or ""), dict(link.get("style") or {})
    text = str(link.get("text") or "") or url or " "
    if "://" in text:
        style["code"] = True
    return {"type": "text", "text": text} | ({"style": style} if style else {})


def _marked_text(text: str, allowed: Container[str]) -> str:
    pieces, at = [], 0
    for found in _MARK.finditer(text):
        pieces += [without_urls(text[at : found.start()]), _mark(found, allowed)]
        at = found.end()
    return "".join([*pieces, without_urls(text[at:])])


def _mark(found: re.Match[str], allowed: Container[str]) -> str:
    target, label = unescaped(found["target"]), without_urls(found["label"] or "")
    if target[0] in "@#!":
        return found[0]
    if target not in allowed:
        return label or without_urls(found["target"])
    return f"<{escaped(target)}|{label}>" if label else found[0]
