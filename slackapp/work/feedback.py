"""Keeps users' ratings of answers, and why an answer was not useful."""

import logging
from dataclasses import dataclass

from fetcher.wording.language import speaking
from slackapp import wording
from slackapp.codes import RefusalCode
from slackapp.listeners.incoming import Feedback, FeedbackReason
from slackapp.reply.answer_messages import BAD
from slackapp.slack.errors import PostError
from slackapp.stores.contract import StoreUnavailable
from slackapp.work.dependencies import Dependencies
from slackapp.work.views import reason_modal

log = logging.getLogger(__name__)

WITHDRAWN = "withdrawn"


@dataclass(slots=True)
class FeedbackKeeper:
    """Stores each press and each reason, and counts them in the metrics."""

    dependencies: Dependencies

    def save(self, feedback: Feedback) -> None:
        """Store a press of a button. The first one is thanked; "not useful" is asked for a reason."""
        dependencies, name = self.dependencies, feedback.name
        now, expires_at = dependencies.now(), dependencies.thread_record.expiry()
        with speaking(lambda: dependencies.locales.language_of(feedback.team, feedback.user)):
            try:
                rating = dependencies.store.toggle_feedback(
                    name, feedback.value, press=feedback.press, now=now, expires_at=expires_at
                )
            except StoreUnavailable as error:
                log.error("feedback_lost", extra={"fields": {"name": name, "error": str(error)}})
                self._tell(feedback, wording.refusal(RefusalCode.STORE_UNAVAILABLE))
                return
            if rating.is_repeated:
                return
            fields = {"name": name, "value": rating.value or WITHDRAWN, "feedback": 1}
            log.info("feedback", extra={"fields": dependencies.measured(fields, "feedback", by=["value"])})
            if rating.value == BAD and feedback.trigger:  # Slack takes the trigger for three seconds only
                try:
                    dependencies.poster.open_modal(feedback.trigger, reason_modal(name))
                except PostError as error:
                    log.warning("reason_not_asked", extra={"fields": {"error_code": error.code}})
            if rating.is_first:
                self._tell(feedback, wording.feedback_thanks())

    def _tell(self, feedback: Feedback, text: str) -> None:
        try:
            self.dependencies.poster.post_ephemeral(feedback.channel, feedback.user, text, feedback.thread_ts)
        except PostError as error:
            log.warning("feedback_not_thanked", extra={"fields": {"error_code": error.code}})

    def save_reason(self, reason: FeedbackReason) -> None:
        """Store why an answer was not useful; the log has no word of it."""
        dependencies, fields = self.dependencies, {"name": reason.name}
        try:
            is_kept = dependencies.store.add_feedback_reason(reason.name, reason.text, now=dependencies.now())
        except StoreUnavailable as error:
            log.error("feedback_lost", extra={"fields": fields | {"error": str(error)}})
            return
        if is_kept:
            line = dependencies.measured(fields | {"feedback_reasons": 1}, "feedback_reasons")
            log.info("feedback_reason", extra={"fields": line})
