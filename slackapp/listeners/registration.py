"""Registers all listeners: each parses the payload, and passes it to the handler or to the acceptance.

A listener's matcher parses the payload too, so that an event that is not a request starts no work: on Lambda
a lazy function is another invocation. Events that no listener takes are acknowledged and dropped here.
"""

import re

from slack_bolt import App

from slackapp.listeners import command, departure, edit, feedback, home, message, shortcut, stop
from slackapp.listeners.common import acknowledge
from slackapp.listeners.request_handler import Acceptance, GetRequestHandler

ANYTHING = re.compile(r".*", re.DOTALL)


def register(
    app: App,
    get_handler: GetRequestHandler,
    acceptance: Acceptance | None = None,
    *,
    read_reaction: str = "",
) -> None:
    """Register all listeners, the catch-all last. Without an acceptance, requests are acknowledged first."""
    for listener in (message, stop, command, home):
        listener.register(app, get_handler, acceptance)
    shortcut.register(app, get_handler, acceptance, read_reaction=read_reaction)
    for other in (edit, feedback, departure):
        other.register(app, get_handler)
    app.event(ANYTHING)(acknowledge)
    app.action(ANYTHING)(acknowledge)
    app.shortcut(ANYTHING)(acknowledge)
    app.command(ANYTHING)(acknowledge)
    app.view(ANYTHING)(acknowledge)
