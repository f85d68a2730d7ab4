"""Builds the agent's request from a question and its thread."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any

from fetcher.bare_urls import without_links
from fetcher.wording.language import current_language
from slackapp import wording
from slackapp.listeners.incoming import Incoming
from slackapp.listeners.payloads import file_names
from slackapp.slack.message import MessageKind, is_by_app, is_marked, mark_payload
from slackapp.slack.shared_files import SharedFiles, file_records
from slackapp.thread.block_text import text_of
from slackapp.thread.message_links import MOST_EARLIER, WrittenLink, forwarded_links, not_from, own_links
from slackapp.thread.question_words import points_at_message
from slackapp.thread.slack_text import (
    Names,
    delimited,
    encodable,
    links_in,
    mentioned,
    unescaped,
    unwrapped,
)

if TYPE_CHECKING:
    from fetcher.agent import AskRequest, AttachedFile, Limits, Turn
    from slackapp.thread.linked_messages import LinkedMessages

_QUOTE = re.compile(r"^(?:>|&gt;)", re.MULTILINE)
"""The beginning of a quoted line; Slack sometimes escapes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadMessage:
    """A message of the thread."""

    ts: str
    user: str
    text: str
    """In Slack's format; answers of this app in Markdown."""
    links: tuple[str, ...] = ()
    """Links that it shows outside its text."""
    forwarded: tuple[str, ...] = ()
    """Links of messages that it forwards."""
    files: tuple[str, ...] = ()
    file_records: tuple[str, ...] = ()
    """What Slack says of its files; those of this app's own messages are left out."""
    ours: bool = False
    key: str = ""
    """For a message of this app: the claim that it belongs to."""
    kind: str = ""
    """For a message of this app: its kind."""
    marked: bool = False
    """Whether another user's message has a mark of this app; then its URLs are not its author's own words."""
    by_app: bool = False
    """Whether another app has written it."""
    fallback: str = ""
    """For a message of this app: the text that stands for its blocks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """The earlier messages, oldest first, and the names of the users in them."""

    messages: tuple[ThreadMessage, ...] = ()
    names: Names
    bot_user: str = ""
    """The app's own user; empty if Slack does not say."""
    older: tuple[ThreadMessage, ...] | None = ()
    """The app's own messages before these; None if they are not all known."""


def read_message(message: Mapping[str, Any], bot_user: str) -> ThreadMessage:
    """Read a message of the Web API."""
    mark = mark_payload(message)
    user = str(message.get("user") or "")
    blocks = message.get("blocks") or ()
    ours = bool(bot_user and user == bot_user)
    text = encodable(str(message.get("text") or ""))
    ts, key = str(message.get("ts") or ""), str(mark.get("key", ""))
    if ours and mark.get("sort") == MessageKind.ROOT:
        # The first message of a command's thread counts as what it quotes: the asker's own words.
        headline, _, quoted = text.partition("\n")
        asker = next(iter(mentioned(headline)), "")
        return ThreadMessage(ts=ts, user=asker, text=_QUOTE.sub("", quoted), key=key)
    return ThreadMessage(
        ts=ts,
        user=user,
        text=(text_of(blocks) or unescaped(text)) if ours else text,
        links=() if ours else own_links(message),
        forwarded=() if ours else not_from(bot_user, forwarded_links(message)),
        files=file_names(message),
        file_records=() if ours else file_records(message),
        ours=ours,
        key=key if ours else "",
        kind=str(mark.get("sort", "")) if ours else "",
        marked=not ours and is_marked(message),
        by_app=not ours and is_by_app(message),
        fallback=unescaped(text) if ours else "",
    )


class _Quotes:
    """Messages of other apps, and messages that people forward, are quotes; an app may repeat an answer.

    The URLs of an app's message are read only if the question points at it: as a reply to it, by a shortcut
    or a reaction on it, or in words. No quote opens a URL that stands in one of our own messages of the
    thread, and where these are not all known, only the message that began the thread opens any.
    """

    def __init__(self, incoming: Incoming, thread: Thread) -> None:
        from fetcher.agent import AnswerUrls

        ours = [message for message in (*(thread.older or ()), *thread.messages) if message.ours]
        self._answers = AnswerUrls(text for message in ours for text in (message.text, message.fallback))
        self._root = incoming.thread_ts
        self.are_compared = thread.older is not None
        in_words = not incoming.is_about_message and points_at_message(incoming.question)
        self._are_meant = in_words and self.are_compared

    def closes(self, message: ThreadMessage) -> bool:
        """Whether no URL of a message may be read."""
        is_meant = self._are_meant or message.ts == self._root
        return message.marked or (message.by_app and not is_meant)

    def as_shown(self, message: ThreadMessage) -> Callable[[str], str]:
        """How the quotes of a message are told: without links where none of them may be read."""
        is_known = self.are_compared or message.ts == self._root
        return self.shown if is_known and not self.closes(message) else without_links

    def shown(self, quote: str) -> str:
        """A quote without the links of its lines that repeat a URL of ours."""
        lines = quote.split("\n")
        return "\n".join(without_links(line) if self._answers.repeated_in(line) else line for line in lines)

    def unrepeated(self, links: Iterable[str]) -> list[str]:
        return [
            link for link in links if self.are_compared and not self._answers.repeated_in(delimited(link))
        ]


def ask_request(
    incoming: Incoming,
    thread: Thread,
    limits: "Limits",
    known_urls: tuple[str, ...] = (),
    shared_files: SharedFiles | None = None,
    linked_messages: "LinkedMessages | None" = None,
    *,
    search_off: Sequence[str] = (),
) -> "AskRequest":
    """The question with the conversation before it; raises nothing.

    No words of a channel in `search_off` go to a search provider, also where a link leads to its messages.
    """
    from fetcher.agent import AskRequest

    quotes = _Quotes(incoming, thread)
    own = [message for message in thread.messages if message.ts and message.ts == incoming.ts][:1]
    forwarded = [
        *not_from(thread.bot_user, incoming.forwarded),
        *(link for each in own for link in each.forwarded),
    ]
    links = (*incoming.links, *quotes.unrepeated(forwarded), *(link for each in own for link in each.links))
    earlier = _earlier_messages(incoming, thread.messages)
    if incoming.is_about_message:
        question, links = _shortcut_question(incoming, thread, quotes, links), ()
    else:
        question = _with_files(unwrapped(incoming.question, thread.names), incoming.files)
        if links and not question:  # a message that is forwarded without a word
            question = wording.shortcut_question()
    files = _attached_files(incoming, thread, quotes, earlier, shared_files, linked_messages)
    return AskRequest(
        question=question,
        author=thread.names.get(incoming.user) or wording.unknown_author(),
        history=tuple(_history(earlier, thread, quotes, incoming.user)),
        links=tuple(dict.fromkeys(links)),
        known_urls=known_urls,
        files=files,
        language=current_language(),
        quoted=(question,) if incoming.is_about_message else (),
        search=not any(
            channel == incoming.channel or any(f"/archives/{channel}/" in file.url for file in files)
            for channel in search_off
        ),
        correlation_id=incoming.key,
        limits=limits,
    )


def _attached_files(
    incoming: Incoming,
    thread: Thread,
    quotes: _Quotes,
    earlier: Sequence[ThreadMessage],
    shared_files: SharedFiles | None,
    linked_messages: "LinkedMessages | None",
) -> "tuple[AttachedFile, ...]":
    """Files of the question and of earlier messages, newest first, then messages to which these link.

    A message of this app, which a question is about, links to none.
    """
    sent = [record for message in reversed(earlier) for record in message.file_records]
    files = shared_files.attached(incoming.file_records, sent) if shared_files else ()
    if linked_messages is None:
        return files
    author = incoming.author if incoming.is_about_message else incoming.user
    own: list[WrittenLink] = []
    if not incoming.marked and author != thread.bot_user:
        own = [WrittenLink(author, url) for url in (*links_in(incoming.text), *incoming.links)]
        forwarded = (WrittenLink(*pair.split(" ", 1)) for pair in incoming.forwarded)
        own += [link for link in forwarded if link.author != thread.bot_user]
    before = (
        WrittenLink(message.user, url)
        for message in reversed(earlier)
        if not message.ours and not quotes.closes(message)
        for url in links_in(message.text)
    )
    return files + linked_messages.attached(incoming, own, islice(before, MOST_EARLIER))


def _shortcut_question(incoming: Incoming, thread: Thread, quotes: _Quotes, shown: Sequence[str]) -> str:
    """The question of a shortcut or a reaction, with the links of the message that it is about.

    Its text is added if the history does not have it. A message of this app adds nothing: links that the app
    wrote are not a user's request.
    """
    is_copy = incoming.marked or (incoming.by_app and not quotes.are_compared)
    if is_copy or incoming.author == thread.bot_user or not thread.bot_user:
        return wording.shortcut_question()
    in_text, text = links_in(incoming.text), unwrapped(incoming.text, thread.names)
    is_told = any(message.text == incoming.text for message in thread.messages)
    if is_told and (in_text or shown):
        lines = [delimited(link) for link in dict.fromkeys([*in_text, *shown])]
    else:
        lines = [text, *map(delimited, shown)]
    return "\n".join([wording.shortcut_question(), "", *map(quotes.shown, lines)]).strip()


def _earlier_messages(incoming: Incoming, messages: Sequence[ThreadMessage]) -> list[ThreadMessage]:
    """The messages before the question that say something, without the replies to it.

    Placeholders and notices of this app say nothing, nor does a stream that has not ended.
    """
    earlier = []
    for message in messages:
        if message.ours:
            is_said = message.kind == MessageKind.ANSWER or (not message.kind and bool(message.files))
        else:
            is_said = bool(message.text.strip() or message.links or message.forwarded or message.files)
        is_earlier = not incoming.ts or _order(message.ts) < _order(incoming.ts)
        if is_said and is_earlier and message.key != incoming.key:
            earlier.append(message)
    return earlier


def _history(
    earlier: Sequence[ThreadMessage], thread: Thread, quotes: _Quotes, asker: str
) -> "Iterator[Turn]":
    """What was said before the question: users' messages one by one, consecutive ones of this app as one."""
    from fetcher.agent import Turn

    for ours, group in groupby(earlier, key=lambda message: message.ours):
        if ours:
            text = "\n\n".join(text_shown(message, thread.names) for message in group)
            yield Turn(author="", text=text, ours=True)
            continue
        for message in group:
            yield Turn(
                author=thread.names.get(message.user) or wording.unknown_author(),
                text=text_shown(message, thread.names, quotes.as_shown(message)),
                by_asker=bool(asker) and message.user == asker and not (message.marked or message.by_app),
            )


def text_shown(message: ThreadMessage, names: Names, as_quote: Callable[[str], str] = without_links) -> str:
    """What a message says, with the names of its files."""
    if message.ours:
        return _with_files(message.text, message.files)
    own = "\n".join(filter(None, [unwrapped(message.text, names), *map(delimited, message.links)]))
    forwarded = as_quote("\n".join(map(delimited, message.forwarded)))
    is_quote = message.marked or message.by_app
    return _with_files(
        "\n".join(filter(None, [as_quote(own) if is_quote else own, forwarded])), message.files
    )


def _order(ts: str) -> tuple[int, str]:
    """Timestamps in the order of time: `9.5` comes before `10.5`."""
    seconds, _, rest = ts.partition(".")
    return (int(seconds) if seconds.isdecimal() else 0, rest)


def _with_files(text: str, files: Sequence[str]) -> str:
    attached = wording.attached_files(without_links(", ".join(files))) if files else ""
    return "\n".join(filter(None, [text, attached]))
