"""Handles what the listeners receive, and the claims that dead workers left behind.

A claim is the right to answer. Its holder renews it while the agent works. If a worker dies, the sweeper
takes its claim over and continues from the messages that are posted already.
"""

import logging
from uuid import uuid4

from fetcher.wording.language import speaking
from slackapp import wording
from slackapp.codes import IgnoreReason, RefusalCode
from slackapp.listeners.incoming import Departure, Edit, HomeOpened, Incoming, Kind, ModalWanted, Name, Stop
from slackapp.slack.errors import PostError
from slackapp.stores.contract import Claim, StoreUnavailable
from slackapp.work.answering import Answering
from slackapp.work.dependencies import Dependencies
from slackapp.work.feedback import FeedbackKeeper
from slackapp.work.home import HomeTab
from slackapp.work.lease import Lease

log = logging.getLogger(__name__)

DAY = 24 * 3600
LATE_SECONDS = 900.0
"""How long after a cross the question may still be claimed: Slack delivers an event for six minutes."""

UNREADABLE = (ValueError, TypeError, LookupError)
"""What a stored request raises if another version of the app has written it."""


class QuestionHandler:
    """Implements `RequestHandler` for the listeners and `ResumesClaims` for the sweeper."""

    def __init__(self, dependencies: Dependencies) -> None:
        self._dependencies = dependencies
        self._answering = Answering(dependencies)
        self._home = HomeTab(dependencies)
        feedback = FeedbackKeeper(dependencies)
        self.run = self._answering.run
        self.save_feedback, self.save_reason = feedback.save, feedback.save_reason
        self.expired_claims = dependencies.keeper.expired_claims

    def answer(self, incoming: Incoming) -> None:
        """Claim a question, and answer or refuse it, once. Raises StoreUnavailable if it is undecided."""
        lease = self.claim(incoming)
        if lease is not None:
            self.run(lease, incoming)

    def claim(self, incoming: Incoming, *, owner: str = "") -> Lease | None:
        """Claim a question; its lease is renewed from now on. Raises StoreUnavailable if it is undecided.

        None if it is claimed or stopped already, or a reply that is not for the app (S20). A question
        inside a thread is linked to the thread in the same write, so that no follow-up comes too early.
        """
        lease, reason = None, IgnoreReason.THREAD_NOT_OURS
        if self._dependencies.follow_ups.is_read(incoming):
            reason = IgnoreReason.ALREADY_CLAIMED
        elif incoming.kind is not Kind.FOLLOW_UP or self._dependencies.follow_ups.is_question(incoming):
            reason = IgnoreReason.ALREADY_CLAIMED
            starts_thread = incoming.starts_thread or incoming.kind in (Kind.FOLLOW_UP, Kind.DIRECT)
            place = (incoming.team, incoming.channel, incoming.thread_ts)
            link = "" if starts_thread else Name.ASKED.of(*place)
            lease = self._dependencies.keeper.claim(incoming, owner=owner, link=link)
        if lease is None:
            log.info("ignored", extra={"fields": {"key": incoming.key, "reason": reason}})
        else:
            lease.hold()
        return lease

    def refuse_unclaimed(self, incoming: Incoming) -> None:
        """Tell the asker that the question cannot be accepted; it was not claimed, and will not be.

        One of a mention's two events is silent, and a thread without a mention may not be ours (S3).
        """
        if not incoming.echo and incoming.kind is not Kind.FOLLOW_UP:
            self._answering.refuse(incoming, RefusalCode.STORE_UNAVAILABLE)

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
        except UNREADABLE as error:
            fields = {"key": lease.claim.key, "error": type(error).__name__}
            log.error("claim_unreadable", extra={"fields": fields})
            place = Incoming.from_remains(
                lease.claim.key, lease.claim.incoming, root=lease.claim.reply_record.root
            )
            if place is None:
                self._answering.finish(lease)
            else:
                self._answering.run(lease, place, is_readable=False)
        else:
            self.run(lease, incoming)

    def stop_run(self, stop: Stop) -> None:
        """Stop a run, if the asker wants that or the request was deleted; tell others that they cannot.

        A request without a claim gets a tombstone: its claim may still come. Raises StoreUnavailable.
        """
        store, now, keeper = self._dependencies.store, self._dependencies.now(), self._dependencies.keeper
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
            question = _question(claim)
            if stop.user and (question is None or stop.user != question.user):
                self._refuse_stop(stop, claim, question)
            elif store.request_stop(claim.key, now=self._dependencies.now()):
                keeper.held.stop(claim.key)

    def _refuse_stop(self, stop: Stop, claim: Claim, question: Incoming | None) -> None:
        """Tell another user, once for each run, that only the asker can stop it. Raises StoreUnavailable."""
        log.info("stop_refused", extra={"fields": {"key": claim.key, "user": stop.user}})
        name, now = f"not_stopped:{claim.key}:{stop.user}", self._dependencies.now()
        store = self._dependencies.store
        if question is None or not store.mark_once(name, uuid4().hex, now=now, expires_at=now + DAY):
            return
        thread_ts = question.thread_ts or claim.reply_record.root
        try:
            with speaking(self._dependencies.locales.language_of(stop.team, stop.user)):
                text = wording.only_the_asker_stops()
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
            with speaking(self._dependencies.locales.language_of(edit.team, edit.user)):
                text = wording.first_text_counts()
            self._dependencies.poster.post_ephemeral(edit.channel, edit.user, text, question.thread_ts)
        except (StoreUnavailable, PostError) as error:
            log.warning("edit_not_told", extra={"fields": {"key": edit.key, "error": str(error)}})

    def forget_workspace(self, departure: Departure) -> None:
        """End the runs of a workspace that has removed the app, and delete its rows.

        Runs of other processes end with their next heartbeat: their claims are gone.
        """
        self._dependencies.keeper.held.end_workspace(departure.team)
        try:
            rows = self._dependencies.store.delete_workspace(departure.team)
            log.warning("workspace_left", extra={"fields": {"team": departure.team, "rows": rows}})
        except StoreUnavailable as error:
            fields = {"team": departure.team, "error": str(error)}
            log.error("workspace_not_deleted", extra={"fields": fields})

    def show_home(self, opened: HomeOpened) -> None:
        """Show the app's home tab to a user."""
        self._home.show(opened)

    def open_reading_modal(self, wanted: ModalWanted) -> None:
        """Open the modal for a link and a question."""
        self._home.open_modal(wanted)

    def suggest_prompts(self, opened: HomeOpened) -> None:
        """Suggest questions in the app's Messages tab; apps without the agent's surface do without."""
        with speaking(self._dependencies.locales.language_of(opened.team, opened.user)):
            title, prompts = wording.prompts_title(), wording.suggested_prompts()
        try:
            self._dependencies.poster.suggest_prompts(opened.channel, title, prompts)
        except PostError as error:
            log.info("prompts_not_shown", extra={"fields": {"error_code": error.code}})


def _question(claim: Claim) -> Incoming | None:
    """The question of a claim; None if another version of the app has written it."""
    try:
        return Incoming.from_json(claim.incoming)
    except UNREADABLE:
        return None
