"""Which replies without a mention are questions to the app (S20).

A thread is the app's own if its first message was a question to it: a mention, a command, a shortcut or a
direct message. There, every reply is a question. In a thread in which people were talking before the app was
called, a reply is one only if it is plainly for the app: it has a link and asks, or it asks and is the first
reply after an answer, within some minutes. Both are decided by words (`thread/question_words.py`) and by the
store; Slack is not asked. What was said before the app was called is none, however late it is delivered.
Threads of versions that did not know the difference count as the app's own.
"""

import logging
from dataclasses import dataclass

from fetcher.clock import Clock
from slackapp.listeners.incoming import Incoming, Kind, Name, message_key, message_ts
from slackapp.settings import SlackSettings
from slackapp.stores.contract import StoreUnavailable
from slackapp.stores.store import Store
from slackapp.thread.question_words import asks
from slackapp.thread.slack_text import links_in

log = logging.getLogger(__name__)

DAY = 24 * 3600
RIGHT_AFTER_SECONDS = 600.0
"""How long the first reply after an answer may take."""


@dataclass(slots=True)
class FollowUps:
    """Knows the threads with answers, and which of them the app was called into."""

    store: Store
    settings: SlackSettings
    clock: Clock

    def is_question(self, incoming: Incoming) -> bool:
        """Whether a reply without a mention is a question to the app. Raises StoreUnavailable."""
        place, now = (incoming.team, incoming.channel, incoming.thread_ts), self._now()
        if self.settings.follow_ups == "mentions":
            return False
        thread, root = Name.THREAD.of(*place), message_key(*place)
        if not self.store.is_thread_ours(thread, asked=Name.ASKED.of(*place), root=root, now=now):
            return False
        # The mark of a joined thread is written before the thread's own: in this order, one is never missed.
        is_linked = self.store.linked_claim_key(thread, now=now) is not None
        joined = self.store.linked_claim_key(Name.JOINED.of(*place), now=now)
        # Before the first question of a thread is run, its claim alone tells where it was asked.
        if not joined and (is_linked or self.store.unfinished_claim(root, now=now)):
            return True
        # What was said before the app was called may be delivered after it.
        called = joined or self.store.linked_claim_key(Name.ASKED.of(*place), now=now)
        if called and incoming.ts < message_ts(called):
            return False
        if self.settings.follow_ups == "all":
            return True
        is_asking = asks(incoming.text)
        answered = self.store.linked_claim_key(Name.ANSWERED.of(*place), now=now)
        if answered is None:
            is_next = False
        else:  # this reply is the next one from now on, also if it does not ask
            name = f"next:{incoming.team}:{answered}"
            expires_at = now + 2 * RIGHT_AFTER_SECONDS
            is_next = self.store.mark_once(name, incoming.ts, now=now, expires_at=expires_at)
        has_link = bool(links_in(incoming.text) or incoming.links or incoming.forwarded)
        return is_asking and (has_link or is_next)

    def is_read(self, incoming: Incoming) -> bool:
        """Whether a reaction has read the message, also when its claim is gone. Raises StoreUnavailable."""
        if incoming.kind is not Kind.REACTION:
            return False
        name = Name.READ.of(incoming.team, incoming.channel, incoming.ts)
        return self.store.linked_claim_key(name, now=self._now()) is not None

    def note_question(self, incoming: Incoming, thread_ts: str) -> None:
        """Follow the thread from now on; a failure of the store is only logged."""
        place = (incoming.team, incoming.channel, thread_ts)
        expires_at = self._now() + self.settings.thread_days * DAY
        thread, joined = Name.THREAD.of(*place), Name.JOINED.of(*place)
        try:
            if incoming.joins or incoming.kind is Kind.FOLLOW_UP:
                first = self.store.linked_claim_key(joined, now=self._now())
                is_new = self.store.linked_claim_key(thread, now=self._now()) is None
                if first or (is_new and incoming.joins):
                    self.store.link_claim(joined, first or incoming.key, expires_at=expires_at)
            self.store.link_claim(thread, incoming.key, expires_at=expires_at)
            if incoming.kind is Kind.REACTION:
                read = Name.READ.of(incoming.team, incoming.channel, incoming.ts)
                self.store.link_claim(read, incoming.key, expires_at=expires_at)
        except StoreUnavailable as error:
            log.warning("not_linked", extra={"fields": {"key": incoming.key, "error": str(error)}})

    def note_answer(self, incoming: Incoming, thread_ts: str) -> None:
        """Wait for the first reply after an answer; a failure of the store is only logged."""
        name = Name.ANSWERED.of(incoming.team, incoming.channel, thread_ts)
        try:
            self.store.link_claim(name, incoming.key, expires_at=self._now() + RIGHT_AFTER_SECONDS)
        except StoreUnavailable as error:
            log.warning("not_linked", extra={"fields": {"key": incoming.key, "error": str(error)}})

    def _now(self) -> float:
        return self.clock.now().timestamp()
