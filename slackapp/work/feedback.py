"""Keeps users' ratings of answers, and why an answer was not useful."""

import logging

from fetcher.wording.language import speaking
from slackapp import wording
from slackapp.codes import RefusalCode
from slackapp.listeners.incoming import Feedback, FeedbackReason
from slackapp.reply.answer_messages import BAD
from slackapp.reply.reason_modal import reason_modal
from slackapp.slack.errors import PostError
from slackapp.stores.contract import Rating, StoreUnavailable
from slackapp.work.dependencies import Dependencies

log = logging.getLogger(__name__)

WITHDRAWN = "withdrawn"


class FeedbackKeeper:
    """Stores each press and each reason, and counts them in the metrics."""

    def __init__(self, dependencies: Dependencies) -> None:
        self._dependencies = dependencies

    def save(self, feedback: Feedback) -> None:
        """Store a press of a button. The first one is thanked; "not useful" is asked for a reason."""
        with speaking(lambda: self._dependencies.locales.language_of(feedback.team, feedback.user)):
            self._save(feedback)

    def _save(self, feedback: Feedback) -> None:
        try:
            rating = self._store(feedback)
        except StoreUnavailable as error:
            log.error("feedback_lost", extra={"fields": {"name": feedback.name, "error": str(error)}})
            self._tell(feedback, wording.refusal(RefusalCode.STORE_UNAVAILABLE))
            return
        if rating.is_repeated:
            return
        if rating.value == BAD and feedback.trigger:  # first: Slack takes the trigger for three seconds only
            try:
                self._dependencies.poster.open_modal(feedback.trigger, reason_modal(feedback.name))
            except PostError as error:
                log.warning("reason_not_asked", extra={"fields": {"error_code": error.code}})
        if rating.is_first:
            self._tell(feedback, wording.feedback_thanks())

    def _store(self, feedback: Feedback) -> Rating:
        dependencies, now = self._dependencies, self._dependencies.now()
        expires_at = dependencies.thread_record.expiry()
        rating = dependencies.store.toggle_feedback(
            feedback.name, feedback.value, press=feedback.press, now=now, expires_at=expires_at
        )
        if not rating.is_repeated:
            fields = {"name": feedback.name, "value": rating.value or WITHDRAWN, "feedback": 1}
            line = dependencies.measured(fields, "feedback", by=["value"])
            log.info("feedback", extra={"fields": line})
        return rating

    def _tell(self, feedback: Feedback, text: str) -> None:
        try:
            self._dependencies.poster.post_ephemeral(
                feedback.channel, feedback.user, text, feedback.thread_ts
            )
        except PostError as error:
            log.warning("feedback_not_thanked", extra={"fields": {"error_code": error.code}})

    def save_reason(self, reason: FeedbackReason) -> None:
        """Store why an answer was not useful; the log has no word of it."""
        dependencies, fields = self._dependencies, {"name": reason.name}
        try:
            is_kept = dependencies.store.add_feedback_reason(reason.name, reason.text, now=dependencies.now())
        except StoreUnavailable as error:
            log.error("feedback_lost", extra={"fields": fields | {"error": str(error)}})
            return
        if is_kept:
            line = dependencies.measured(fields | {"feedback_reasons": 1}, "feedback_reasons")
            log.info("feedback_reason", extra={"fields": line})
