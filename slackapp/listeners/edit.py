"""A question that its asker changes while it is being answered."""

from typing import Any

from slack_bolt import App, BoltContext

from slackapp.listeners.change_payloads import from_edit
from slackapp.listeners.common import acknowledge, is_request, our_user
from slackapp.listeners.incoming import Edit
from slackapp.listeners.request_handler import GetRequestHandler


def register(app: App, get_handler: GetRequestHandler) -> None:
    def note_edit(body: dict[str, Any], context: BoltContext) -> None:
        edit = from_edit(body, our_user(context))
        if isinstance(edit, Edit):
            get_handler().note_edit(edit)

    matcher = is_request(from_edit)
    event: dict[str, Any] = {"type": "message", "subtype": "message_changed"}
    app.event(event, matchers=[matcher])(ack=acknowledge, lazy=[note_edit])
