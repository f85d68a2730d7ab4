"""Where a reply appears: a message that is updated, or one that only the user of a command sees (S15).

`stream.py` has streams. A surface shows progress while the agent works, then posts the end. Another worker
may post the end again: the result is the same messages. An answer that stands is never replaced by a notice;
the notice stands below it. After an uncertain call the end is read back and put right (docs/protocol.md).
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from slackapp import wording
from slackapp.listeners.incoming import Incoming
from slackapp.reply import answer_messages
from slackapp.reply.attachments import Attachments
from slackapp.reply.blocks.slack_blocks import note
from slackapp.reply.ledger import Ledger
from slackapp.reply.progress import ProgressView
from slackapp.slack.errors import AnswerOverwritten, BlocksRefused, PostError, SlackDown, TooLong
from slackapp.slack.message import Message, MessageKind, Place, PostedMessage
from slackapp.slack.poster import Poster
from slackapp.thread.slack_text import titled

if TYPE_CHECKING:
    from fetcher.agent import Answer

log = logging.getLogger(__name__)

Wait = Callable[[float], object]

EPHEMERAL = "whispered"
"""Replaces the timestamp of an ephemeral message in the reply record."""
BELOW = "notice"
"""The part of a notice below an answer that stands."""
REPLACED = "replaced"
"""Begins the part of a message that Slack lets us neither update nor delete properly."""


class Surface:
    """One way of replying. What a surface cannot do has no effect, as it is here."""

    thread_ts = ""
    """The thread of the reply; empty if only the asker sees it."""
    has_answer = False
    """Whether an answer is posted already; neither progress nor a notice replaces it."""

    def show_working(self) -> None:
        """Show that the app is working on the question."""

    def show_progress(self, view: ProgressView) -> None:
        """Show what the agent is doing. Called by one thread at a time, and never after the end."""

    def post_answer(self, answer: "Answer", steps: Sequence[str]) -> None:
        """Replace the progress by the answer, the steps that were taken for it, and its files."""
        raise NotImplementedError

    def post_notice(self, text: str) -> None:
        """Replace the progress by one sentence: a failure, or that the run was stopped."""
        raise NotImplementedError

    def is_complete(self) -> bool:
        """Whether an earlier worker has posted the whole answer, and it still stands."""
        return False

    def record_end(self) -> None:
        """Record what the end looks like, for a worker that has to look again."""

    def put_right(self) -> bool:
        """Compare what stands with the end that was posted, and mend it; whether anything was wrong."""
        return False

    def await_late_files(self, poster: Poster, wait: Wait, seconds: float) -> None:
        """Withdraw the notices of files that come late; the claim is done."""


@dataclass(slots=True)
class EphemeralSurface(Surface):
    """Messages that only the user of a command sees, in a channel without the bot (S15).

    The app cannot see whether they arrived. So each is recorded before it is sent, and never sent again, and
    none is read back. A response URL may be used five times only, so progress is not shown.
    """

    poster: Poster
    ledger: Ledger
    response_url: str

    def post_answer(self, answer: "Answer", steps: Sequence[str]) -> None:
        """Post the answer without its files and feedback buttons: files need a channel with the bot in it."""
        notes = (wording.files_need_membership(),) if answer.files else ()
        shown = replace(answer, undone=(*answer.undone, *notes), answered=False)
        self._respond(answer_messages.messages(shown, answer_messages.EPHEMERAL_LIMITS))

    def post_notice(self, text: str) -> None:
        self._respond([Message(text=text, kind=MessageKind.NOTICE)])

    def _respond(self, messages: Sequence[Message]) -> None:
        begun = len(self.ledger.reply_record.replies)
        if begun:
            log.warning("whisper_not_repeated", extra={"fields": {"key": self.ledger.key}})
        for index, message in enumerate(messages[begun:], begun):
            self.ledger.record_ephemeral(index, EPHEMERAL)
            shown = message
            if index == 0:
                why = wording.not_in_channel()
                blocks = (note(why), *message.blocks) if message.blocks else ()
                shown = replace(message, text=f"{why}\n\n{message.text}", blocks=blocks)
            try:
                self.poster.respond(self.response_url, shown)
            except SlackDown as error:
                raise PostError(error.code) from error  # not retryable, unlike SlackDown


class ThreadSurface(Surface):
    """A message in a thread: a placeholder that shows the progress and becomes the answer."""

    def __init__(self, poster: Poster, ledger: Ledger, place: Place, incoming: Incoming) -> None:
        self.thread_ts = place.thread_ts
        self._place = place
        self._poster = poster
        self._ledger = ledger
        self._incoming = incoming
        self._shown = ProgressView().message()
        self._older: Sequence[str] = ()
        """The digests of an earlier worker's answer that still stands."""
        self._beside: list[str] = []
        """Messages of the new answer that are posted while the older one still stands."""
        self._end: Sequence[Message] = ()
        """The messages of the answer, or the notice."""
        self._is_simplest = False
        """Whether the answer is in its simplest form."""
        self._attachments = Attachments(poster, ledger, place)

    def open(self) -> None:
        """Post the placeholder, unless an earlier worker did."""
        if not self._ledger.reply_record.replies:
            self._post(0, self._shown)
        first = self._ledger.found.get(self._first)
        self.has_answer = first is not None and first.kind == MessageKind.ANSWER
        if self.has_answer:
            found = (self._ledger.found.get(ts) for ts in self._ledger.reply_record.replies)
            self._older = [posted.digest if posted else "" for posted in found]

    @property
    def _first(self) -> str:
        return self._ledger.reply_record.replies[0]

    def show_working(self) -> None:
        question = self._incoming.question or " ".join(self._incoming.files)
        self._poster.set_status(self._place, "processing", self._incoming.user, titled(question))

    def show_progress(self, view: ProgressView) -> None:
        message = view.message()
        if message != self._shown and not self.has_answer:
            mark = self._ledger.mark(0)
            self._poster.update(self._place.channel, self._first, message, mark, once=True)
            self._shown = message

    def post_answer(self, answer: "Answer", steps: Sequence[str]) -> None:
        """If Slack refuses the answer as it reads best, post it in a simpler form."""
        for limits in answer_messages.LIMITS:
            self._is_simplest = limits is answer_messages.LIMITS[-1]
            try:
                self._end = answer_messages.messages(answer, limits, steps)
                self._replace_replies(self._end)
                break
            except (TooLong, BlocksRefused) as error:
                if self._is_simplest:
                    raise
                fields = {"error_code": error.code, "key": self._incoming.key, "room": limits.room}
                log.warning("answer_reshaped", extra={"fields": fields})
        self._attachments.upload(answer.files)
        self._poster.set_status(self._place, "active", self._incoming.user)

    def post_notice(self, text: str) -> None:
        self._end = [Message(text=text, kind=MessageKind.NOTICE)]
        self._show_notice()
        self._poster.set_status(self._place, "active", self._incoming.user)

    def _show_notice(self) -> None:
        """Put the notice in the place of the progress, or below the answer and what belongs to it."""
        notice, ledger = self._end[0], self._ledger
        if not self.has_answer:
            self._replace_replies([notice])
            self._attachments.upload(())
            if below := ledger.notices.pop(BELOW, ""):
                self._delete(below)
            return
        runs = [ledger.found[ts].run if ts in ledger.found else "" for ts in ledger.reply_record.replies]
        of_this_answer = next((at for at, run in enumerate(runs) if run != runs[0]), len(runs))
        for ts in ledger.drop_replies_after(of_this_answer):
            self._delete(ts)
        if BELOW not in ledger.notices:
            ledger.notices[BELOW] = self._poster.post(self._place, notice, ledger.mark(BELOW))

    def is_complete(self) -> bool:
        record, found = self._ledger.reply_record, self._ledger.found
        digests = tuple(found[ts].digest for ts in record.replies if ts in found)
        return bool(record.wanted) and digests == record.wanted and self._attachments.is_complete()

    def record_end(self) -> None:
        if self._end and self._end[0].kind is MessageKind.ANSWER:
            self._ledger.record(wanted=tuple(message.digest for message in self._end))

    def await_late_files(self, poster: Poster, wait: Wait, seconds: float) -> None:
        self._attachments.await_late(poster, wait, seconds)

    def put_right(self) -> bool:
        """A message that a person has deleted stays deleted."""
        found = self._poster.posted_messages(self._place, self._ledger.key)
        self._ledger.found = {posted.ts: posted for posted in found}
        changed = self._attachments.put_right()
        if "agents.sessions.setStatus" in self._ledger.reply_record.uncertain:
            self._poster.set_status(self._place, "active", self._incoming.user)
        is_notice = bool(self._end) and self._end[0].kind is MessageKind.NOTICE
        if is_notice:
            first = self._ledger.found.get(self._first)
            had_answer, self.has_answer = self.has_answer, bool(first and first.kind == MessageKind.ANSWER)
            if had_answer != self.has_answer:
                self._show_notice()
                return True
        seen: set[str] = set()
        for posted in found:
            if self._is_surplus(posted, seen):
                changed |= self._delete(posted.ts)
            elif posted.part.isdecimal() and not (is_notice and self.has_answer):
                changed |= self._mend(posted)
            seen.add(posted.part)
        return changed

    def _is_surplus(self, posted: PostedMessage, seen: set[str]) -> bool:
        """Whether a message is there twice, or beyond the end; one whose place is free is taken."""
        replies = self._ledger.reply_record.replies
        if not posted.part.isdecimal():
            return posted.part in seen and posted.part != MessageKind.ROOT
        index = int(posted.part)
        if index < len(replies) and replies[index] not in self._ledger.found and posted.part not in seen:
            self._ledger.record_reply(index, posted.ts)
            return False
        return posted.ts not in replies

    def _mend(self, posted: PostedMessage) -> bool:
        """Write a message again that does not say what it should; whether that was so."""
        index, wanted = int(posted.part), self._ledger.reply_record.wanted
        if not self._end:  # an earlier worker's answer, of which only digests are known
            if posted.digest != wanted[index]:
                self._ledger.record(wanted=())
                raise AnswerOverwritten("answer_overwritten")
            return False
        if posted.digest == self._end[index].digest:
            return False
        self._rewrite(index, posted.ts, self._end[index])
        return True

    def _replace_replies(self, messages: Sequence[Message]) -> None:
        """Update the messages that are posted, post those that are missing and delete the rest.

        An older answer of several messages, or one that gives way to several, stands until the new one is
        whole: a worker that dies in between leaves it as it is.
        """
        digests = [message.digest for message in messages]
        is_same = all(old == new for old, new in zip(self._older, digests, strict=False))
        if not is_same and max(len(self._older), len(messages)) > 1:
            self._replace_whole(messages)
            return
        for index, message in enumerate(messages):
            if index >= len(self._ledger.reply_record.replies):
                self._post(index, message)
                continue
            ts = self._ledger.reply_record.replies[index]
            self._rewrite(index, ts, message)
            self.has_answer = self.has_answer or message.kind is MessageKind.ANSWER
        for ts in self._ledger.drop_replies_after(len(messages)):
            self._delete(ts)

    def _replace_whole(self, messages: Sequence[Message]) -> None:
        """Post all messages anew, record them at once, and delete the older ones."""
        try:
            for index in range(len(self._beside), len(messages)):
                ts = self._poster.post(self._place, messages[index], self._ledger.mark(index))
                self._beside.append(ts)
        except (TooLong, BlocksRefused):  # the answer will have another form
            for ts in self._beside:
                self._delete(ts)
            self._beside = []
            raise
        for ts in self._ledger.replace_replies(self._beside):
            self._delete(ts)
        self._older, self._beside = (), []

    def _rewrite(self, index: int, ts: str, message: Message) -> None:
        """Update a message; if Slack refuses that for good, post a new one and take the old one away.

        Content that Slack does not accept is raised, as long as there is a simpler form. An update whose
        outcome is unknown is raised too. After a refusal the thread is read back first: an update before this
        one may have taken effect although its response was lost.
        """
        try:
            self._poster.update(self._place.channel, ts, message, self._ledger.mark(index))
        except PostError as error:
            is_content = isinstance(error, TooLong | BlocksRefused) and message.kind is MessageKind.ANSWER
            if error.retryable or (is_content and not self._is_simplest):
                raise
            fields = {"error_code": error.code, "key": self._ledger.key, "ts": ts}
            log.warning("update_refused", extra={"fields": fields})
            standing = self._poster.posted_messages(self._place, self._ledger.key)
            if any((each.ts, each.digest) == (ts, message.digest) for each in standing):
                return
            try:
                self._post(index, message)
            except PostError as refusal:
                if not refusal.retryable and not self.has_answer:
                    self._take_away(ts)
                raise
            self._take_away(ts)

    def _take_away(self, ts: str) -> None:
        """Delete a message that is replaced; if Slack refuses, let it say that the reply is below."""
        if self._delete(ts):
            return
        notice = Message(text=wording.replaced_below())
        try:
            mark = self._ledger.mark(f"{REPLACED}{ts}")
            self._poster.update(self._place.channel, ts, notice, mark, once=True)
        except PostError as error:
            log.warning("message_not_replaced", extra={"fields": {"error_code": error.code, "ts": ts}})

    def _post(self, index: int, message: Message) -> None:
        self._ledger.record_reply(index, self._poster.post(self._place, message, self._ledger.mark(index)))

    def _delete(self, ts: str) -> bool:
        """Delete a message; whether it is gone."""
        try:
            if ts != EPHEMERAL:
                self._poster.delete(self._place.channel, ts)
        except PostError as error:
            fields = {"error_code": error.code, "ts": ts, "channel": self._place.channel}
            log.warning("message_not_deleted", extra={"fields": fields})
            return error.code == "message_not_found"
        return True
