"""Handles requests that failed again and again, for the last time."""

import logging

from slackapp.listeners.incoming import HomeOpened, Incoming, ModalWanted
from slackapp.stores.contract import StoreRefused
from slackapp.work.handler import QuestionHandler

log = logging.getLogger(__name__)


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
