"""A no, told once and to the asker alone, whoever tells it."""

import logging

from slackapp.listeners.incoming import Incoming, Kind
from slackapp.reply.ledger import Ledger
from slackapp.slack.errors import PostError
from slackapp.slack.message import Message, Place
from slackapp.slack.poster import Poster

log = logging.getLogger(__name__)

REFUSED = "refusal"
"""Stands for a refusal, in the delivery or in the mark of a direct message."""


class RefusalNotice:
    """The no to one request; `resumed` says that an earlier worker may have told it already."""

    def __init__(
        self, poster: Poster, ledger: Ledger, incoming: Incoming, place: Place, *, resumed: bool
    ) -> None:
        self._poster = poster
        self._ledger = ledger
        self._incoming = incoming
        self._place = place
        self._resumed = resumed

    def was_told(self) -> bool:
        """Whether an earlier worker has told the asker no, or may have."""
        if not self._resumed:
            return False
        if REFUSED in self._ledger.delivery.replies:
            self._log_silence()
            return True
        return self._incoming.kind is Kind.DIRECT and any(
            message.part == REFUSED for message in self._poster.standing(self._place, self._incoming.key)
        )

    def tell(self, text: str) -> None:
        """Where not even this can be told, the log says so. Raises when the claim is lost."""
        try:
            if self._incoming.kind is Kind.DIRECT:  # where nobody else reads it
                self._poster.post(self._place, Message(text=text), self._ledger.mark(REFUSED))
            elif self._ledger.delivery.replies:
                self._log_silence()
            else:
                self._whisper(text)
        except PostError as error:
            fields = {"error_code": error.code, "key": self._incoming.key, "kind": self._incoming.kind}
            log.warning("refusal_not_told", extra={"fields": fields})

    def _whisper(self, text: str) -> None:
        """Written down before it is said: nobody can see whether it arrived."""
        incoming = self._incoming
        self._ledger.whispered(0, REFUSED)
        if incoming.response_url:
            self._poster.respond(incoming.response_url, Message(text=text))
        else:
            thread_ts = "" if incoming.starts_thread else incoming.thread_ts
            self._poster.tell(incoming.channel, incoming.user, text, thread_ts)

    def _log_silence(self) -> None:
        log.warning("whisper_not_repeated", extra={"fields": {"key": self._incoming.key}})
