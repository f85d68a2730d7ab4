"""The desk: what listeners hand over, and what workers left behind.

A claim is the right to answer. Whoever holds it keeps it alive while the agent works; a run that dies is
taken up by the sweeper, which goes on from what stands in Slack already.
"""

import logging

from slackapp import messages_ja
from slackapp.codes import IgnoreReason, RefusalCode
from slackapp.listeners.incoming import Feedback, Incoming, Kind, Stop, thread_name
from slackapp.slack.errors import PostError
from slackapp.stores.contract import Claim, StoreUnavailable
from slackapp.work.answering import DAY, Answering, Dependencies
from slackapp.work.lease import Lease

log = logging.getLogger(__name__)

UNREADABLE = (ValueError, TypeError, LookupError)
"""What a request raises that is no request of ours."""


class QuestionHandler:
    """Keeps the contracts `Desk` and `Resumes`."""

    def __init__(self, office: Dependencies) -> None:
        self._office = office
        self._answering = Answering(office)

    def ask(self, incoming: Incoming, *, first_delivery: bool) -> None:
        """Answers a question, or refuses it, once."""
        try:
            lease = self._claimed(incoming)
        except StoreUnavailable as error:
            log.error("store_unavailable", extra={"fields": {"key": incoming.key, "error": str(error)}})
            if first_delivery:
                self._tell_undecided(incoming)
            return
        if lease is not None:
            self._answering.run(lease, incoming)

    def expired_claims(self, limit: int) -> tuple[Claim, ...]:
        """Claims that their workers left behind."""
        return self._office.keeper.expired_claims(limit)

    def resume(self, claim: Claim) -> None:
        """Takes the claim over, if nobody was faster, and brings it to its end."""
        try:
            lease = self._office.keeper.take_over(claim)
        except StoreUnavailable as error:
            log.warning("not_resumed", extra={"fields": {"key": claim.key, "error": str(error)}})
            return
        if lease is not None:
            self._run_again(lease)

    def _run_again(self, lease: Lease) -> None:
        """What another version of the app has written, and we cannot read, is not tried for ever."""
        try:
            incoming = lease.incoming
        except UNREADABLE as error:
            fields = {"key": lease.claim.key, "error": type(error).__name__}
            log.error("claim_unreadable", extra={"fields": fields})
            self._answering.finish(lease)
        else:
            self._answering.run(lease, incoming)

    def stop(self, stop: Stop) -> None:
        """Stops a run, if it is the asker who wants that, or the request is gone."""
        try:
            for claim in self._working(stop):
                if stop.user and stop.user != _asker(claim):
                    log.info("stop_refused", extra={"fields": {"key": claim.key, "user": stop.user}})
                elif self._office.store.request_stop(claim.key, now=self._now()):
                    self._office.runs.stop(claim.key)
        except StoreUnavailable as error:
            log.error("not_stopped", extra={"fields": {"channel": stop.channel, "error": str(error)}})

    def feedback(self, feedback: Feedback) -> None:
        """Remembers what somebody thought of an answer, and thanks them."""
        now = self._now()
        thanks = messages_ja.feedback_thanks()
        try:
            kept_until = now + self._office.settings.thread_days * DAY
            self._office.store.save_feedback(feedback.name, feedback.value, now=now, expires_at=kept_until)
            log.info("feedback", extra={"fields": {"name": feedback.name, "value": feedback.value}})
        except StoreUnavailable as error:
            log.error("feedback_lost", extra={"fields": {"name": feedback.name, "error": str(error)}})
            thanks = messages_ja.refusal(RefusalCode.STORE_UNAVAILABLE)
        try:
            self._office.poster.tell(feedback.channel, feedback.user, thanks, feedback.thread_ts)
        except PostError as error:
            log.warning("feedback_not_thanked", extra={"fields": {"error_code": error.code}})

    def home(self, user: str) -> None:
        """Shows the app's home to somebody."""
        try:
            self._office.poster.show_home(user, messages_ja.app_home())
        except PostError as error:
            log.warning("home_not_shown", extra={"fields": {"error_code": error.code}})

    def _claimed(self, incoming: Incoming) -> Lease | None:
        """The claim; None when the request is nobody's question, or somebody has it already."""
        if incoming.kind is Kind.FOLLOW_UP and not self._is_ours(incoming):
            self._ignored(incoming, IgnoreReason.THREAD_NOT_OURS)
            return None
        lease = self._office.keeper.claim(incoming)
        if lease is None:
            self._ignored(incoming, IgnoreReason.ALREADY_CLAIMED)
        return lease

    def _is_ours(self, incoming: Incoming) -> bool:
        """Whether we have answered in this thread before (S10)."""
        name = thread_name(incoming.team, incoming.channel, incoming.thread_ts)
        return self._office.store.linked_claim_key(name, now=self._now()) is not None

    def _ignored(self, incoming: Incoming, reason: IgnoreReason) -> None:
        log.info("ignored", extra={"fields": {"key": incoming.key, "reason": reason}})

    def _tell_undecided(self, incoming: Incoming) -> None:
        """Once, though nobody can say whether it was told before: of a mention's two events one is
        silent (S3), and of a thread without a mention nobody knows whether it is ours."""
        if not incoming.echo and incoming.kind is not Kind.FOLLOW_UP:
            self._answering.refuse(incoming, RefusalCode.STORE_UNAVAILABLE)

    def _working(self, stop: Stop) -> list[Claim]:
        """The claims that are meant, if they are being worked on."""
        store, now = self._office.store, self._now()
        linked = [store.linked_claim_key(name, now=now) for name in stop.names]
        keys = dict.fromkeys(key for key in (stop.key, *linked) if key)
        return [claim for key in keys if (claim := store.unfinished_claim(key, now=now))]

    def _now(self) -> float:
        return self._office.clock.now().timestamp()


def _asker(claim: Claim) -> str:
    """Who asked; nobody whom we know, when another version of the app has written the claim."""
    try:
        return Incoming.from_json(claim.incoming).user
    except UNREADABLE:
        return ""
