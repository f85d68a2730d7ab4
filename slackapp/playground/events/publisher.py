"""Turns changes in the workspace into the events that Slack sends, one body for each app that listens."""

import copy
import itertools
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field

from slackapp.playground.events.dispatcher import Dispatcher
from slackapp.playground.values import App, Json
from slackapp.playground.workspace.records import Channel
from slackapp.playground.workspace.sample_workspace import CHANNELS
from slackapp.playground.workspace.workspace import Workspace

SUBSCRIPTION = {
    "channel": "message.channels",
    "group": "message.groups",
    "im": "message.im",
    "mpim": "message.mpim",
}
"""The subscription that an app needs for the messages of a kind of channel."""
WITH_MENTIONS = ("channel", "group")
"""Kinds of channels in which a mention is an `app_mention` as well."""


@dataclass(slots=True)
class EventPublisher:
    """Knows the installed apps, and which events each of them gets."""

    workspace: Workspace
    dispatcher: Dispatcher
    own_events: bool
    apps: dict[str, App] = field(default_factory=dict, init=False)
    uninstalled: set[str] = field(default_factory=set, init=False)
    """Apps that were removed; their tokens are revoked and they get no events."""
    _run: str = field(default_factory=lambda: secrets.token_hex(3).upper(), init=False)
    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1), init=False)

    def install(self, app: App) -> None:
        """Adds an app; its bot joins the sample channels and gets a conversation with every person."""
        workspace = self.workspace
        with workspace.lock:
            self.apps[app.app_id] = app
            self.uninstalled.discard(app.app_id)
            if app.bot_user not in workspace.users:
                workspace.add_user(
                    app.name, user_id=app.bot_user, team_id=app.team_id, is_bot=True, bot_id=app.bot_id
                )
            for channel_id, *_ in CHANNELS:
                workspace.channels[channel_id].members.add(app.bot_user)
            for user in tuple(workspace.users.values()):
                if not user.is_bot and user.team_id == app.team_id:
                    workspace.open_direct(user.id, app.bot_user)

    def publish_message(self, channel: Channel, message: Json) -> None:
        for app, body in self.message_bodies(channel, message):
            self.dispatcher.deliver_event(app, body)

    def message_bodies(self, channel: Channel, message: Json) -> Iterator[tuple[App, Json]]:
        """Event bodies for a new message; an app that it mentions gets two, with different ids."""
        for app in self._listeners(channel, message):
            is_mention = channel.kind in WITH_MENTIONS and self._mentions(app, message)
            if is_mention and "app_mention" in app.subscriptions:
                yield app, self._event_body(app, self._mention_event(app, channel, message), channel)
            if SUBSCRIPTION[channel.kind] in app.subscriptions:
                event = self._message_event(channel, message, channel_type=channel.kind)
                yield app, self._event_body(app, event, channel)

    def publish_change(self, channel: Channel, before: Json, after: Json) -> None:
        """Publishes a change; an edited message with a mention is an `app_mention` again (bolt-js#960)."""
        shown = self.workspace.messages.shown
        parts = {"message": shown(channel.id, after), "previous_message": shown(channel.id, before)}
        for app in self._listeners(channel, after):
            self._publish_hidden(app, channel, "message_changed", parts)
            is_edited = after.get("edited") != before.get("edited")
            if is_edited and self._mentions(app, after) and channel.kind in WITH_MENTIONS:
                self.publish_to(app, self._mention_event(app, channel, after), channel)

    def publish_deletion(self, channel: Channel, before: Json) -> None:
        """Publishes a deletion; for a message with replies, Slack reports a change into a tombstone."""
        left = self.workspace.messages.find(channel.id, before["ts"])
        if left is not None:
            return self.publish_change(channel, before, left)
        parts = {"deleted_ts": before["ts"], "previous_message": before}
        for app in self._listeners(channel, before):
            self._publish_hidden(app, channel, "message_deleted", parts)
        return None

    def publish(self, event: Json, channel: Channel) -> None:
        """Publishes any other event to every subscribed app that is in the channel."""
        for app in self.apps.values():
            if app.bot_user in channel.members:
                self.publish_to(app, event, channel)

    def publish_to(self, app: App, event: Json, channel: Channel | None) -> None:
        """Publishes an event to one app, if it has subscribed to its type."""
        if event["type"] in app.subscriptions and app.app_id not in self.uninstalled:
            self.dispatcher.deliver_event(app, self._event_body(app, event, channel))

    def _listeners(self, channel: Channel, message: Json) -> list[App]:
        return [
            app
            for app in self.apps.values()
            if app.bot_user in channel.members
            and app.app_id not in self.uninstalled
            and (self.own_events or message.get("bot_id") != app.bot_id)
        ]

    def _mentions(self, app: App, message: Json) -> bool:
        return bool(re.search(rf"<@{app.bot_user}(\|[^>]*)?>", str(message.get("text") or "")))

    def _message_event(self, channel: Channel, message: Json, **fields: str) -> Json:
        """In a shared channel it has the author's workspace in `team`, and nowhere else."""
        shown = self.workspace.messages.shown(channel.id, message)
        if channel.shared_with:
            shown.pop("user_team", None)
            shown.pop("source_team", None)
        return {**shown, "channel": channel.id, "event_ts": message["ts"], **fields}

    def _mention_event(self, app: App, channel: Channel, message: Json) -> Json:
        """In a shared channel `team` is the workspace that the author is not from; `user_team` is theirs.

        Recorded in bolt-python, tests/slack_bolt/request/test_internals.py.
        """
        event = self._message_event(channel, message, type="app_mention")
        if channel.shared_with:
            author = self.workspace.teams[message["team"]]
            other = channel.shared_with if author.id == app.team_id else app.team_id
            event |= {"team": other, "user_team": author.visible_id, "source_team": author.visible_id}
        return event

    def _publish_hidden(self, app: App, channel: Channel, subtype: str, parts: Json) -> None:
        """Publishes a message event that Slack's own clients do not show."""
        if SUBSCRIPTION[channel.kind] in app.subscriptions:
            ts = self.workspace.messages.next_ts()
            event = {
                "type": "message",
                "subtype": subtype,
                "channel": channel.id,
                "channel_type": channel.kind,
                "hidden": True,
                "ts": ts,
                "event_ts": ts,
                **parts,
            }
            self.dispatcher.deliver_event(app, self._event_body(app, event, channel))

    def _event_body(self, app: App, event: Json, channel: Channel | None) -> Json:
        """The body of an event request. Only its authorization surely names the installed workspace."""
        number = next(self._numbers)
        teams, enterprise = self.workspace.teams, self.workspace.teams[app.team_id].enterprise_id or None
        ids: Json = {
            "team_id": app.team_id,
            "enterprise_id": enterprise,
            "context_team_id": app.team_id,
            "context_enterprise_id": enterprise,
        }
        if channel and channel.shared_with and event["type"] in ("app_mention", "message"):
            # As recorded in bolt-python, tests/slack_bolt/request/test_internals.py.
            message = event.get("message") or event.get("previous_message") or event
            outer, other = teams[message.get("team") or app.team_id], teams[channel.shared_with]
            ids = {"team_id": outer.id, "enterprise_id": outer.enterprise_id or None}
            if event["type"] == "message":
                ids |= {"context_team_id": other.id, "context_enterprise_id": other.enterprise_id or None}
        return {
            "token": "local",
            **ids,
            "api_app_id": app.app_id,
            "event": copy.deepcopy(event),
            "type": "event_callback",
            "event_id": f"Ev{self._run}{number:06d}",
            "event_time": int(self.workspace.clock.now().timestamp()),
            "authorizations": [
                {
                    "enterprise_id": enterprise,
                    "team_id": app.team_id,
                    "user_id": app.bot_user,
                    "is_bot": True,
                    "is_enterprise_install": False,
                }
            ],
            "is_ext_shared_channel": bool(channel and channel.is_ext_shared),
            "event_context": f"4-local-{number}",
        }
