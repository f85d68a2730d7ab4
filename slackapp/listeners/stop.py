"""Stops a run: Slack's own button, a cross as reaction, a deleted request."""

from collections.abc import Callable, Sequence
from re import Pattern
from typing import Any

from slack_bolt import App

from slackapp.listeners.common import acknowledge, is_request
from slackapp.listeners.incoming import Ignored, Stop
from slackapp.listeners.payloads import Body, from_deletion, from_reaction, from_session_stopped
from slackapp.listeners.request_handler import GetRequestHandler

Event = str | dict[str, str | Sequence[str | Pattern[Any] | None] | None]
Parse = Callable[[Body], Stop | Ignored]

EVENTS: tuple[tuple[Event, Parse], ...] = (
    ("agent_session_stopped", from_session_stopped),
    ("reaction_added", from_reaction),
    ({"type": "message", "subtype": "message_deleted"}, from_deletion),
    ({"type": "message", "subtype": "message_changed"}, from_deletion),
)


def register(app: App, get_handler: GetRequestHandler) -> None:
    def listen(event: Event, parse: Parse) -> None:
        def stop_run(body: dict[str, Any]) -> None:
            stop = parse(body)
            if isinstance(stop, Stop):
                get_handler().stop_run(stop)

        matcher = is_request(lambda body, _: parse(body))
        app.event(event, matchers=[matcher])(ack=acknowledge, lazy=[stop_run])

    for event, parse in EVENTS:
        listen(event, parse)
