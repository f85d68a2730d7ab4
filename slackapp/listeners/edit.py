"""A question that its asker changes while it is being answered."""

from typing import Any

from slack_bolt import App

from slackapp.listeners.change_payloads import from_edit
from slackapp.listeners.common import acknowledge, is_request
from slackapp.listeners.incoming import Edit
from slackapp.listeners.request_handler import GetRequestHandler


def register(app: App, get_handler: GetRequestHandler) -> None:
    def note_edit(body: dict[str, Any]) -> None:
        edit = from_edit(body)
        if isinstance(edit, Edit):
            get_handler().note_edit(edit)

    matcher = is_request(lambda body, _: from_edit(body))
    event: dict[str, Any] = {"type": "message", "subtype": "message_changed"}
    app.event(event, matchers=[matcher])(ack=acknowledge, lazy=[note_edit])
