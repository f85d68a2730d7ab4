"""Ends runs before their answer: for the asker, or because the question was deleted."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import uuid4

from fetcher.wording.language import speaking
from slackapp import wording
from slackapp.guard.guard import is_stop
from slackapp.listeners.incoming import Incoming, Name, Stop, message_key
from slackapp.slack.errors import PostError
from slackapp.stores.contract import Claim
from slackapp.stores.store import Store
from slackapp.work.dependencies import Dependencies

log = logging.getLogger(__name__)

DAY = 24 * 3600
LATE_SECONDS = 900.0
"""How long after a cross the question may still be claimed: Slack delivers an event for six minutes."""

UNREADABLE = (ValueError, TypeError, LookupError)
"""What a stored request raises if another version of the app has written it."""


@dataclass(slots=True)
class Stopping:
    """Stops runs of this process and of others."""

    dependencies: Dependencies

    def stop_thread(self, incoming: Incoming) -> bool:
        """Stop what is being answered in the thread of a message that asks for it; whether there is anything.

        The user's own questions are stopped. If only others have asked, the user is told that they cannot.
        Raises StoreUnavailable.
        """
        claims = self._unfinished_claims(incoming)
        for claim in self._own(claims, incoming) or claims[-1:]:
            self._stop_claim(claim, incoming.team, incoming.user)
        return bool(claims)

    def is_wanted(self, incoming: Incoming) -> bool:
        """Whether a message asks to stop what is being answered to its own user. Raises StoreUnavailable.

        Such a reply is for the app also where others began the thread.
        """
        return is_stop(incoming) and bool(self._own(self._unfinished_claims(incoming), incoming))

    def _unfinished_claims(self, incoming: Incoming) -> list[Claim]:
        """What is being answered in a thread, as far as it has a name there: its first and last questions."""
        place, store, now = (incoming.team, incoming.channel, incoming.thread_ts), self._store, self._now()
        linked = (store.linked_claim_key(name.of(*place), now=now) for name in (Name.ASKED, Name.THREAD))
        keys = dict.fromkeys(key for key in (message_key(*place), *linked) if key and key != incoming.key)
        return [claim for key in keys if (claim := store.unfinished_claim(key, now=now))]

    def _own(self, claims: Iterable[Claim], incoming: Incoming) -> list[Claim]:
        asked = ((claim, question_of(claim)) for claim in claims)
        return [claim for claim, question in asked if question and question.user == incoming.user]

    def stop_run(self, stop: Stop) -> None:
        """Stop a run, if the asker wants that or the request was deleted; tell others that they cannot.

        A request without a claim gets a tombstone: its claim may still come. Raises StoreUnavailable.
        """
        store, now, keeper = self._store, self._now(), self.dependencies.keeper
        linked = [store.linked_claim_key(name, now=now) for name in stop.names]
        for key in dict.fromkeys(key for key in (stop.key, *linked) if key):
            claim = store.unfinished_claim(key, now=now)
            if claim is None and key == stop.key and not any(linked):
                # A deleted message cannot be asked about any more. Below a cross, the same user may want
                # the message read later.
                until = now + LATE_SECONDS if stop.user else keeper.expiry()
                if store.write_tombstone(key, user=stop.user, now=now, expires_at=until):
                    continue
                claim = store.unfinished_claim(key, now=now)  # it was claimed in between, or is done
            if claim is not None:
                self._stop_claim(claim, stop.team, stop.user)

    def _stop_claim(self, claim: Claim, team: str, user: str) -> None:
        """Stop a run for its asker, or for no user; tell another user that this cannot be."""
        question = question_of(claim)
        if user and (question is None or user != question.user):
            self._refuse_stop(claim, question, team, user)
        elif self._store.request_stop(claim.key, now=self._now()):
            self.dependencies.keeper.held.stop(claim.key)

    def _refuse_stop(self, claim: Claim, question: Incoming | None, team: str, user: str) -> None:
        """Tell another user, once for each run, that only the asker can stop it. Raises StoreUnavailable."""
        log.info("stop_refused", extra={"fields": {"key": claim.key, "user": user}})
        name, now = f"not_stopped:{claim.key}:{user}", self._now()
        if question is None or not self._store.mark_once(name, uuid4().hex, now=now, expires_at=now + DAY):
            return
        thread_ts = question.thread_ts or claim.reply_record.root
        try:
            with speaking(self.dependencies.locales.language_of(team, user)):
                text = wording.only_the_asker_stops()
            self.dependencies.poster.post_ephemeral(question.channel, user, text, thread_ts)
        except PostError as error:
            log.warning("stop_refusal_not_told", extra={"fields": {"error_code": error.code}})

    @property
    def _store(self) -> Store:
        return self.dependencies.store

    def _now(self) -> float:
        return self.dependencies.now()


def question_of(claim: Claim) -> Incoming | None:
    """The question of a claim; None if another version of the app has written it."""
    try:
        return Incoming.from_json(claim.incoming)
    except UNREADABLE:
        return None
