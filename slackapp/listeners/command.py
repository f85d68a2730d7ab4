"""`/fetch https://… What does it cost?`"""

from typing import Any

from slack_bolt import Ack, App, BoltContext, BoltRequest

from slackapp import messages_ja
from slackapp.listeners.common import is_first, is_request, our_user
from slackapp.listeners.incoming import Incoming
from slackapp.listeners.payloads import from_command
from slackapp.listeners.request_handler import GetRequestHandler

COMMAND = "/fetch"


def register(app: App, get_handler: GetRequestHandler) -> None:
    def acknowledge_command(ack: Ack, body: dict[str, Any]) -> None:
        """Show help to a user who typed the command alone; only they see it."""
        if _is_empty(body):
            ack(text=messages_ja.help_text(), response_type="ephemeral")
        else:
            ack()

    def answer_command(body: dict[str, Any], context: BoltContext, request: BoltRequest) -> None:
        incoming = from_command(body, our_user(context))
        if isinstance(incoming, Incoming) and not _is_empty(body):
            get_handler().answer(incoming, first_delivery=is_first(request))

    matcher = is_request(from_command)
    app.command(COMMAND, matchers=[matcher])(ack=acknowledge_command, lazy=[answer_command])


def _is_empty(body: dict[str, Any]) -> bool:
    return not str(body.get("text") or "").strip()
