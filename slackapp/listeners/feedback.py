"""The two buttons under an answer."""

from typing import Any

from slack_bolt import App

from slackapp.listeners.common import acknowledge, is_request
from slackapp.listeners.incoming import Feedback
from slackapp.listeners.payloads import from_feedback
from slackapp.listeners.request_handler import GetRequestHandler

ACTION = "feedback"


def register(app: App, get_handler: GetRequestHandler) -> None:
    def keep_feedback(body: dict[str, Any]) -> None:
        feedback = from_feedback(body)
        if isinstance(feedback, Feedback):
            get_handler().save_feedback(feedback)

    matcher = is_request(lambda body, _: from_feedback(body))
    app.action(ACTION, matchers=[matcher])(ack=acknowledge, lazy=[keep_feedback])
