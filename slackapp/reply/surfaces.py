"""Where a reply appears: a message that is updated, a stream, or words for one person only.

Each shows progress while the agent works (`show`, from a thread of its own) and says the end (`say`), which
may be run again by another worker and leaves the same messages.
"""

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Protocol

from fetcher.clock import Clock
from slackapp import messages_ja
from slackapp.listeners.incoming import Incoming
from slackapp.reply.blocks.slack_blocks import note
from slackapp.reply.ledger import Ledger
from slackapp.reply.progress import ProgressView
from slackapp.slack.errors import MessageGone, PostError, SlackDown, StreamOver
from slackapp.slack.message import Message, MessageKind, Place
from slackapp.slack.posted import StreamIdentity
from slackapp.slack.poster import Poster

log = logging.getLogger(__name__)

STREAM_LIFE = timedelta(minutes=4)
"""Slack ends a stream after about five minutes; ours is replaced before that."""
WHISPERED = "whispered"
"""Stands in the delivery for what only one person saw."""


class Surface(Protocol):
    """One way of replying."""

    def show(self, view: ProgressView) -> None:
        """What is being done; called one at a time, and never again once something was said."""

    def say(self, messages: Sequence[Message]) -> None:
        """The end, in place of everything before."""


class ThreadSurface:
    """A message in a thread: a placeholder that tells the progress and becomes the answer."""

    def __init__(self, poster: Poster, ledger: Ledger, place: Place) -> None:
        self.place = place
        self._poster = poster
        self._ledger = ledger
        self._shown = ProgressView().message()
        self._final = False
        """Whether an answer stands there already: it is replaced by nothing less."""

    def open(self) -> None:
        if not self._ledger.delivery.replies:
            self._post(0, self._shown)
        self._final = self._ledger.sorts.get(self._first) == MessageKind.ANSWER

    @property
    def _first(self) -> str:
        return self._ledger.delivery.replies[0]

    def show(self, view: ProgressView) -> None:
        message = view.message()
        if message != self._shown and not self._final:
            self._poster.hint(self.place.channel, self._first, message, self._ledger.mark(0))
            self._shown = message

    def say(self, messages: Sequence[Message]) -> None:
        for index, message in enumerate(messages):
            if index < len(self._ledger.delivery.replies):
                self._update(index, message)
            else:
                self._post(index, message)
        for ts in self._ledger.keep_replies(len(messages)):
            self._delete(ts)

    def _post(self, index: int, message: Message) -> None:
        self._ledger.set_reply(index, self._poster.post(self.place, message, self._ledger.mark(index)))

    def _update(self, index: int, message: Message) -> None:
        ts = self._ledger.delivery.replies[index]
        try:
            self._poster.update(self.place.channel, ts, message, self._ledger.mark(index))
        except MessageGone:
            self._ledger.set_reply(index, self._replaced(index, ts, message))

    def _replaced(self, index: int, old: str, message: Message) -> str:
        """A new message where the old one cannot be changed; it goes first, lest the mark be found on it."""
        self._delete(old)
        return self._poster.post(self.place, message, self._ledger.mark(index))

    def _delete(self, ts: str) -> None:
        if ts == WHISPERED:
            return
        try:
            self._poster.delete(self.place.channel, ts)
        except MessageGone:
            return
        except PostError as error:
            fields = {"error_code": error.code, "ts": ts, "channel": self.place.channel}
            log.warning("message_not_deleted", extra={"fields": fields})


class StreamSurface(ThreadSurface):
    """A stream, for direct messages; its text is a preview, and the answer takes its place."""

    def __init__(
        self, poster: Poster, ledger: Ledger, place: Place, *, incoming: Incoming, clock: Clock
    ) -> None:
        super().__init__(poster, ledger, place)
        self._incoming = incoming
        self._clock = clock
        self._origin = origin_of(incoming)
        self._streamed: ProgressView | None = None
        self._until = datetime.min.replace(tzinfo=clock.now().tzinfo)
        self._streaming = False

    def open(self) -> None:
        """Opens a stream, the intention recorded first; a plain message where streams are not to be had."""
        self._ledger.intend_stream(self._incoming.ts)
        try:
            self._start(ProgressView(), since=self._incoming.ts)
        except SlackDown:
            raise
        except PostError as error:
            log.info("stream_refused", extra={"fields": {"error_code": error.code, "key": self._ledger.key}})
            super().open()

    def _start(self, view: ProgressView, *, since: str) -> None:
        ts = self._poster.start_stream(
            replace(self.place, since=since),
            view.chunks(None, self._origin.name),
            user=self._incoming.user,
            team=self._incoming.user_team or self._incoming.team,
            origin=self._origin,
        )
        self._ledger.set_reply(0, ts)
        self._streamed = view
        self._until = self._clock.now() + STREAM_LIFE
        self._streaming = True

    def show(self, view: ProgressView) -> None:
        try:
            if self._streaming and self._clock.now() >= self._until:
                self._rotate(view)
            elif self._streaming and (chunks := view.chunks(self._streamed, self._origin.name)):
                self._poster.append(self.place.channel, self._first, chunks)
                self._streamed = view
        except StreamOver:
            self._streaming = False
        if not self._streaming:
            super().show(view)

    def _rotate(self, view: ProgressView) -> None:
        """Goes on in a new stream; the old one is marked first, so that no worker takes it for the new."""
        old = self._first
        self._end()
        self._ledger.intend_stream(old)
        try:
            self._start(view, since=old)
        except PostError as error:
            log.warning("stream_not_rotated", extra={"fields": {"error_code": error.code}})
            return
        self._delete(old)

    def say(self, messages: Sequence[Message]) -> None:
        self._end()
        super().say(messages)

    def _end(self) -> None:
        if self._streaming:
            self._streaming = False
            end_stream(self._poster, self.place.channel, self._first, self._ledger)


def origin_of(incoming: Incoming) -> StreamIdentity:
    name = hashlib.sha256(incoming.key.encode()).hexdigest()[:12]
    return StreamIdentity(bot_user=incoming.bot_user, name=name)


def end_stream(poster: Poster, channel: str, ts: str, ledger: Ledger) -> None:
    """Ends a stream that may have ended by itself."""
    try:
        poster.stop_stream(channel, ts, ledger.mark(0))
    except SlackDown:
        raise
    except PostError as error:
        log.info("stream_was_over", extra={"fields": {"error_code": error.code, "ts": ts}})


class EphemeralSurface:
    """Words for the one who gave a command, where the bot is no member (S15).

    Nobody can see whether they arrived, so each is written down before it is said, and never said again.
    """

    def __init__(self, poster: Poster, ledger: Ledger, response_url: str) -> None:
        self._poster = poster
        self._ledger = ledger
        self._response_url = response_url

    def show(self, view: ProgressView) -> None:
        """A response URL may be used five times: none is spent on progress."""

    def say(self, messages: Sequence[Message]) -> None:
        begun = len(self._ledger.delivery.replies)
        if begun:
            log.warning("whisper_not_repeated", extra={"fields": {"key": self._ledger.key}})
        for index, message in enumerate(messages[begun:], begun):
            self._ledger.whispered(index, WHISPERED)
            self._say(_explained(message) if index == 0 else message)

    def _say(self, message: Message) -> None:
        try:
            self._poster.respond(self._response_url, message)
        except SlackDown as error:
            raise PostError(error.code) from error


def _explained(message: Message) -> Message:
    """Why only one person sees it, above the answer."""
    why = messages_ja.not_in_channel()
    blocks = (note(why), *message.blocks) if message.blocks else ()
    return replace(message, text=f"{why}\n\n{message.text}", blocks=blocks)
