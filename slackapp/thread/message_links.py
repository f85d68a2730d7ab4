"""The links of a message, wherever Slack keeps them: in its blocks, its attachments, and what it forwards.

These links count as the author's own words, so that the app may open them. Two kinds do not. The preview of
a link is the page's text: only the link itself is taken from it. A forwarded message may be one of this app:
its links come with the author's id, and the caller leaves out those of the app.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from slackapp.slack.message import is_marked
from slackapp.thread.slack_text import encodable, is_web, links_in

Json = Mapping[str, Any]

MOST_LINKS = 50
MOST_EARLIER = 500
"""Links of a thread that are looked at, the newest."""
MOST_DEPTH = 12
"""How deep blocks may be nested; Slack allows fewer levels."""
MOST_FORWARDS = 3
"""How often a message may have been forwarded."""
SHOWN_ADDRESSES = frozenset({"title_link", "author_link", "url"})
"""Fields of blocks and attachments that are opened with a click."""
PREVIEWED_ADDRESSES = ("from_url", "original_url", "app_unfurl_url")
"""Fields of a preview that name the link for which Slack made it."""
SHARED = ("is_share", "is_msg_unfurl", "is_reply_unfurl")
"""Marks of an attachment that is another message."""
LITERAL = ("text", "plain_text", "raw_text")
"""Types of elements whose text Slack shows as it is: `<https://…>` in it is not a link."""
_MARKDOWN_LINK = re.compile(r"\]\((https?://[^\s()<>]++)\)|(?<![\w(<|])(https?://[^\s()<>|、。「」]++)")


class WrittenLink(NamedTuple):
    """A link, and the id of the user who wrote it."""

    author: str
    url: str


def links_of(blocks: Any) -> tuple[str, ...]:
    """The links in blocks, in order, each once."""
    return _limited(_links(blocks, MOST_DEPTH))


def own_links(message: Json) -> tuple[str, ...]:
    """The links that a message itself shows, in order, each once, except those of its text."""
    found = links_of(message.get("blocks"))
    for attachment in _attachments(message):
        if any(map(attachment.get, SHARED)):
            continue
        if previewed := [str(attachment[name]) for name in PREVIEWED_ADDRESSES if attachment.get(name)]:
            found = (*found, *filter(is_web, previewed))
        else:
            found = (*found, *_links(attachment, MOST_DEPTH))
    known = set(links_in(str(message.get("text") or "")))
    return _limited(link for link in found if link not in known)


def forwarded_links(message: Json) -> tuple[str, ...]:
    """The links of the messages that a message forwards, each after its author's id and a space.

    A message whose author Slack does not name, such as that of a webhook, gives none.
    """
    return _limited(_forwarded(message, MOST_FORWARDS))


def not_from(author: str, forwarded: tuple[str, ...]) -> tuple[str, ...]:
    """The forwarded links that this author did not write; none if the author is not known."""
    parts = (link.partition(" ") for link in forwarded)
    return tuple(link for writer, _, link in parts if author and writer != author)


def _forwarded(message: Json, most: int) -> Iterator[str]:
    for attachment in _attachments(message):
        if not most or not any(map(attachment.get, SHARED)):
            continue
        author = str(attachment.get("author_id") or "")
        if not author:  # it may be this app
            continue
        within = [attachment]
        for block in attachment.get("message_blocks") or ():
            if isinstance(block, Mapping) and isinstance(block.get("message"), Mapping):
                within.append(block["message"])
        if any(map(is_marked, within)):  # another installation of this app has written it
            continue
        for inner in within:
            links = (*links_in(str(inner.get("text") or "")), *own_links(inner))
            yield from (f"{author} {link}" for link in links)
            yield from _forwarded(inner, most - 1)


def _attachments(message: Json) -> list[Json]:
    attachments = message.get("attachments")
    return (
        [each for each in attachments if isinstance(each, Mapping)] if isinstance(attachments, list) else []
    )


def _links(value: Any, most: int) -> tuple[str, ...]:
    """The links in a block, an attachment, or any part of one."""
    if isinstance(value, (list, tuple)):
        return tuple(link for inner in value for link in _links(inner, most)) if most else ()
    if not isinstance(value, Mapping) or not most:
        return ()
    found: list[str] = []
    for name, inner in value.items():
        if isinstance(inner, str):
            if name in SHOWN_ADDRESSES and value.get("type") not in ("emoji", "image"):
                found += [inner] if is_web(inner) else []
            elif value.get("type") == "markdown":
                found += ["".join(pair) for pair in _MARKDOWN_LINK.findall(inner)]
            elif value.get("type") not in LITERAL:
                found += links_in(inner)
        else:
            found += _links(inner, most - 1)
    return tuple(found)


def _limited(links: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(encodable, links)))[:MOST_LINKS]
