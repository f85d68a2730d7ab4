"""Stops a run: Slack's own button, a cross as reaction, a deleted request."""

from collections.abc import Callable, Sequence
from functools import partial
from re import Pattern
from typing import Any

from slack_bolt import App

from slackapp.listeners.common import is_request, listen
from slackapp.listeners.incoming import Ignored, Stop
from slackapp.listeners.payloads import Body, from_deletion, from_reaction, from_session_stopped
from slackapp.listeners.request_handler import Acceptance, GetRequestHandler

Event = str | dict[str, str | Sequence[str | Pattern[Any] | None] | None]
Parse = Callable[[Body], Stop | Ignored]

EVENTS: tuple[tuple[Event, Parse], ...] = (
    ("agent_session_stopped", from_session_stopped),
    ("reaction_added", from_reaction),
    ({"type": "message", "subtype": "message_deleted"}, from_deletion),
    ({"type": "message", "subtype": "message_changed"}, from_deletion),
)


def register(app: App, get_handler: GetRequestHandler, acceptance: Acceptance | None) -> None:
    def listen_to(event: Event, parse: Parse) -> None:
        def parse_stop(body: Body, _our_user: str) -> Stop | Ignored:
            return parse(body)

        listen(
            partial(app.event, event, matchers=[is_request(parse_stop)]),
            parse_stop,
            lambda stop: get_handler().stop_run(stop),
            acceptance.stop if acceptance else None,
            is_question=False,
        )

    for event, parse in EVENTS:
        listen_to(event, parse)
