"""Errors of the playground.

PlaygroundError
├── ApiRefused       an API error, as Slack names it
├── AccessRefused    the page refuses a request (`page/access.py`)
├── BadAction        an action on the page lacks an argument (`page/actions.py`)
└── PortTaken        the server cannot listen on the port it was given
"""

from typing import Any


class PlaygroundError(Exception):
    """The base of the playground's errors."""


class ApiRefused(PlaygroundError):
    """A call that Slack answers with `ok: false`; `details` go into the answer next to the error."""

    def __init__(self, error: str, **details: Any) -> None:
        super().__init__(error)
        self.error = error
        self.details = details


class PortTaken(PlaygroundError):
    """The port is in use, or this user may not listen on it."""

    def __init__(self, port: int) -> None:
        super().__init__(f"port {port} is taken")
        self.port = port


def bad_arguments(*problems: str) -> ApiRefused:
    """Slack's answer to arguments of the wrong shape."""
    messages = [f"[ERROR] {problem}" for problem in problems]
    return ApiRefused("invalid_arguments", response_metadata={"messages": messages})
