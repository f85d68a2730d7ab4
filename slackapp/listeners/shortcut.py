"""What reads the links of a message: the message shortcut, and a reaction."""

from functools import partial

from slack_bolt import App

from slackapp.listeners.common import is_request, listen
from slackapp.listeners.incoming import Ignored, Incoming
from slackapp.listeners.payloads import Body, from_shortcut
from slackapp.listeners.reading_payloads import from_reading_reaction
from slackapp.listeners.request_handler import Acceptance, GetRequestHandler

CALLBACK = "read_link"


def register(
    app: App, get_handler: GetRequestHandler, acceptance: Acceptance | None, *, read_reaction: str
) -> None:
    def parse_reaction(body: Body, our_user: str) -> Incoming | Ignored:
        return from_reading_reaction(body, our_user, read_reaction)

    listen(
        partial(app.message_shortcut, CALLBACK, matchers=[is_request(from_shortcut)]),
        from_shortcut,
        lambda incoming: get_handler().answer(incoming),
        acceptance.accept if acceptance else None,
        is_repeated=False,
    )
    if read_reaction:
        listen(
            partial(app.event, "reaction_added", matchers=[is_request(parse_reaction)]),
            parse_reaction,
            lambda incoming: get_handler().answer(incoming),
            acceptance.accept if acceptance else None,
        )
