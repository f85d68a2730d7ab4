"""The message shortcut that reads the links of a message."""

from functools import partial

from slack_bolt import App

from slackapp.listeners.common import is_request, listen
from slackapp.listeners.payloads import from_shortcut
from slackapp.listeners.request_handler import Acceptance, GetRequestHandler

CALLBACK = "read_link"


def register(app: App, get_handler: GetRequestHandler, acceptance: Acceptance | None) -> None:
    listen(
        partial(app.message_shortcut, CALLBACK, matchers=[is_request(from_shortcut)]),
        from_shortcut,
        lambda incoming: get_handler().answer(incoming),
        acceptance.accept if acceptance else None,
        is_repeated=False,
    )
