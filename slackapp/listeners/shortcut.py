"""The message shortcut that reads the links of a message."""

from typing import Any

from slack_bolt import App, BoltContext, BoltRequest

from slackapp.listeners.common import acknowledge, is_first, is_request, our_user
from slackapp.listeners.incoming import Incoming
from slackapp.listeners.payloads import from_shortcut
from slackapp.listeners.request_handler import GetRequestHandler

CALLBACK = "read_link"


def register(app: App, get_handler: GetRequestHandler) -> None:
    def answer_shortcut(body: dict[str, Any], context: BoltContext, request: BoltRequest) -> None:
        incoming = from_shortcut(body, our_user(context))
        if isinstance(incoming, Incoming):
            get_handler().answer(incoming, first_delivery=is_first(request))

    matcher = is_request(from_shortcut)
    app.message_shortcut(CALLBACK, matchers=[matcher])(ack=acknowledge, lazy=[answer_shortcut])
