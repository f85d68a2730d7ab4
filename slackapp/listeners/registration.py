"""Registers all listeners: each acknowledges at once, parses the payload, and passes it to the handler.

A listener's matcher parses the payload too, so that an event that is not a request starts no work: on Lambda
a lazy function is another invocation. Events that no listener takes are acknowledged and dropped here.
"""

import re

from slack_bolt import App

from slackapp.listeners import command, departure, edit, feedback, home, message, shortcut, stop
from slackapp.listeners.common import acknowledge
from slackapp.listeners.request_handler import GetRequestHandler

ANYTHING = re.compile(r".*", re.DOTALL)


def register(app: App, get_handler: GetRequestHandler) -> None:
    """Register all listeners, the catch-all last."""
    for listener in (message, stop, edit, command, shortcut, feedback, home, departure):
        listener.register(app, get_handler)
    app.event(ANYTHING)(acknowledge)
    app.action(ANYTHING)(acknowledge)
    app.shortcut(ANYTHING)(acknowledge)
    app.command(ANYTHING)(acknowledge)
