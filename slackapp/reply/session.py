"""The life of one reply: begun, watched, ended, whoever works on it and however often it is begun again.

What makes a message is recorded before anything else is said, and whatever an earlier worker said without
recording it is found by its mark. So a reply that is run again, from any point, ends in the same messages.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Self

from fetcher.clock import Clock
from slackapp import messages_ja
from slackapp.listeners.incoming import Incoming, Kind
from slackapp.reply import answer_messages
from slackapp.reply.attachments import Attachments
from slackapp.reply.ledger import Ledger, Record
from slackapp.reply.progress import ProgressTracker
from slackapp.reply.refusal import RefusalNotice
from slackapp.reply.surfaces import (
    WHISPERED,
    EphemeralSurface,
    StreamSurface,
    Surface,
    ThreadSurface,
    end_stream,
    origin_of,
)
from slackapp.reply.throttle import ThrottledThread
from slackapp.slack.errors import BlocksRefused, ChannelClosed, NotInChannel, PostError, RateLimited, TooLong
from slackapp.slack.message import Message, MessageKind, Place
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
"""How far back a command's first message is looked for."""


def _nobody(_: str) -> None:
    """Nobody wants to know."""


class ReplySession:
    """One reply. `begin`, any number of `progress`, then `answer` or `say`; or `refuse` alone.

    Raises PostError where Slack does not let us speak, and whatever `record` raises when the claim is lost:
    nothing is said after that. `on_posted` hears the timestamp of every message that the reply has.
    """

    def __init__(
        self,
        poster: Poster,
        incoming: Incoming,
        *,
        record: Record,
        clock: Clock,
        delivery: ReplyRecord | None = None,
        resumed: bool = False,
        on_posted: Callable[[str], None] = _nobody,
        pace: float = PACE,
    ) -> None:
        self._poster = poster
        self._incoming = incoming
        self._clock = clock
        self._resumed = resumed
        self._ledger = Ledger(incoming.key, delivery or ReplyRecord(), record, on_posted)
        self._watch = ProgressTracker()
        self._pacer = ThrottledThread(self._show, interval=pace, idle=IDLE)
        self._surface: Surface | None = None
        self._place = Place(channel=incoming.channel, thread_ts=incoming.thread_ts, since=incoming.ts)
        self._denial = RefusalNotice(poster, self._ledger, incoming, self._place, resumed=resumed)
        self._quiet_until: datetime | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def delivery(self) -> ReplyRecord:
        """What stands in Slack by now."""
        return self._ledger.delivery

    @property
    def thread_ts(self) -> str:
        """The thread that the reply is in, once it has begun; empty where one person alone hears it."""
        return self._place.thread_ts if isinstance(self._surface, ThreadSurface) else ""

    def begin(self) -> None:
        """Shows that somebody works on it."""
        self._surface = self._opened()
        if isinstance(self._surface, ThreadSurface):
            self._poster.status(self._place, "processing", self._incoming.user)
            self._pacer.start()

    def progress(self, progress: "Progress") -> None:
        """Takes note of what the agent does; returns at once, from any thread."""
        self._watch.take(progress)
        self._pacer.nudge()

    def answer(self, answer: "Answer") -> None:
        """The answer in place of the progress, then its files."""
        surface = self._begun()
        self._pacer.stop()
        if isinstance(surface, ThreadSurface):
            self._say_in_shape(surface, answer)
            Attachments(self._poster, self._ledger, self._place).deliver(answer.files)
            self._poster.status(self._place, "active", self._incoming.user)
        else:
            surface.say(answer_messages.messages(_whispered(answer), answer_messages.WHISPERED))

    def say(self, text: str) -> None:
        """A sentence of ours in place of the progress: a failure, or that it was stopped."""
        surface = self._begun()
        self._pacer.stop()
        surface.say([Message(text=text, sort=MessageKind.NOTICE)])
        if isinstance(surface, ThreadSurface):
            Attachments(self._poster, self._ledger, self._place).deliver(())
            self._poster.status(self._place, "active", self._incoming.user)

    def refuse(self, text: str) -> None:
        """Tells the asker alone why there is no answer.

        What an earlier worker had begun to answer for all to see is ended there.
        """
        if self.was_refused():
            return
        if self._resumed and self._was_begun():
            self.say(text)
        else:
            self._denial.tell(text)

    def was_refused(self) -> bool:
        """Whether an earlier worker has told the asker no, or may have: then there is nothing more to say."""
        return self._denial.was_told()

    def close(self) -> None:
        """Lets the progress rest; nothing is said after this."""
        self._pacer.abandon()

    def _begun(self) -> Surface:
        """Where to speak; whoever has nothing to show begins with the end."""
        if self._surface is None:
            self._surface = self._opened()
        return self._surface

    def _opened(self) -> Surface:
        try:
            return self._thread()
        except (NotInChannel, ChannelClosed):
            if not self._incoming.response_url:
                raise
            return EphemeralSurface(self._poster, self._ledger, self._incoming.response_url)

    def _thread(self) -> ThreadSurface:
        if self._incoming.kind is Kind.COMMAND:
            root = self._root()
            self._place = Place(channel=self._incoming.channel, thread_ts=root, since=root)
        if self._resumed:
            self._ledger.adopt(self._poster.standing(self._place, self._incoming.key))
            self._end_streams()
        surface = self._fresh_surface()
        surface.open()
        return surface

    def _fresh_surface(self) -> ThreadSurface:
        if self._incoming.kind is Kind.DIRECT and not self._ledger.delivery.replies:
            return StreamSurface(
                self._poster, self._ledger, self._place, incoming=self._incoming, clock=self._clock
            )
        return ThreadSurface(self._poster, self._ledger, self._place)

    def _root(self) -> str:
        """The message that a command's thread hangs on."""
        if self._ledger.delivery.root:
            return self._ledger.delivery.root
        since = f"{(self._clock.now() - ROOT_SEARCH).timestamp():.6f}"
        place = Place(channel=self._incoming.channel, since=since)
        found = self._poster.standing(place, self._incoming.key) if self._resumed else ()
        root = next((standing.ts for standing in found if standing.part == MessageKind.ROOT), "")
        message = answer_messages.root(self._incoming.user, unwrapped(self._incoming.question, {}))
        self._ledger.set_root(root or self._poster.post(place, message, self._ledger.mark(MessageKind.ROOT)))
        return self._ledger.delivery.root

    def _end_streams(self) -> None:
        """Ends what an earlier worker was streaming, so that it can be updated or deleted."""
        since = self._ledger.delivery.stream_since
        if not since:
            return
        stray = self._poster.stream_in(replace(self._place, since=since), origin_of(self._incoming))
        known = self._ledger.delivery.replies[:1]
        for ts in dict.fromkeys([*known, *([stray] if stray else [])]):
            end_stream(self._poster, self._place.channel, ts, self._ledger)
        if stray and not known:
            self._ledger.set_reply(0, stray)
        elif stray and stray not in known:
            self._ledger.surplus.append(stray)

    def _show(self) -> None:
        """One look at the progress; a failure is not worth more than a line in the log."""
        surface, now = self._surface, self._clock.now()
        if surface is None or (self._quiet_until and now < self._quiet_until):
            return
        try:
            surface.show(self._watch.view)
        except RateLimited as error:
            self._quiet_until = now + timedelta(seconds=error.retry_after)
        except PostError as error:
            fields = {"error_code": error.code, "key": self._incoming.key}
            log.info("progress_not_shown", extra={"fields": fields})

    def _say_in_shape(self, surface: ThreadSurface, answer: "Answer") -> None:
        """The answer as it reads best, or, where Slack refuses that, in a form that it takes."""
        for shape in answer_messages.SHAPES[:-1]:
            try:
                return surface.say(answer_messages.messages(answer, shape))
            except (TooLong, BlocksRefused) as error:
                fields = {"error_code": error.code, "key": self._incoming.key, "room": shape.room}
                log.warning("answer_reshaped", extra={"fields": fields})
        return surface.say(answer_messages.messages(answer, answer_messages.SHAPES[-1]))

    def _was_begun(self) -> bool:
        """Whether a part of a reply stands for all to see, recorded or not."""
        delivery = self._ledger.delivery
        if delivery.root or delivery.replies or delivery.stream_since:
            return WHISPERED not in delivery.replies
        return bool(self._place.thread_ts) and self._stands()

    def _stands(self) -> bool:
        try:
            standing = self._poster.standing(self._place, self._incoming.key)
        except PostError as error:
            if error.retryable:
                raise
            return False
        return any(message.part.isdecimal() for message in standing)


def _whispered(answer: "Answer") -> "Answer":
    """An answer for one person: files need a channel that we are in."""
    notes = (messages_ja.files_need_membership(),) if answer.files else ()
    return replace(answer, undone=(*answer.undone, *notes), answered=False)
