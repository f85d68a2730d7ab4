"""The app's home tab."""

from typing import Any

from slack_bolt import App

from slackapp.listeners.common import acknowledge
from slackapp.listeners.request_handler import GetRequestHandler


def register(app: App, desk: GetRequestHandler) -> None:
    def show_home(event: dict[str, Any]) -> None:
        if event.get("tab") == "home" and event.get("user"):
            desk().home(str(event["user"]))

    app.event("app_home_opened")(ack=acknowledge, lazy=[show_home])
