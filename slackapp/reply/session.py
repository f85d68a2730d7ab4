"""One reply, from its first message to its end.

Every posted message is recorded before the next one is posted, and messages that an earlier worker posted
without recording them are found by their marks. So a reply that is run again, from any point, ends in the
same messages. If the outcome of a call is unknown, the thread is read back before the end (`settle`).
"""

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Self

from fetcher import wording as engine_wording
from fetcher.bare_urls import without_urls
from fetcher.clock import Clock
from fetcher.wording.language import current_language
from slackapp import wording
from slackapp.listeners.incoming import Incoming, Kind
from slackapp.reply import answer_messages
from slackapp.reply.ledger import Ledger, Record
from slackapp.reply.progress import ProgressTracker, ThrottledThread
from slackapp.reply.refusal import REFUSAL, RefusalNotice
from slackapp.reply.stream import StreamSurface, end_stream, stream_identity
from slackapp.reply.surfaces import EphemeralSurface, Surface, ThreadSurface
from slackapp.slack.errors import ChannelClosed, NotInChannel, PostError, SlackDown, Unavailable
from slackapp.slack.message import MessageKind, Place, escaped
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
MOST_LOOKS = 10
"""How often the end of a reply is read back; after that the next worker looks."""


class ReplySession:
    """One reply: `begin`, any number of `update_progress`, then `post_answer` or `post_notice`; or `refuse`.
    At last `settle`.

    Raises PostError where Slack refuses, and what `record` and `require` raise when the claim is lost: then
    nothing more is posted. `on_posted` receives the timestamp of every message of the reply. It is the fence
    of its own poster.
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
        require: Callable[[], None] = lambda: None,
        run: str = "",
        wait: Callable[[float], object] = time.sleep,
        settle_seconds: float = 0.0,
        pace: float = PACE,
    ) -> None:
        self.require = require
        self._wait = wait
        self._settle_seconds = settle_seconds
        self._is_unsettled = resumed
        """Whether Slack may still carry out a call that it has not answered."""
        self._has_begun = False
        self._unfenced = poster
        self._poster = poster = poster.behind(self)
        self._incoming = incoming
        self._clock = clock
        self._resumed = resumed
        self._ledger = Ledger(incoming.key, reply_record, record, on_posted, run=run)
        self._tracker = ProgressTracker()
        self._progress_thread = ThrottledThread(self._show_progress, interval=pace, idle=IDLE)
        self._surface: Surface | None = None
        self._place = Place(channel=incoming.channel, thread_ts=incoming.thread_ts, since=incoming.ts)
        self.refusal = RefusalNotice(poster, self._ledger, incoming, self._place, resumed=resumed)
        self._quiet_until: datetime | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def thread_ts(self) -> str:
        """The thread of the reply, once it has begun; empty if only the asker sees it."""
        return self._surface.thread_ts if self._surface else ""

    @property
    def runs(self) -> int:
        """How many runs of this question have begun."""
        return self._ledger.reply_record.runs

    def note_uncertain(self, method: str) -> None:
        """Record that Slack may still carry out a call."""
        self._is_unsettled = True
        uncertain = self._ledger.reply_record.uncertain
        if method not in uncertain:
            self._ledger.record(uncertain=(*uncertain, method))

    def record_run(self) -> None:
        """Record that the question has been counted against the limits, and that a run begins."""
        self._ledger.record(charged=True, runs=self.runs + 1, language=current_language())
        self._has_begun = True

    def give_back_run(self) -> None:
        """Record that the run was not an attempt: it was interrupted, or refused by Slack."""
        if self._has_begun:
            self._has_begun = False
            self._ledger.record(runs=max(0, self.runs - 1))

    def is_complete(self) -> bool:
        """Whether an earlier worker has posted the whole answer, and it still stands."""
        if not self._ledger.reply_record.wanted:
            return False
        self._surface = self._open_surface()
        return self._surface.is_complete()

    def begin(self) -> None:
        """Show that the app is working on the question."""
        self._surface = self._surface or self._open_surface()
        self._surface.show_working()
        self._progress_thread.start()

    def update_progress(self, progress: "Progress") -> None:
        """Note what the agent is doing; returns at once, from any thread."""
        self._tracker.update(progress)
        self._progress_thread.nudge()

    def post_answer(self, answer: "Answer") -> None:
        """Replace the progress by the answer and the steps that led to it, then upload its files."""
        surface = self._surface = self._surface or self._open_surface()
        self._progress_thread.stop()
        surface.post_answer(answer, self._tracker.view.steps)

    def post_stopped(self) -> None:
        """End a stopped run: what was written so far stays, marked as stopped."""
        surface = self._surface = self._surface or self._open_surface()
        written = self._tracker.view.partial_answer(wording.stopped())
        if written is None or surface.has_answer:  # less than an answer never takes the place of one
            self.post_notice(wording.stopped())
        else:
            self.post_answer(written)

    def post_notice(self, text: str) -> None:
        """Replace the progress by one sentence: a failure, or that the run was stopped.

        Queries that have left are told also where no answer comes.
        """
        surface = self._surface = self._surface or self._open_surface()
        self._progress_thread.stop()
        queries = self._tracker.view.searches
        told = [escaped(without_urls(engine_wording.searched(queries)))] if queries else []
        surface.post_notice("\n".join([text, *told]))

    def settle(self) -> None:
        """If the outcome of a call is unknown, put right what stands, and look once more some seconds later.

        It is settled when a look finds nothing wrong that began after this time.
        """
        if self._surface and self._is_unsettled:
            self._surface.record_end()
        for _ in range(MOST_LOOKS):
            if not self._is_unsettled:
                return
            self._put_right()
            self._is_unsettled = False
            self._wait(self._settle_seconds)
            if self._put_right():
                self._is_unsettled = True
        raise SlackDown("not_settled")

    def await_late_files(self, seconds: float) -> None:
        """With the claim done, wait for files that Slack has accepted and does not show yet."""
        if self._surface:
            self._surface.await_late_files(self._unfenced, self._wait, seconds)

    def end_status(self) -> None:
        """Set the status back, if the reply ends without a message."""
        self._progress_thread.abandon()
        if self._has_begun and self._place.thread_ts:
            self._poster.set_status(self._place, "active", self._incoming.user)

    def refuse(self, text: str) -> None:
        """Tell only the asker why the question is not answered.

        If an earlier worker has begun a visible reply, the reason is posted there.
        """
        if self.refusal.was_told():
            return
        if self._resumed and self.refusal.has_visible_reply():
            self.post_notice(text)
        else:
            self.refusal.tell(text)

    def close(self) -> None:
        """Stop showing progress; nothing is posted after this."""
        self._progress_thread.abandon()

    def _open_surface(self) -> Surface:
        incoming, ledger = self._incoming, self._ledger
        surface: ThreadSurface
        try:
            if incoming.needs_first_message:
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
        """Post the first message of a thread of ours, unless an earlier worker did; its timestamp."""
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
        if not self._ledger.reply_record.stream_since:
            return
        recorded, unrecorded = self._ledger.reply_record.replies[:1], self._unrecorded_stream()
        for ts in [*recorded, *filter(None, [unrecorded])]:
            end_stream(self._poster, self._place.channel, ts, self._ledger)
        if unrecorded and not recorded:
            self._ledger.record_reply(0, unrecorded)
        elif unrecorded:
            self._ledger.surplus.append(unrecorded)

    def _put_right(self) -> bool:
        """Read back what stands, and mend it; whether anything was wrong."""
        surplus: list[str] = []
        place, root = self._place, self._ledger.reply_record.root
        if root:  # a command's thread may have begun twice
            channel = Place(channel=place.channel, since=f"{float(root) - ROOT_SEARCH.total_seconds():.6f}")
            roots = self._poster.posted_messages(channel, self._incoming.key)
            surplus += [each.ts for each in roots if each.part == MessageKind.ROOT and each.ts != root]
        if self._surface is None and self._incoming.is_private:
            found = self._poster.posted_messages(place, self._incoming.key)
            surplus += [each.ts for each in found if each.part == REFUSAL][1:]
        if stream := self._unrecorded_stream():
            end_stream(self._poster, place.channel, stream, self._ledger)
            surplus.append(stream)
        for ts in surplus:
            self._poster.delete(place.channel, ts)
        return (self._surface is not None and self._surface.put_right()) or bool(surplus)

    def _unrecorded_stream(self) -> str:
        """A stream of this reply that has no mark and is not recorded."""
        record = self._ledger.reply_record
        if not record.stream_since:
            return ""
        place = replace(self._place, since=record.stream_since)
        found = self._poster.find_stream(place, stream_identity(self._incoming))
        return found if found and found not in record.replies else ""

    def _show_progress(self) -> None:
        """Show the progress once; a failure is only logged."""
        surface, now = self._surface, self._clock.now()
        if surface is None or (self._quiet_until and now < self._quiet_until):
            return
        try:
            surface.show_progress(self._tracker.view)
        except Unavailable as error:
            self._quiet_until = now + timedelta(seconds=error.retry_after)
        except PostError as error:
            fields = {"error_code": error.code, "key": self._incoming.key}
            log.info("progress_not_shown", extra={"fields": fields})
