"""Handles what the listeners receive, and the claims that dead workers left behind.

A claim is the right to answer. Its holder renews it while the agent works. If a worker dies, the sweeper
takes its claim over and continues from the messages that are posted already.
"""

import logging
from uuid import uuid4

from fetcher.wording.language import speaking
from slackapp import wording
from slackapp.codes import IgnoreReason, RefusalCode
from slackapp.listeners.incoming import Departure, Edit, HomeOpened, Incoming, Kind, ModalWanted, Name
from slackapp.slack.errors import PostError
from slackapp.stores.contract import Claim, StoreRefused, StoreUnavailable
from slackapp.work.dependencies import Dependencies
from slackapp.work.feedback import FeedbackKeeper
from slackapp.work.home import HomeTab
from slackapp.work.lease import Lease
from slackapp.work.question_runner import QuestionRunner
from slackapp.work.stopping import UNREADABLE, question_of

log = logging.getLogger(__name__)

DAY = 24 * 3600


class QuestionHandler:
    """Implements `RequestHandler` for the listeners and `ResumesClaims` for the sweeper."""

    def __init__(self, dependencies: Dependencies) -> None:
        self._dependencies = dependencies
        self._runner = QuestionRunner(dependencies)
        self._home = HomeTab(dependencies)
        self.stop_run = self._runner.stopping.stop_run
        feedback = FeedbackKeeper(dependencies)
        self.run = self._runner.run
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
        lease, reason, follow_ups = None, IgnoreReason.THREAD_NOT_OURS, self._dependencies.follow_ups
        if follow_ups.is_read(incoming):
            reason = IgnoreReason.ALREADY_CLAIMED
        elif (
            incoming.kind is not Kind.FOLLOW_UP
            or self._runner.stopping.is_wanted(incoming)
            or follow_ups.is_question(incoming)
        ):
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
            self._runner.refuse(incoming, RefusalCode.STORE_UNAVAILABLE)

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
                self._runner.finish(lease)
            else:
                self._runner.run(lease, place, is_readable=False)
        else:
            self.run(lease, incoming)

    def note_edit(self, edit: Edit) -> None:
        """Tell the asker of a question that is being answered, once, that its first text counts."""
        store, now = self._dependencies.store, self._dependencies.now()
        try:
            claim = store.unfinished_claim(edit.key, now=now)
            question = question_of(claim) if claim else None
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
        """End the runs of a workspace that has removed the app, and delete its rows. Raises StoreUnavailable.

        Runs of other processes end with their next heartbeat: their claims are gone.
        """
        self._dependencies.keeper.held.end_workspace(departure.team)
        try:
            rows = self._dependencies.store.delete_workspace(departure.team)
        except StoreUnavailable as error:
            fields = {"team": departure.team, "error": str(error)}
            log.error("workspace_not_deleted", extra={"fields": fields})
            raise
        log.warning("workspace_left", extra={"fields": {"team": departure.team, "rows": rows}})

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


class LastChance(QuestionHandler):
    """Handles requests that a queue does not deliver again.

    A question is claimed and answered. If the store still refuses, the asker is told; an undecided question
    is left to operators.
    """

    def __init__(self, handler: QuestionHandler) -> None:
        super().__init__(handler._dependencies)

    def answer(self, incoming: Incoming) -> None:
        try:
            super().answer(incoming)
        except StoreRefused as error:
            log.error("store_unavailable", extra={"fields": {"key": incoming.key, "error": str(error)}})
            self.refuse_unclaimed(incoming)

    def show_home(self, opened: HomeOpened) -> None:
        """Show nothing: the user has left the tab long ago."""

    def open_reading_modal(self, wanted: ModalWanted) -> None:
        """Open nothing: Slack does not take the trigger any more."""

    def suggest_prompts(self, opened: HomeOpened) -> None:
        """Suggest nothing: the user has left the tab long ago."""
