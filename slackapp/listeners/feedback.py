"""The two buttons under an answer, and the modal that asks why an answer was not useful."""

from typing import Any

from slack_bolt import App

from slackapp.listeners.common import acknowledge, is_request
from slackapp.listeners.incoming import Feedback, FeedbackReason
from slackapp.listeners.payloads import from_feedback, from_reason
from slackapp.listeners.request_handler import GetRequestHandler

ACTION = "feedback"
CALLBACK = "feedback_reason"


def register(app: App, get_handler: GetRequestHandler) -> None:
    def keep_feedback(body: dict[str, Any]) -> None:
        feedback = from_feedback(body)
        if isinstance(feedback, Feedback):
            get_handler().save_feedback(feedback)

    def keep_reason(body: dict[str, Any]) -> None:
        reason = from_reason(body)
        if isinstance(reason, FeedbackReason):
            get_handler().save_reason(reason)

    is_feedback = is_request(lambda body, _: from_feedback(body))
    app.action(ACTION, matchers=[is_feedback])(ack=acknowledge, lazy=[keep_feedback])
    is_reason = is_request(lambda body, _: from_reason(body))
    app.view(CALLBACK, matchers=[is_reason])(ack=acknowledge, lazy=[keep_reason])
