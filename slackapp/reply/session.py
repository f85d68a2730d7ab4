"""One reply, from its first message to its end.

Every posted message is recorded before the next one is posted, and messages that an earlier worker posted
without recording them are found by their marks. So a reply that is run again, from any point, ends in the
same messages.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Self

from fetcher.clock import Clock
from slackapp.listeners.incoming import Incoming, Kind
from slackapp.reply import answer_messages
from slackapp.reply.ledger import Ledger, Record
from slackapp.reply.progress import ProgressTracker
from slackapp.reply.refusal import RefusalNotice
from slackapp.reply.stream import StreamSurface, end_stream, stream_identity
from slackapp.reply.surfaces import EPHEMERAL, EphemeralSurface, Surface, ThreadSurface
from slackapp.reply.throttle import ThrottledThread
from slackapp.slack.errors import ChannelClosed, NotInChannel, PostError, RateLimited
from slackapp.slack.message import MessageKind, Place
from slackapp.slack.poster import Poster
from slackapp.stores.contract import ReplyRecord
from slackapp.thread.slack_text import unwrapped

if TYPE_CHECKING:
    from fetcher.agent import Answer, Progress

log = logging.getLogger(__name__)

PACE = 1.0
"""Seconds between two updates of the progress."""
IDLE = 20.0
ROOT_SEARCH = timedelta(hours=1)
"""How far back the app searches for a command's first message."""


class ReplySession:
    """One reply: `begin`, any number of `update_progress`, then `post_answer` or `post_notice`; or `refuse`.

    Raises PostError where Slack refuses, and what `record` raises when the claim is lost: then nothing more
    is posted. `on_posted` receives the timestamp of every message of the reply.
    """

    def __init__(
        self,
        poster: Poster,
        incoming: Incoming,
        *,
        record: Record,
        clock: Clock,
        reply_record: ReplyRecord,
        resumed: bool,
        on_posted: Callable[[str], None],
        pace: float = PACE,
    ) -> None:
        self._poster = poster
        self._incoming = incoming
        self._clock = clock
        self._resumed = resumed
        self._ledger = Ledger(incoming.key, reply_record, record, on_posted)
        self._tracker = ProgressTracker()
        self._progress_thread = ThrottledThread(self._show_progress, interval=pace, idle=IDLE)
        self._surface: Surface | None = None
        self._place = Place(channel=incoming.channel, thread_ts=incoming.thread_ts, since=incoming.ts)
        self._refusal = RefusalNotice(poster, self._ledger, incoming, self._place, resumed=resumed)
        self._quiet_until: datetime | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def thread_ts(self) -> str:
        """The thread of the reply, once it has begun; empty if only the asker sees it."""
        return self._surface.thread_ts if self._surface else ""

    def record_charge(self) -> None:
        """Record that the question has been counted."""
        self._ledger.record_charge()

    def begin(self) -> None:
        """Show that the app is working on the question."""
        self._surface = self._open_surface()
        self._surface.show_working()
        self._progress_thread.start()

    def update_progress(self, progress: "Progress") -> None:
        """Note what the agent is doing; returns at once, from any thread."""
        self._tracker.update(progress)
        self._progress_thread.nudge()

    def post_answer(self, answer: "Answer") -> None:
        """Replace the progress by the answer, then upload its files."""
        surface = self._surface = self._surface or self._open_surface()
        self._progress_thread.stop()
        surface.post_answer(answer)

    def post_notice(self, text: str) -> None:
        """Replace the progress by one sentence: a failure, or that the run was stopped."""
        surface = self._surface = self._surface or self._open_surface()
        self._progress_thread.stop()
        surface.post_notice(text)

    def refuse(self, text: str) -> None:
        """Tell only the asker why the question is not answered.

        If an earlier worker has begun a visible reply, the reason is posted there.
        """
        if self.was_refused():
            return
        if self._resumed and self._has_visible_reply():
            self.post_notice(text)
        else:
            self._refusal.tell(text)

    def was_refused(self) -> bool:
        """Whether an earlier worker has told a refusal, or may have; then nothing more is posted."""
        return self._refusal.was_told()

    def close(self) -> None:
        """Stop showing progress; nothing is posted after this."""
        self._progress_thread.abandon()

    def _open_surface(self) -> Surface:
        incoming, ledger = self._incoming, self._ledger
        surface: ThreadSurface
        try:
            if incoming.kind is Kind.COMMAND:
                root = self._post_root()
                self._place = Place(channel=incoming.channel, thread_ts=root, since=root)
            if self._resumed:
                ledger.adopt(self._poster.posted_messages(self._place, incoming.key))
                self._end_earlier_streams()
            if incoming.kind is Kind.DIRECT and not ledger.reply_record.replies:
                surface = StreamSurface(self._poster, ledger, self._place, incoming, clock=self._clock)
            else:
                surface = ThreadSurface(self._poster, ledger, self._place, incoming)
            surface.open()
        except (NotInChannel, ChannelClosed):
            if not incoming.response_url:
                raise
            return EphemeralSurface(self._poster, ledger, incoming.response_url)
        return surface

    def _post_root(self) -> str:
        """Post the first message of a command's thread, unless an earlier worker did; its timestamp."""
        ledger, incoming = self._ledger, self._incoming
        if ledger.reply_record.root:
            return ledger.reply_record.root
        since = f"{(self._clock.now() - ROOT_SEARCH).timestamp():.6f}"
        place = Place(channel=incoming.channel, since=since)
        found = self._poster.posted_messages(place, incoming.key) if self._resumed else ()
        root = next((posted.ts for posted in found if posted.part == MessageKind.ROOT), "")
        if not root:
            message = answer_messages.root_message(incoming.user, unwrapped(incoming.question, {}))
            root = self._poster.post(place, message, ledger.mark(MessageKind.ROOT))
        ledger.record_root(root)
        return root

    def _end_earlier_streams(self) -> None:
        """End the streams of an earlier worker, so that they can be updated or deleted."""
        since = self._ledger.reply_record.stream_since
        if not since:
            return
        recorded = self._ledger.reply_record.replies[:1]
        unrecorded = self._poster.find_stream(
            replace(self._place, since=since), stream_identity(self._incoming)
        )
        for ts in dict.fromkeys([*recorded, *([unrecorded] if unrecorded else [])]):
            end_stream(self._poster, self._place.channel, ts, self._ledger)
        if unrecorded and not recorded:
            self._ledger.record_reply(0, unrecorded)
        elif unrecorded and unrecorded not in recorded:
            self._ledger.surplus.append(unrecorded)

    def _show_progress(self) -> None:
        """Show the progress once; a failure is only logged."""
        surface, now = self._surface, self._clock.now()
        if surface is None or (self._quiet_until and now < self._quiet_until):
            return
        try:
            surface.show_progress(self._tracker.view)
        except RateLimited as error:
            self._quiet_until = now + timedelta(seconds=error.retry_after)
        except PostError as error:
            fields = {"error_code": error.code, "key": self._incoming.key}
            log.info("progress_not_shown", extra={"fields": fields})

    def _has_visible_reply(self) -> bool:
        """Whether a part of the reply is posted for everyone to see, recorded or not."""
        record = self._ledger.reply_record
        if record.root or record.replies or record.stream_since:
            return EPHEMERAL not in record.replies
        if not self._place.thread_ts:
            return False
        try:
            posted = self._poster.posted_messages(self._place, self._incoming.key)
        except PostError as error:
            if error.retryable:
                raise
            return False
        return any(message.part.isdecimal() for message in posted)
