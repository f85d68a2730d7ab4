"""A reply that only the user of a command sees, in a channel without the bot (S15)."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from slackapp import wording
from slackapp.reply import answer_messages
from slackapp.reply.blocks.slack_blocks import note
from slackapp.reply.ledger import Ledger
from slackapp.reply.progress import ProgressView
from slackapp.reply.surfaces import EPHEMERAL, Wait
from slackapp.slack.errors import PostError, SlackDown
from slackapp.slack.message import Message, MessageKind
from slackapp.slack.poster import Poster

if TYPE_CHECKING:
    from fetcher.agent import Answer

log = logging.getLogger(__name__)


@dataclass(slots=True)
class EphemeralSurface:
    """Messages that only the user of a command sees, in a channel without the bot (S15).

    The app cannot see whether they arrived. So each is recorded before it is sent, and never sent again.
    """

    thread_ts = ""
    has_answer = False

    poster: Poster
    ledger: Ledger
    response_url: str

    def show_working(self) -> None:
        """Show nothing: a response URL may be used five times only."""

    def show_progress(self, view: ProgressView) -> None:
        """Show nothing, for the same reason."""

    def post_answer(self, answer: "Answer", steps: Sequence[str]) -> None:
        """Post the answer without its files and feedback buttons: files need a channel with the bot in it."""
        notes = (wording.files_need_membership(),) if answer.files else ()
        shown = replace(answer, undone=(*answer.undone, *notes), answered=False)
        self._respond(answer_messages.messages(shown, answer_messages.EPHEMERAL_LIMITS))

    def post_notice(self, text: str) -> None:
        self._respond([Message(text=text, kind=MessageKind.NOTICE)])

    def is_complete(self) -> bool:
        """It cannot be read back."""
        return False

    def record_end(self) -> None:
        """Nothing to record, for the same reason."""

    def await_late_files(self, poster: Poster, wait: Wait, seconds: float) -> None:
        """There are no files."""

    def put_right(self) -> bool:
        """Nothing to put right, for the same reason."""
        return False

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
