"""The app's two tabs: its home, and its messages with suggested prompts."""

from typing import Any

from slack_bolt import App

from slackapp.listeners.common import acknowledge
from slackapp.listeners.request_handler import GetRequestHandler


def register(app: App, get_handler: GetRequestHandler) -> None:
    def show_home(event: dict[str, Any]) -> None:
        if event.get("tab") == "home" and event.get("user"):
            get_handler().show_home(str(event["user"]))
        elif event.get("tab") == "messages" and event.get("channel"):
            get_handler().suggest_prompts(str(event["channel"]), str(event.get("user") or ""))

    app.event("app_home_opened")(ack=acknowledge, lazy=[show_home])
