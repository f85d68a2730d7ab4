"""Handles what the listeners receive, and the claims that dead workers left behind.

A claim is the right to answer. Its holder renews it while the agent works. If a worker dies, the sweeper
takes its claim over and continues from the messages that are posted already.
"""

import logging
from uuid import uuid4

from slackapp import messages_ja
from slackapp.codes import IgnoreReason, RefusalCode
from slackapp.listeners.incoming import Departure, Edit, Feedback, Incoming, Kind, Stop
from slackapp.slack.errors import PostError
from slackapp.stores.contract import Claim, StoreUnavailable
from slackapp.work.answering import DAY, Answering, Dependencies
from slackapp.work.lease import Lease

log = logging.getLogger(__name__)

UNREADABLE = (ValueError, TypeError, LookupError)
"""What a stored request raises if another version of the app has written it."""


class QuestionHandler:
    """Implements `RequestHandler` for the listeners and `ResumesClaims` for the sweeper."""

    def __init__(self, dependencies: Dependencies) -> None:
        self._dependencies = dependencies
        self._answering = Answering(dependencies)

    def answer(self, incoming: Incoming, *, first_delivery: bool) -> None:
        """Answer or refuse a question, once."""
        try:
            lease = self._claim(incoming)
        except StoreUnavailable as error:
            log.error("store_unavailable", extra={"fields": {"key": incoming.key, "error": str(error)}})
            # Told once, though no store says whether it was told before: one of a mention's two events
            # is silent (S3), and without the store a thread may not be ours.
            if first_delivery and not incoming.echo and incoming.kind is not Kind.FOLLOW_UP:
                self._answering.refuse(incoming, RefusalCode.STORE_UNAVAILABLE)
            return
        if lease is not None:
            self._answering.run(lease, incoming)

    def _claim(self, incoming: Incoming) -> Lease | None:
        """Claim the question; None if it is claimed already, or if it is not one for the app (S20)."""
        lease, reason = None, IgnoreReason.THREAD_NOT_OURS
        if incoming.kind is not Kind.FOLLOW_UP or self._dependencies.follow_ups.is_question(incoming):
            lease, reason = self._dependencies.keeper.claim(incoming), IgnoreReason.ALREADY_CLAIMED
        if lease is None:
            log.info("ignored", extra={"fields": {"key": incoming.key, "reason": reason}})
        return lease

    def expired_claims(self, limit: int) -> tuple[Claim, ...]:
        """Claims that dead workers left behind."""
        return self._dependencies.keeper.expired_claims(limit)

    def resume(self, claim: Claim) -> None:
        """Take a claim over, unless another worker was faster, and run it to its end."""
        try:
            lease = self._dependencies.keeper.take_over(claim)
        except StoreUnavailable as error:
            log.warning("not_resumed", extra={"fields": {"key": claim.key, "error": str(error)}})
            return
        if lease is None:
            return
        try:
            incoming = lease.incoming
        except UNREADABLE as error:  # finished, so that it is not tried for ever
            fields = {"key": lease.claim.key, "error": type(error).__name__}
            log.error("claim_unreadable", extra={"fields": fields})
            self._answering.finish(lease)
        else:
            self._answering.run(lease, incoming)

    def stop_run(self, stop: Stop) -> None:
        """Stop a run, if the asker wants that or the request was deleted; tell others that they cannot."""
        store, now = self._dependencies.store, self._dependencies.now()
        try:
            linked = [store.linked_claim_key(name, now=now) for name in stop.names]
            keys = dict.fromkeys(key for key in (stop.key, *linked) if key)
            for claim in [claim for key in keys if (claim := store.unfinished_claim(key, now=now))]:
                question = _question(claim)
                if stop.user and (question is None or stop.user != question.user):
                    self._refuse_stop(stop, claim, question)
                elif store.request_stop(claim.key, now=self._dependencies.now()):
                    self._dependencies.runs.stop(claim.key)
        except StoreUnavailable as error:
            log.error("not_stopped", extra={"fields": {"channel": stop.channel, "error": str(error)}})

    def _refuse_stop(self, stop: Stop, claim: Claim, question: Incoming | None) -> None:
        """Tell another user, once for each run, that only the asker can stop it. Raises StoreUnavailable."""
        log.info("stop_refused", extra={"fields": {"key": claim.key, "user": stop.user}})
        name, now = f"not_stopped:{claim.key}:{stop.user}", self._dependencies.now()
        store = self._dependencies.store
        if question is None or not store.mark_once(name, uuid4().hex, now=now, expires_at=now + DAY):
            return
        thread_ts = question.thread_ts or claim.reply_record.root
        try:
            text = messages_ja.only_the_asker_stops()
            self._dependencies.poster.post_ephemeral(question.channel, stop.user, text, thread_ts)
        except PostError as error:
            log.warning("stop_refusal_not_told", extra={"fields": {"error_code": error.code}})

    def note_edit(self, edit: Edit) -> None:
        """Tell the asker of a question that is being answered, once, that its first text counts."""
        store, now = self._dependencies.store, self._dependencies.now()
        try:
            claim = store.unfinished_claim(edit.key, now=now)
            question = _question(claim) if claim else None
            if question is None or question.user != edit.user:
                return
            if not store.mark_once(f"edited:{edit.key}", uuid4().hex, now=now, expires_at=now + DAY):
                return
            text = messages_ja.first_text_counts()
            self._dependencies.poster.post_ephemeral(edit.channel, edit.user, text, question.thread_ts)
        except (StoreUnavailable, PostError) as error:
            log.warning("edit_not_told", extra={"fields": {"key": edit.key, "error": str(error)}})

    def forget_workspace(self, departure: Departure) -> None:
        """End the runs of a workspace that has removed the app, and delete its rows.

        Runs of other processes end with their next heartbeat: their claims are gone.
        """
        self._dependencies.runs.end_workspace(departure.team)
        try:
            rows = self._dependencies.store.delete_workspace(departure.team)
            log.warning("workspace_left", extra={"fields": {"team": departure.team, "rows": rows}})
        except StoreUnavailable as error:
            fields = {"team": departure.team, "error": str(error)}
            log.error("workspace_not_deleted", extra={"fields": fields})

    def save_feedback(self, feedback: Feedback) -> None:
        """Store a user's rating of an answer, and thank the user."""
        now, name = self._dependencies.now(), feedback.name
        thanks = messages_ja.feedback_thanks()
        try:
            expires_at = now + self._dependencies.settings.thread_days * DAY
            self._dependencies.store.save_feedback(name, feedback.value, now=now, expires_at=expires_at)
            log.info("feedback", extra={"fields": {"name": name, "value": feedback.value}})
        except StoreUnavailable as error:
            log.error("feedback_lost", extra={"fields": {"name": name, "error": str(error)}})
            thanks = messages_ja.refusal(RefusalCode.STORE_UNAVAILABLE)
        poster = self._dependencies.poster
        try:
            poster.post_ephemeral(feedback.channel, feedback.user, thanks, feedback.thread_ts)
        except PostError as error:
            log.warning("feedback_not_thanked", extra={"fields": {"error_code": error.code}})

    def show_home(self, user: str) -> None:
        """Show the app's home tab to a user."""
        try:
            self._dependencies.poster.show_home(user, messages_ja.app_home())
        except PostError as error:
            log.warning("home_not_shown", extra={"fields": {"error_code": error.code}})

    def suggest_prompts(self, channel: str) -> None:
        """Suggest questions in the app's Messages tab; apps without the agent's surface do without."""
        title, prompts = messages_ja.prompts_title(), messages_ja.suggested_prompts()
        try:
            self._dependencies.poster.suggest_prompts(channel, title, prompts)
        except PostError as error:
            log.info("prompts_not_shown", extra={"fields": {"error_code": error.code}})


def _question(claim: Claim) -> Incoming | None:
    """The question of a claim; None if another version of the app has written it."""
    try:
        return Incoming.from_json(claim.incoming)
    except UNREADABLE:
        return None
