"""The last step before Slack: removes every link that is not allowed from a finished message.

It checks the blocks and the text as they are sent, so that it does not matter how they were made. In
`rich_text` only `link` elements are links. In text with Slack's marks `<...>` is a link, and Slack also makes
a link of every bare URL: a URL that is not allowed loses its `://`, in code too, because there Slack decides
what is code.
"""

import re
from collections.abc import Container
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from fetcher.bare_urls import without_urls
from slackapp.slack.message import Message, escaped
from slackapp.thread.slack_text import unescaped

_MARK = re.compile(r"<(?P<target>[^<>|\n]++)(?:\|(?P<label>[^<>\n]*+))?>")
_TARGETS = frozenset({"url", "image_url", "thumb_url", "title_link", "author_link", "from_url", "app_url"})
"""Fields of Slack's elements that are links, or are loaded."""
_MARKED_TEXTS = frozenset({"mrkdwn", "markdown"})


def with_links_only_to(allowed: Container[str], message: Message) -> Message:
    """The message without links to other targets."""
    blocks = tuple(_filtered_block(block, allowed) for block in message.blocks)
    return replace(message, text=_filtered_text(message.text, allowed), blocks=blocks)


def _filtered_block(value: Any, allowed: Container[str]) -> Any:
    """A block, or a part of one."""
    if isinstance(value, list | tuple):
        return [_filtered_block(each, allowed) for each in value]
    if not isinstance(value, dict):
        return value
    if value.get("type") == "link" and value.get("url") not in allowed:
        url, style = str(value.get("url") or ""), dict(value.get("style") or {})
        text = str(value.get("text") or "") or url or " "
        if "://" in text:
            style["code"] = True  # so that users see that it is not a link
        return {"type": "text", "text": text} | ({"style": style} if style else {})
    filtered = {
        name: _filtered_block(each, allowed)
        for name, each in value.items()
        if name not in _TARGETS or not isinstance(each, str) or each in allowed
    }
    if value.get("type") == "link" and not _leads_where_it_says(str(value.get("text") or ""), value["url"]):
        filtered["text"] = without_urls(value["text"])
    if value.get("type") in _MARKED_TEXTS and isinstance(value.get("text"), str):
        filtered["text"] = _filtered_text(value["text"], allowed)
    return filtered


def _leads_where_it_says(label: str, url: str) -> bool:
    """Whether a label is words, or a URL of the same site: a page's title may be the URL of another site."""
    try:
        return "://" not in label or (
            label.count("://") == 1 and urlsplit(label).hostname == urlsplit(url).hostname
        )
    except ValueError:
        return False


def _filtered_text(text: str, allowed: Container[str]) -> str:
    pieces, at = [], 0
    for found in _MARK.finditer(text):
        pieces.append(without_urls(text[at : found.start()]))
        target, label = unescaped(found["target"]), without_urls(found["label"] or "")
        if target[0] not in "@#!" and target not in allowed:
            pieces.append(label or without_urls(found["target"]))
        elif target[0] not in "@#!" and label:
            pieces.append(f"<{escaped(target)}|{label}>")
        else:
            pieces.append(found[0])
        at = found.end()
    return "".join([*pieces, without_urls(text[at:])])
