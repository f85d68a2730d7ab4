"""A workspace removes the app, or revokes its token."""

from typing import Any

from slack_bolt import App

from slackapp.listeners.change_payloads import from_departure
from slackapp.listeners.common import acknowledge, is_request
from slackapp.listeners.incoming import Departure
from slackapp.listeners.request_handler import GetRequestHandler


def register(app: App, get_handler: GetRequestHandler) -> None:
    def forget_workspace(body: dict[str, Any]) -> None:
        departure = from_departure(body)
        if isinstance(departure, Departure):
            get_handler().forget_workspace(departure)

    matcher = is_request(lambda body, _: from_departure(body))
    for event in ("app_uninstalled", "tokens_revoked"):
        app.event(event, matchers=[matcher])(ack=acknowledge, lazy=[forget_workspace])
