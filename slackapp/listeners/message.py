"""Messages that ask: mentions, direct messages, and follow-ups in threads."""

from typing import Any

from slack_bolt import App, BoltContext, BoltRequest

from slackapp.listeners.common import acknowledge, asks, is_first, our_user
from slackapp.listeners.incoming import Incoming
from slackapp.listeners.payloads import from_event
from slackapp.listeners.request_handler import GetRequestHandler


def register(app: App, desk: GetRequestHandler) -> None:
    def answer_message(body: dict[str, Any], context: BoltContext, request: BoltRequest) -> None:
        incoming = from_event(body, our_user(context))
        if isinstance(incoming, Incoming):
            desk().ask(incoming, first_delivery=is_first(request))

    for event in ("app_mention", "message"):
        app.event(event, matchers=[asks(from_event)])(ack=acknowledge, lazy=[answer_message])
