"""What the app listens to: each listener acknowledges at once, parses, and hands over.

A listener's matcher parses the payload too, so that what asks us nothing starts no work: on Lambda a
lazy function is another invocation. Whatever no listener takes is acknowledged and dropped here.
"""

import re

from slack_bolt import App

from slackapp.listeners import command, feedback, home, message, shortcut, stop
from slackapp.listeners.common import acknowledge
from slackapp.listeners.request_handler import GetRequestHandler

ANYTHING = re.compile(r".*", re.DOTALL)


def register(app: App, desk: GetRequestHandler) -> None:
    """All listeners, the catch-all last."""
    for listener in (message, stop, command, shortcut, feedback, home):
        listener.register(app, desk)
    app.event(ANYTHING)(acknowledge)
    app.action(ANYTHING)(acknowledge)
    app.shortcut(ANYTHING)(acknowledge)
    app.command(ANYTHING)(acknowledge)
