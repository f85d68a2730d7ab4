"""Ends runs before their answer: for the asker, or because the question was deleted."""

import logging
from dataclasses import dataclass
from uuid import uuid4

from fetcher.wording.language import speaking
from slackapp import wording
from slackapp.listeners.incoming import Incoming, Name, Stop
from slackapp.slack.errors import PostError
from slackapp.stores.contract import Claim
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

        Raises StoreUnavailable.
        """
        thread = Name.THREAD.of(incoming.team, incoming.channel, incoming.thread_ts)
        store, now = self.dependencies.store, self.dependencies.now()
        key = store.linked_claim_key(thread, now=now)
        if key is None or store.unfinished_claim(key, now=now) is None:
            return False
        self.stop_run(Stop(team=incoming.team, channel=incoming.channel, user=incoming.user, names=(thread,)))
        return True

    def stop_run(self, stop: Stop) -> None:
        """Stop a run, if the asker wants that or the request was deleted; tell others that they cannot.

        A request without a claim gets a tombstone: its claim may still come. Raises StoreUnavailable.
        """
        store, now, keeper = self.dependencies.store, self.dependencies.now(), self.dependencies.keeper
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
            if claim is None:
                continue
            question = question_of(claim)
            if stop.user and (question is None or stop.user != question.user):
                self._refuse_stop(stop, claim, question)
            elif store.request_stop(claim.key, now=self.dependencies.now()):
                keeper.held.stop(claim.key)

    def _refuse_stop(self, stop: Stop, claim: Claim, question: Incoming | None) -> None:
        """Tell another user, once for each run, that only the asker can stop it. Raises StoreUnavailable."""
        log.info("stop_refused", extra={"fields": {"key": claim.key, "user": stop.user}})
        name, now = f"not_stopped:{claim.key}:{stop.user}", self.dependencies.now()
        store = self.dependencies.store
        if question is None or not store.mark_once(name, uuid4().hex, now=now, expires_at=now + DAY):
            return
        thread_ts = question.thread_ts or claim.reply_record.root
        try:
            with speaking(self.dependencies.locales.language_of(stop.team, stop.user)):
                text = wording.only_the_asker_stops()
            self.dependencies.poster.post_ephemeral(question.channel, stop.user, text, thread_ts)
        except PostError as error:
            log.warning("stop_refusal_not_told", extra={"fields": {"error_code": error.code}})


def question_of(claim: Claim) -> Incoming | None:
    """The question of a claim; None if another version of the app has written it."""
    try:
        return Incoming.from_json(claim.incoming)
    except UNREADABLE:
        return None
