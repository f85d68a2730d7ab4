"""The interfaces to which listeners pass requests."""

from collections.abc import Callable
from typing import Protocol

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


class RequestHandler(Protocol):
    """Handles requests. It is built on first use: acknowledging a request on Lambda does not need it."""

    def answer(self, incoming: Incoming) -> None:
        """Claim a question, and answer or refuse it, once. Raises StoreUnavailable if it is undecided."""

    def stop_run(self, stop: Stop) -> None:
        """Stop a run. Raises StoreUnavailable if it is undecided."""

    def note_edit(self, edit: Edit) -> None:
        """Tell the asker of a question that is being answered that its first text counts."""

    def forget_workspace(self, departure: Departure) -> None:
        """End a workspace's runs and delete its rows. Raises StoreUnavailable if they may still exist."""

    def save_feedback(self, feedback: Feedback) -> None:
        """Store a user's rating of an answer."""

    def save_reason(self, reason: FeedbackReason) -> None:
        """Store why an answer was not useful."""

    def show_home(self, opened: HomeOpened) -> None:
        """Show the app's home tab to a user."""

    def open_reading_modal(self, wanted: ModalWanted) -> None:
        """Open the modal for a link and a question."""

    def suggest_prompts(self, opened: HomeOpened) -> None:
        """Suggest questions in the app's Messages tab."""


GetRequestHandler = Callable[[], RequestHandler]


class Acceptance(Protocol):
    """Decides about a request before it is acknowledged, within a bounded time."""

    def accept(self, incoming: Incoming, last: bool) -> bool:
        """Whether it is decided: the question is claimed, and will be answered, or is not to be answered.

        `last` says that Slack does not deliver it again: then an undecided one is pursued here.
        """

    def stop(self, stop: Stop, last: bool) -> bool:
        """Whether the stop is stored."""
