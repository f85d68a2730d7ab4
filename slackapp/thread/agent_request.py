"""From a request and its thread to what the agent is asked."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from slackapp import messages_ja
from slackapp.listeners.incoming import Incoming, Kind
from slackapp.listeners.payloads import file_names
from slackapp.slack.message import MessageKind, is_marked, mark_payload
from slackapp.thread.block_text import links_of, text_of
from slackapp.thread.slack_text import Names, delimited, links_in, mentioned, sayable, unwrapped, without_urls

if TYPE_CHECKING:
    from fetcher.agent import AskRequest, Limits, Turn

_QUOTE = re.compile(r"^(?:>|&gt;)", re.MULTILINE)
"""What a quoted line begins with; Slack escapes it where it pleases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadMessage:
    """A message of the thread, as far as we care."""

    ts: str
    user: str
    text: str
    """In Slack's format; our own answers in Markdown."""
    links: tuple[str, ...] = ()
    """Links that only its blocks show."""
    files: tuple[str, ...] = ()
    ours: bool = False
    key: str = ""
    """The claim that a message of ours answers, or opens the thread of."""
    sort: str = ""
    """What a message of ours is."""
    marked: bool = False
    """Whether another's message says that this app has written it: its URLs are not its author's words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """What was said before, oldest first, and what those who said it are called."""

    messages: tuple[ThreadMessage, ...] = ()
    names: Names
    bot_user: str = ""
    """Who we are; empty where Slack does not say."""


def read_message(message: Mapping[str, Any], bot_user: str) -> ThreadMessage:
    """A message as the Web API has it."""
    mark = mark_payload(message)
    user = str(message.get("user") or "")
    blocks = message.get("blocks") or ()
    ours = bool(bot_user and user == bot_user)
    text = sayable(str(message.get("text") or ""))
    if ours and mark.get("sort") == MessageKind.ROOT:
        return _command(str(message.get("ts") or ""), text, key=str(mark.get("key", "")))
    known = links_in(text)
    return ThreadMessage(
        ts=str(message.get("ts") or ""),
        user=user,
        text=(text_of(blocks) or text) if ours else text,
        links=() if ours else tuple(link for link in map(sayable, links_of(blocks)) if link not in known),
        files=file_names(message),
        ours=ours,
        key=str(mark.get("key", "")) if ours else "",
        sort=str(mark.get("sort", "")) if ours else "",
        marked=not ours and is_marked(message),
    )


def _command(ts: str, text: str, *, key: str) -> ThreadMessage:
    """The first message of a command's thread, as what it quotes: the asker's own words."""
    headline, _, quoted = text.partition("\n")
    asker = next(iter(mentioned(headline)), "")
    return ThreadMessage(ts=ts, user=asker, text=_QUOTE.sub("", quoted), key=key)


def ask_request(
    incoming: Incoming, thread: Thread, limits: "Limits", known_urls: tuple[str, ...] = ()
) -> "AskRequest":
    """The question with the conversation around it; raises nothing."""
    from fetcher.agent import AskRequest

    question, links = (
        _shortcut(incoming, thread) if incoming.kind is Kind.SHORTCUT else _asked(incoming, thread)
    )
    return AskRequest(
        question=question,
        author=_name(incoming.user, thread.names),
        history=tuple(_turns(_before(incoming, thread.messages), thread.names)),
        links=links,
        known_urls=known_urls,
        correlation_id=incoming.key,
        limits=limits,
    )


def _asked(incoming: Incoming, thread: Thread) -> tuple[str, tuple[str, ...]]:
    """The question itself, and the links that only its blocks show."""
    own = next((message for message in thread.messages if message.ts and message.ts == incoming.ts), None)
    text = unwrapped(incoming.question, thread.names)
    return _with_files(text, incoming.files), own.links if own else ()


def _shortcut(incoming: Incoming, thread: Thread) -> tuple[str, tuple[str, ...]]:
    """What a shortcut asks; the message itself stands in the history, or here where that is missing.

    Of a message of ours nothing stands here: what we wrote is no source of links.
    """
    if incoming.marked or incoming.author == thread.bot_user or not thread.bot_user:
        return messages_ja.shortcut_question(), ()
    message = next((message for message in thread.messages if message.text == incoming.text), None)
    links = dict.fromkeys([*links_in(incoming.text), *(message.links if message else ())])
    text = unwrapped(incoming.text, thread.names)
    shown = [delimited(link) for link in links] if message and links else [text]
    return "\n".join([messages_ja.shortcut_question(), "", *shown]).strip(), ()


def _before(incoming: Incoming, messages: Sequence[ThreadMessage]) -> Iterator[ThreadMessage]:
    """What stands before the question, without what we began to say about it."""
    for message in messages:
        asked_before = not incoming.ts or _order(message.ts) < _order(incoming.ts)
        if asked_before and message.key != incoming.key:
            yield message


def _order(ts: str) -> tuple[int, str]:
    """Timestamps in the order of time: `9.5` comes before `10.5`."""
    seconds, _, rest = ts.partition(".")
    return (int(seconds) if seconds.isdecimal() else 0, rest)


def _turns(messages: Iterable[ThreadMessage], names: Names) -> "Iterator[Turn]":
    """People's messages one by one; what we said in a row as one."""
    from fetcher.agent import Turn

    for ours, group in groupby(filter(_is_said, messages), key=lambda message: message.ours):
        if ours:
            text = "\n\n".join(_with_files(message.text, message.files) for message in group)
            yield Turn(author="", text=text, ours=True)
            continue
        for message in group:
            text = _with_links(unwrapped(message.text, names), message.links)
            text = without_urls(text) if message.marked else text
            yield Turn(author=_name(message.user, names), text=_with_files(text, message.files))


def _is_said(message: ThreadMessage) -> bool:
    """Whether it says something: our placeholders and notices do not, nor does a stream before its end."""
    if message.ours:
        return message.sort == MessageKind.ANSWER or (not message.sort and bool(message.files))
    return bool(message.text.strip() or message.links or message.files)


def _name(user: str, names: Names) -> str:
    return names.get(user) or messages_ja.unknown_author()


def _with_files(text: str, files: Sequence[str]) -> str:
    return "\n".join(
        filter(None, [text, messages_ja.attached_files(without_urls(", ".join(files))) if files else ""])
    )


def _with_links(text: str, links: Sequence[str]) -> str:
    return "\n".join(filter(None, [text, *map(delimited, links)]))
