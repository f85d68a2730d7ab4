"""What listeners hand over to."""

from collections.abc import Callable
from typing import Protocol

from slackapp.listeners.incoming import Feedback, Incoming, Stop


class RequestHandler(Protocol):
    """Takes what came in from there; built on first use, since Slack's acknowledgement needs none of it."""

    def ask(self, incoming: Incoming, *, first_delivery: bool) -> None:
        """Answers a question, or refuses it, once."""

    def stop(self, stop: Stop) -> None:
        """Stops a run."""

    def feedback(self, feedback: Feedback) -> None:
        """Remembers what somebody thought of an answer."""

    def home(self, user: str) -> None:
        """Shows the app's home to somebody."""


GetRequestHandler = Callable[[], RequestHandler]
