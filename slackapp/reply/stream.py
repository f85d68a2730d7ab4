"""A reply as a stream, in direct messages."""

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from fetcher.clock import Clock
from slackapp.listeners.incoming import Incoming
from slackapp.reply.ledger import Ledger
from slackapp.reply.progress import ProgressView
from slackapp.reply.surfaces import ThreadSurface
from slackapp.slack.errors import PostError, SlackDown, StreamOver
from slackapp.slack.message import Place, StreamIdentity
from slackapp.slack.poster import Poster

if TYPE_CHECKING:
    from fetcher.agent import Answer

log = logging.getLogger(__name__)

STREAM_LIFE = timedelta(minutes=4)
"""Slack ends a stream after about five minutes; the app replaces it before that."""


def stream_identity(incoming: Incoming) -> StreamIdentity:
    name = hashlib.sha256(incoming.key.encode()).hexdigest()[:12]
    return StreamIdentity(bot_user=incoming.bot_user, name=name)


def end_stream(poster: Poster, channel: str, ts: str, ledger: Ledger) -> None:
    """End a stream that may have ended by itself."""
    try:
        poster.stop_stream(channel, ts, ledger.mark(0))
    except SlackDown:
        raise
    except PostError as error:
        log.info("stream_was_over", extra={"fields": {"error_code": error.code, "ts": ts}})


class StreamSurface(ThreadSurface):
    """A stream; its text is a preview, and the answer replaces it."""

    def __init__(
        self, poster: Poster, ledger: Ledger, place: Place, incoming: Incoming, *, clock: Clock
    ) -> None:
        super().__init__(poster, ledger, place, incoming)
        self._clock = clock
        self._identity = stream_identity(incoming)
        self._streamed: ProgressView | None = None
        self._until = datetime.min.replace(tzinfo=clock.now().tzinfo)
        self._streaming = False

    def open(self) -> None:
        """Open a stream, or post a plain message if Slack refuses a stream."""
        self._ledger.record(stream_since=self._incoming.ts)  # before it is opened: it has no mark yet
        try:
            self._start(ProgressView(), since=self._incoming.ts)
        except SlackDown:
            raise
        except PostError as error:
            log.info("stream_refused", extra={"fields": {"error_code": error.code, "key": self._ledger.key}})
            super().open()

    def _start(self, view: ProgressView, *, since: str) -> None:
        ts = self._poster.start_stream(
            replace(self._place, since=since),
            view.chunks(None, self._identity.name),
            user=self._incoming.user,
            team=self._incoming.user_team or self._incoming.team,
            identity=self._identity,
        )
        self._ledger.record_reply(0, ts)
        self._streamed = view
        self._until = self._clock.now() + STREAM_LIFE
        self._streaming = True

    def show_progress(self, view: ProgressView) -> None:
        try:
            if self._streaming and self._clock.now() >= self._until:
                self._replace_stream(view)
            elif self._streaming and (chunks := view.chunks(self._streamed, self._identity.name)):
                self._poster.append_to_stream(self._place.channel, self._first, chunks)
                self._streamed = view
        except StreamOver:
            self._streaming = False
        if not self._streaming:
            super().show_progress(view)

    def _replace_stream(self, view: ProgressView) -> None:
        """Continue in a new stream. The old one is marked first, so that no worker takes it for the new."""
        old = self._first
        self._end_stream()
        self._ledger.record(stream_since=old)
        try:
            self._start(view, since=old)
        except PostError as error:
            log.warning("stream_not_rotated", extra={"fields": {"error_code": error.code}})
            return
        self._delete(old)

    def post_answer(self, answer: "Answer", steps: Sequence[str]) -> None:
        self._end_stream()
        super().post_answer(answer, steps)

    def post_notice(self, text: str) -> None:
        self._end_stream()
        super().post_notice(text)

    def _end_stream(self) -> None:
        if self._streaming:
            self._streaming = False
            end_stream(self._poster, self._place.channel, self._first, self._ledger)
