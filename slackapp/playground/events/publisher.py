"""Turns what happens into the events that Slack sends: one body for each app that listens."""

import copy
import itertools
import re
import secrets
from collections.abc import Iterator
from typing import Protocol

from slackapp.playground.values import App, Json
from slackapp.playground.workspace.records import Channel
from slackapp.playground.workspace.workspace import Workspace

SUBSCRIPTION = {
    "channel": "message.channels",
    "group": "message.groups",
    "im": "message.im",
}
"""Under which name a message of a kind of channel is subscribed."""


class Dispatch(Protocol):
    def event(self, app: App, body: Json) -> None:
        """Has a body delivered, with retries."""


class EventPublisher:
    """Knows the apps, and what each of them hears."""

    def __init__(self, workspace: Workspace, dispatch: Dispatch, *, own_events: bool) -> None:
        self._workspace = workspace
        self._dispatch = dispatch
        self._own_events = own_events
        self._numbers = itertools.count(1)
        self._run = secrets.token_hex(3).upper()
        self.apps: dict[str, App] = {}

    def message(self, channel: Channel, message: Json) -> None:
        """A new message."""
        for app, body in self.bodies(channel, message):
            self._dispatch.event(app, body)

    def bodies(self, channel: Channel, message: Json) -> Iterator[tuple[App, Json]]:
        """What each app hears of a message; one that mentions it is told twice, under two ids."""
        for app in self._listeners(channel, message):
            if self.mentions(app, message) and not channel.is_im and "app_mention" in app.subscriptions:
                event = self._event(channel, message, type="app_mention")
                yield app, self.envelope(app, event, channel)
            if SUBSCRIPTION[channel.kind] in app.subscriptions:
                event = self._event(channel, message, channel_type=channel.kind)
                yield app, self.envelope(app, event, channel)

    def changed(self, channel: Channel, before: Json, after: Json) -> None:
        """An edit; a mention that the edit adds is an `app_mention` of its own."""
        shown = self._workspace.messages.shown
        parts = {"message": shown(channel.id, after), "previous_message": shown(channel.id, before)}
        for app in self._listeners(channel, after):
            self._about(app, channel, "message_changed", parts)
            if self.mentions(app, after) and not self.mentions(app, before) and not channel.is_im:
                event = self._event(channel, after, type="app_mention")
                self.tell(app, event, channel)

    def deleted(self, channel: Channel, before: Json) -> None:
        """A deletion; where replies keep the place, Slack reports a change into a tombstone instead."""
        left = self._workspace.messages.find(channel.id, before["ts"])
        if left is not None:
            return self.changed(channel, before, left)
        parts = {"deleted_ts": before["ts"], "previous_message": before}
        for app in self._listeners(channel, before):
            self._about(app, channel, "message_deleted", parts)
        return None

    def about(self, event: Json, channel: Channel | None = None) -> None:
        """Any other event, to every app that subscribed to its type and may see its channel."""
        for app in self.apps.values():
            if channel is None or app.bot_user in channel.members:
                self.tell(app, event, channel)

    def tell(self, app: App, event: Json, channel: Channel | None) -> None:
        if event["type"] in app.subscriptions:
            self._dispatch.event(app, self.envelope(app, event, channel))

    def envelope(self, app: App, event: Json, channel: Channel | None = None) -> Json:
        """The body of an event request."""
        number = next(self._numbers)
        return {
            "token": "local",
            "team_id": app.team_id,
            "context_team_id": app.team_id,
            "context_enterprise_id": None,
            "api_app_id": app.app_id,
            "event": copy.deepcopy(event),
            "type": "event_callback",
            "event_id": f"Ev{self._run}{number:06d}",
            "event_time": int(self._workspace.clock.now().timestamp()),
            "authorizations": [
                {
                    "enterprise_id": None,
                    "team_id": app.team_id,
                    "user_id": app.bot_user,
                    "is_bot": True,
                    "is_enterprise_install": False,
                }
            ],
            "is_ext_shared_channel": bool(channel and channel.is_ext_shared),
            "event_context": f"4-local-{number}",
        }

    def mentions(self, app: App, message: Json) -> bool:
        return bool(re.search(rf"<@{app.bot_user}(\|[^>]*)?>", str(message.get("text") or "")))

    def _listeners(self, channel: Channel, message: Json) -> list[App]:
        return [
            app
            for app in self.apps.values()
            if app.bot_user in channel.members and (self._own_events or message.get("bot_id") != app.bot_id)
        ]

    def _event(self, channel: Channel, message: Json, **fields: str) -> Json:
        shown = self._workspace.messages.shown(channel.id, message)
        return {**shown, "channel": channel.id, "event_ts": message["ts"], **fields}

    def _about(self, app: App, channel: Channel, subtype: str, parts: Json) -> None:
        if SUBSCRIPTION[channel.kind] in app.subscriptions:
            stamp = self._workspace.messages.stamp()
            event = {
                "type": "message",
                "subtype": subtype,
                "channel": channel.id,
                "channel_type": channel.kind,
                "hidden": True,
                "ts": stamp,
                "event_ts": stamp,
                **parts,
            }
            self._dispatch.event(app, self.envelope(app, event, channel))
