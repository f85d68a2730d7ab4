"""What the local Slack refuses.

PlaygroundError
├── Refused          an API error, as Slack names it
└── NotRunning       an address was asked for before the server had one
"""

from typing import Any


class PlaygroundError(Exception):
    """Something is wrong on the local Slack's side of the line."""


class Refused(PlaygroundError):
    """A call that Slack answers with `ok: false`; `details` go into the answer beside the error."""

    def __init__(self, error: str, **details: Any) -> None:
        super().__init__(error)
        self.error = error
        self.details = details


class NotRunning(PlaygroundError):
    """The server has no port before it starts."""


def bad_arguments(*problems: str) -> Refused:
    """Slack's answer to arguments of the wrong shape."""
    messages = [f"[ERROR] {problem}" for problem in problems]
    return Refused("invalid_arguments", response_metadata={"messages": messages})
