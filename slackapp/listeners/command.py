"""`/fetch https://… What does it cost?` The command alone is answered with help, in the user's language."""

from functools import partial

from slack_bolt import App

from slackapp.listeners.common import is_request, listen
from slackapp.listeners.payloads import from_command
from slackapp.listeners.request_handler import Acceptance, GetRequestHandler

COMMAND = "/fetch"


def register(app: App, get_handler: GetRequestHandler, acceptance: Acceptance | None) -> None:
    listen(
        partial(app.command, COMMAND, matchers=[is_request(from_command)]),
        from_command,
        lambda incoming: get_handler().answer(incoming),
        acceptance.accept if acceptance else None,
        is_repeated=False,
    )
