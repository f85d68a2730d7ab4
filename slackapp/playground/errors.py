"""What the local Slack refuses.

PlaygroundError
├── Refused          an API error, as Slack names it
├── NotRunning       an address was asked for before the server had one
└── PortTaken        the server cannot listen where it was told to
"""

from typing import Any


class PlaygroundError(Exception):
    """Something is wrong on the local Slack's side of the line."""


class ApiRefused(PlaygroundError):
    """A call that Slack answers with `ok: false`; `details` go into the answer beside the error."""

    def __init__(self, error: str, **details: Any) -> None:
        super().__init__(error)
        self.error = error
        self.details = details


class NotRunning(PlaygroundError):
    """The server has no port before it starts."""


class PortTaken(PlaygroundError):
    """Somebody else listens there, or nobody may."""

    def __init__(self, port: int) -> None:
        super().__init__(f"port {port} is taken")
        self.port = port


def bad_arguments(*problems: str) -> ApiRefused:
    """Slack's answer to arguments of the wrong shape."""
    messages = [f"[ERROR] {problem}" for problem in problems]
    return ApiRefused("invalid_arguments", response_metadata={"messages": messages})
