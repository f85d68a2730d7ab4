"""`/fetch https://… What does it cost?`"""

from functools import partial

from slack_bolt import Ack, App

from slackapp import messages_ja
from slackapp.codes import IgnoreReason
from slackapp.listeners.common import is_request, listen
from slackapp.listeners.incoming import Ignored, Incoming
from slackapp.listeners.payloads import Body, from_command
from slackapp.listeners.request_handler import Acceptance, GetRequestHandler

COMMAND = "/fetch"


def register(app: App, get_handler: GetRequestHandler, acceptance: Acceptance | None) -> None:
    def acknowledge_command(ack: Ack, body: Body) -> None:
        """Show help to a user who typed the command alone; only they see it."""
        if _is_empty(body):
            ack(text=messages_ja.help_text(), response_type="ephemeral")
        else:
            ack()

    def parse_question(body: Body, our_user: str) -> Incoming | Ignored:
        return Ignored(reason=IgnoreReason.EMPTY) if _is_empty(body) else from_command(body, our_user)

    listen(
        partial(app.command, COMMAND, matchers=[is_request(from_command)]),
        parse_question,
        lambda incoming: get_handler().answer(incoming),
        acceptance.accept if acceptance else None,
        ack=acknowledge_command,
        is_repeated=False,
    )


def _is_empty(body: Body) -> bool:
    return not str(body.get("text") or "").strip()
