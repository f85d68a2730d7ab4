"""Messages that ask: mentions, direct messages, and follow-ups in threads."""

from typing import Any

from slack_bolt import App, BoltContext, BoltRequest

from slackapp.listeners.common import acknowledge, is_first, is_request, our_user
from slackapp.listeners.incoming import Incoming
from slackapp.listeners.payloads import from_event
from slackapp.listeners.request_handler import GetRequestHandler


def register(app: App, get_handler: GetRequestHandler) -> None:
    def answer_message(body: dict[str, Any], context: BoltContext, request: BoltRequest) -> None:
        incoming = from_event(body, our_user(context))
        if isinstance(incoming, Incoming):
            get_handler().answer(incoming, first_delivery=is_first(request))

    for event in ("app_mention", "message"):
        app.event(event, matchers=[is_request(from_event)])(ack=acknowledge, lazy=[answer_message])
