"""A reply that only the user of a command sees, in a channel without the bot (S15)."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from slackapp import wording
from slackapp.reply import answer_messages
from slackapp.reply.blocks.slack_blocks import note
from slackapp.reply.ledger import Ledger
from slackapp.reply.surfaces import EPHEMERAL, Surface
from slackapp.slack.errors import PostError, SlackDown
from slackapp.slack.message import Message, MessageKind
from slackapp.slack.poster import Poster

if TYPE_CHECKING:
    from fetcher.agent import Answer

log = logging.getLogger(__name__)


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
