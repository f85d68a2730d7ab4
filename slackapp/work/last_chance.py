"""Handles requests that failed again and again, for the last time."""

import logging

from slackapp.listeners.incoming import (
    Departure,
    Edit,
    Feedback,
    FeedbackReason,
    HomeOpened,
    Incoming,
    ModalWanted,
    Stop,
)
from slackapp.stores.contract import StoreRefused
from slackapp.work.handler import QuestionHandler

log = logging.getLogger(__name__)


class LastChance:
    """Implements `RequestHandler` for requests that a queue does not deliver again.

    A question is claimed and answered. If the store still refuses, the asker is told; an undecided question
    is left to operators.
    """

    def __init__(self, handler: QuestionHandler) -> None:
        self._handler = handler

    def answer(self, incoming: Incoming) -> None:
        try:
            self._handler.answer(incoming)
        except StoreRefused as error:
            log.error("store_unavailable", extra={"fields": {"key": incoming.key, "error": str(error)}})
            self._handler.refuse_unclaimed(incoming)

    def stop_run(self, stop: Stop) -> None:
        self._handler.stop_run(stop)

    def note_edit(self, edit: Edit) -> None:
        self._handler.note_edit(edit)

    def forget_workspace(self, departure: Departure) -> None:
        self._handler.forget_workspace(departure)

    def save_feedback(self, feedback: Feedback) -> None:
        self._handler.save_feedback(feedback)

    def save_reason(self, reason: FeedbackReason) -> None:
        self._handler.save_reason(reason)

    def show_home(self, opened: HomeOpened) -> None:
        """Show nothing: the user has left the tab long ago."""

    def open_reading_modal(self, wanted: ModalWanted) -> None:
        """Open nothing: Slack does not take the trigger any more."""

    def suggest_prompts(self, opened: HomeOpened) -> None:
        """Suggest nothing: the user has left the tab long ago."""
