"""The interface to which listeners pass requests."""

from collections.abc import Callable
from typing import Protocol

from slackapp.listeners.incoming import Departure, Edit, Feedback, Incoming, Stop


class RequestHandler(Protocol):
    """Handles requests. It is built on first use: acknowledging a request does not need it."""

    def answer(self, incoming: Incoming, *, first_delivery: bool) -> None:
        """Answer or refuse a question, once."""

    def stop_run(self, stop: Stop) -> None:
        """Stop a run."""

    def note_edit(self, edit: Edit) -> None:
        """Tell the asker of a question that is being answered that its first text counts."""

    def forget_workspace(self, departure: Departure) -> None:
        """End a workspace's runs and delete its rows."""

    def save_feedback(self, feedback: Feedback) -> None:
        """Store a user's rating of an answer."""

    def show_home(self, user: str) -> None:
        """Show the app's home tab to a user."""

    def suggest_prompts(self, channel: str) -> None:
        """Suggest questions in the app's Messages tab."""


GetRequestHandler = Callable[[], RequestHandler]
