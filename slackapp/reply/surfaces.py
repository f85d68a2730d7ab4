"""Where a reply appears: what every surface does, and the one that only the user of a command sees (S15).

`thread_surface.py` has a message that is updated, `stream.py` a stream.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from slackapp import wording
from slackapp.reply import answer_messages
from slackapp.reply.blocks.slack_blocks import note
from slackapp.reply.ledger import Ledger
from slackapp.reply.progress import ProgressView
from slackapp.slack.errors import PostError, SlackDown
from slackapp.slack.message import Message, MessageKind
from slackapp.slack.poster import Poster

if TYPE_CHECKING:
    from fetcher.agent import Answer

log = logging.getLogger(__name__)

Wait = Callable[[float], object]

EPHEMERAL = "whispered"
"""Replaces the timestamp of an ephemeral message in the reply record."""


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
