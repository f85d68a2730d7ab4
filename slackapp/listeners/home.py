"""The app's home tab."""

from typing import Any

from slack_bolt import App

from slackapp.listeners.common import acknowledge
from slackapp.listeners.request_handler import GetRequestHandler


def register(app: App, get_handler: GetRequestHandler) -> None:
    def show_home(event: dict[str, Any]) -> None:
        if event.get("tab") == "home" and event.get("user"):
            get_handler().show_home(str(event["user"]))

    app.event("app_home_opened")(ack=acknowledge, lazy=[show_home])
