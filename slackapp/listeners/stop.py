"""Three ways to stop a run: Slack's own button, a cross as reaction, a deleted request."""

from collections.abc import Callable, Sequence
from re import Pattern
from typing import Any

from slack_bolt import App

from slackapp.listeners.common import acknowledge, asks
from slackapp.listeners.incoming import Ignored, Stop
from slackapp.listeners.payloads import Body, from_deletion, from_reaction, from_session_stopped
from slackapp.listeners.request_handler import GetRequestHandler

Event = str | dict[str, str | Sequence[str | Pattern[Any] | None] | None]
Parse = Callable[[Body], Stop | Ignored]

WAYS: tuple[tuple[Event, Parse], ...] = (
    ("agent_session_stopped", from_session_stopped),
    ("reaction_added", from_reaction),
    ({"type": "message", "subtype": "message_deleted"}, from_deletion),
    ({"type": "message", "subtype": "message_changed"}, from_deletion),
)


def register(app: App, desk: GetRequestHandler) -> None:
    for event, parse in WAYS:
        _listen(app, desk, event, parse)


def _listen(app: App, desk: GetRequestHandler, event: Event, parse: Parse) -> None:
    def stop_run(body: dict[str, Any]) -> None:
        stop = parse(body)
        if isinstance(stop, Stop):
            desk().stop(stop)

    matcher = asks(lambda body, _: parse(body))
    app.event(event, matchers=[matcher])(ack=acknowledge, lazy=[stop_run])
