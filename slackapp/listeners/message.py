"""Messages that ask: mentions, direct messages, and follow-ups in threads."""

from functools import partial

from slack_bolt import App

from slackapp.listeners.common import is_request, listen
from slackapp.listeners.payloads import from_event
from slackapp.listeners.request_handler import Acceptance, GetRequestHandler


def register(app: App, get_handler: GetRequestHandler, acceptance: Acceptance | None) -> None:
    for event in ("app_mention", "message"):
        listen(
            partial(app.event, event, matchers=[is_request(from_event)]),
            from_event,
            lambda incoming: get_handler().answer(incoming),
            acceptance.accept if acceptance else None,
        )
