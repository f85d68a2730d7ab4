"""Tells a refusal once, and only to the asker."""

import logging
from dataclasses import dataclass

from slackapp.listeners.incoming import Incoming
from slackapp.reply.ledger import Ledger
from slackapp.reply.surfaces import EPHEMERAL
from slackapp.slack.errors import PostError
from slackapp.slack.message import Message, Place
from slackapp.slack.poster import Poster

log = logging.getLogger(__name__)

REFUSAL = "refusal"
"""Marks a refusal, in the reply record or in the mark of a direct message."""


@dataclass(slots=True)
class RefusalNotice:
    """The refusal of one request; `resumed` says that an earlier worker may have told it already."""

    poster: Poster
    ledger: Ledger
    incoming: Incoming
    place: Place
    resumed: bool

    @property
    def is_recorded(self) -> bool:
        """Whether this worker or an earlier one has told it, or may have; never for a direct message."""
        return REFUSAL in self.ledger.reply_record.replies

    def was_told(self) -> bool:
        """Whether an earlier worker has told the refusal, or may have."""
        if not self.resumed:
            return False
        if self.is_recorded:
            log.warning("whisper_not_repeated", extra={"fields": {"key": self.incoming.key}})
            return True
        if not self.incoming.is_private:
            return False
        posted = self.poster.posted_messages(self.place, self.incoming.key)
        return any(message.part == REFUSAL for message in posted)

    def has_visible_reply(self) -> bool:
        """Whether a part of the reply is posted for everyone to see, recorded or not."""
        record = self.ledger.reply_record
        if record.root or record.replies or record.stream_since:
            return EPHEMERAL not in record.replies
        if not self.place.thread_ts:
            return False
        try:
            posted = self.poster.posted_messages(self.place, self.incoming.key)
        except PostError as error:
            if error.retryable:
                raise
            return False
        return any(message.part.isdecimal() for message in posted)

    def tell(self, text: str) -> None:
        """Tell only the asker why the question is not answered. If Slack refuses even this, the log has it.

        Raises when the claim is lost.
        """
        incoming, key = self.incoming, self.incoming.key
        try:
            if incoming.is_private:
                self.poster.post(self.place, Message(text=text), self.ledger.mark(REFUSAL))
            elif self.ledger.reply_record.replies:
                log.warning("whisper_not_repeated", extra={"fields": {"key": key}})
            else:
                # Recorded before it is sent: the app cannot see whether an ephemeral message arrived.
                self.ledger.record_ephemeral(0, REFUSAL)
                if incoming.response_url:
                    self.poster.respond(incoming.response_url, Message(text=text))
                else:
                    thread_ts = "" if incoming.starts_thread else incoming.thread_ts
                    self.poster.post_ephemeral(incoming.channel, incoming.user, text, thread_ts)
        except PostError as error:
            fields = {"error_code": error.code, "key": key, "kind": incoming.kind}
            log.warning("refusal_not_told", extra={"fields": fields})
