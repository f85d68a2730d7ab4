"""The message shortcut that reads the links of a message."""

from typing import Any

from slack_bolt import App, BoltContext, BoltRequest

from slackapp.listeners.common import acknowledge, asks, is_first, our_user
from slackapp.listeners.incoming import Incoming
from slackapp.listeners.payloads import from_shortcut
from slackapp.listeners.request_handler import GetRequestHandler

CALLBACK = "read_link"


def register(app: App, desk: GetRequestHandler) -> None:
    def answer_shortcut(body: dict[str, Any], context: BoltContext, request: BoltRequest) -> None:
        incoming = from_shortcut(body, our_user(context))
        if isinstance(incoming, Incoming):
            desk().ask(incoming, first_delivery=is_first(request))

    matcher = asks(from_shortcut)
    app.message_shortcut(CALLBACK, matchers=[matcher])(ack=acknowledge, lazy=[answer_shortcut])
