"""What people do in Slack: they write, edit, delete, react, type commands and click.

Each method returns once the workspace has changed; the events that follow are delivered by other threads.
Commands, shortcuts and clicks wait for the app's acknowledgement, as people do.
"""

import copy
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from slackapp.playground.events import interactions
from slackapp.playground.events.dispatcher import Dispatcher
from slackapp.playground.events.interactions import ClickedMessage
from slackapp.playground.events.publisher import EventPublisher
from slackapp.playground.events.transports import Kind, OutgoingRequest
from slackapp.playground.values import Acknowledgement, App, Json
from slackapp.playground.webapi.file_and_response_urls import FileAndResponseUrls
from slackapp.playground.workspace import files as file_views
from slackapp.playground.workspace import reactions
from slackapp.playground.workspace.files import StoredFile
from slackapp.playground.workspace.records import Channel, User
from slackapp.playground.workspace.typed_text import composed
from slackapp.playground.workspace.workspace import Workspace

Attachment = tuple[str, bytes]
"""A file's name and content."""

FAILURES = {"http_timeout": "operation_timeout", "http_error": "http_service_error"}
"""What a person is told when the app does not acknowledge; everything else is `dispatch_failed`."""


class UserActions(ABC):
    """The hands and voices of the workspace."""

    def __init__(
        self,
        workspace: Workspace,
        herald: EventPublisher,
        dispatcher: Dispatcher,
        addresses: FileAndResponseUrls,
    ) -> None:
        self.workspace = workspace
        self._herald = herald
        self._dispatcher = dispatcher
        self._addresses = addresses

    @property
    @abstractmethod
    def base_url(self) -> str:
        """Where this Slack answers."""

    def install(self, app: App) -> App:
        """Installs an app, or gives an installed one other settings; its bot joins the first channels."""
        with self.workspace.lock:
            self._herald.apps[app.app_id] = app
            if app.bot_user not in self.workspace.users:
                self.workspace.add_user(
                    app.name,
                    user_id=app.bot_user,
                    team_id=app.team_id,
                    is_bot=True,
                    bot_id=app.bot_id,
                )
            for channel in self.workspace.channels.values():
                if channel.id in ("C0GENERAL", "C0RANDOM"):
                    channel.members.add(app.bot_user)
            for user in tuple(self.workspace.users.values()):
                if not user.is_bot and user.team_id == app.team_id:
                    self.workspace.direct(user.id, app.bot_user)
        return app

    @property
    def app(self) -> App:
        """The app that was installed first."""
        return next(iter(self._herald.apps.values()))

    def direct(self, user: str) -> str:
        """The id of a person's conversation with the first app."""
        return self.workspace.direct(user, self.app.bot_user).id

    def say(
        self,
        user: str,
        channel: str,
        text: str,
        thread_ts: str | None = None,
        files: Iterable[Attachment] = (),
        *,
        typed: bool = False,
        broadcast: bool = False,
        deliver: bool = True,
    ) -> str:
        """Posts a message and returns its ts.

        The text is what Slack keeps (`<@U…>`, `<https://…>`); `typed` takes it as a person types it. Without
        `deliver` no app hears of it, and `bodies` gives what they would have heard.
        """
        with self.workspace.lock:
            where, author = self.workspace.channel(channel), self.workspace.user(user)
            where.members.add(author.id)
            message = self._written(author, composed(text, self.workspace) if typed else text)
            if thread_ts:
                message["thread_ts"] = self.workspace.messages.thread(where.id, thread_ts)[0]["ts"]
            if broadcast:
                message["subtype"] = "thread_broadcast"
            stored = [self._stored(user, name, content) for name, content in files]
            if stored:
                place = {"ts": self.workspace.messages.stamp()}
                views = file_views.shared(stored, where.id, where.kind, place, self.base_url)
                message |= {**place, "subtype": "file_share", "files": views, "upload": False}
            posted = self.workspace.post(where.id, message)
            if deliver:
                self._herald.message(where, posted)
            return str(posted["ts"])

    def bodies(self, channel: str, ts: str) -> tuple[Json, ...]:
        """The event bodies that a message makes, with new ids each time."""
        with self.workspace.lock:
            where = self.workspace.channel(channel)
            message = self.workspace.messages.get(where.id, ts)
            return tuple(body for _, body in self._herald.bodies(where, message))

    def edit(self, user: str, channel: str, ts: str, text: str) -> None:
        with self.workspace.lock:
            where = self.workspace.channel(channel)
            message = self.workspace.messages.get(where.id, ts)
            before = copy.deepcopy(message)
            message |= {"text": text, "edited": {"user": user, "ts": self.workspace.messages.stamp()}}
            self.workspace.changed(where.id, message)
            self._herald.changed(where, before, message)

    def delete(self, channel: str, ts: str, user: str = "") -> None:
        """Deletes a message; under replies it leaves a tombstone."""
        with self.workspace.lock:
            where = self.workspace.channel(channel)
            self._herald.deleted(where, self.workspace.remove(where.id, ts))

    def react(self, user: str, channel: str, ts: str, name: str) -> None:
        with self.workspace.lock:
            where = self.workspace.channel(channel)
            reactions.add(self.workspace, self._herald, where, ts, name, user)

    def unreact(self, user: str, channel: str, ts: str, name: str) -> None:
        with self.workspace.lock:
            where = self.workspace.channel(channel)
            reactions.remove(self.workspace, self._herald, where, ts, name, user)

    def open_home(self, user: str) -> None:
        with self.workspace.lock:
            for app in self._herald.apps.values():
                event = {
                    "type": "app_home_opened",
                    "user": user,
                    "channel": self.workspace.direct(user, app.bot_user).id,
                    "tab": "home",
                    "event_ts": self.workspace.messages.stamp(),
                }
                self._herald.tell(app, event, None)

    def stop_session(self, user: str, channel: str, thread_ts: str) -> None:
        """The stop button of a thread: Slack ends the app's streams and tells the app."""
        with self.workspace.lock:
            where = self.workspace.channel(channel)
            streaming = [
                message["ts"]
                for message in self.workspace.messages.thread(where.id, thread_ts)
                if (where.id, message["ts"]) in self.workspace.streams
            ]
            for ts in streaming:
                self.workspace.stopped.add((where.id, ts))
                self.workspace.end_stream(where.id, ts)
            event = {
                "type": "agent_session_stopped",
                "user": user,
                "channel": where.id,
                "thread_ts": thread_ts,
                "streaming_message_ts": streaming,
                "event_ts": self.workspace.messages.stamp(),
            }
            self._herald.about(event, where)

    def command(
        self, user: str, channel: str, command: str, text: str = "", *, app: App | None = None
    ) -> Acknowledgement:
        """A slash command; it works in channels that the bot is no member of, too."""
        scene = self._scene(user, channel, app)
        return self._ask(scene, Kind.COMMAND, interactions.command(scene, command, text))

    def shortcut(
        self, user: str, channel: str, ts: str, callback_id: str, *, app: App | None = None
    ) -> Acknowledgement:
        """A shortcut in a message's menu."""
        scene = self._scene(user, channel, app)
        payload = interactions.shortcut(scene, self._seen(scene.channel, ts), callback_id)
        return self._ask(scene, Kind.INTERACTIVE, payload)

    def click(
        self,
        user: str,
        channel: str,
        ts: str,
        action_id: str,
        value: str | None = None,
        *,
        app: App | None = None,
    ) -> Acknowledgement:
        """A button under a message of an app; of feedback buttons, the one with the value."""
        scene = self._scene(user, channel, app)
        payload = interactions.click(scene, self._seen(scene.channel, ts), action_id, value)
        return self._ask(scene, Kind.INTERACTIVE, payload)

    def _scene(self, user: str, channel: str, app: App | None) -> ClickedMessage:
        target = app or self.app
        with self.workspace.lock:
            where = self.workspace.channel(channel)
            stamp = self.workspace.messages.stamp()
            return ClickedMessage(
                app=target,
                team=self.workspace.teams[target.team_id],
                user=self.workspace.user(user),
                channel=where,
                response_url=self.base_url + self._addresses.response_url(target, where.id, user),
                trigger_id=f"{stamp}.{secrets.token_hex(16)}",
                ts=stamp,
            )

    def _ask(self, scene: ClickedMessage, kind: Kind, payload: Json) -> Acknowledgement:
        delivery, outcome = self._dispatcher.carry(scene.app, OutgoingRequest(kind=kind, payload=payload))
        error = FAILURES.get(outcome.error, "dispatch_failed") if outcome.error else ""
        if not error and kind is Kind.COMMAND:
            self._addresses.acknowledged(scene.response_url, outcome.body)
        return Acknowledgement(
            status=outcome.status, body=outcome.body, error=error, seconds=delivery.seconds
        )

    def _seen(self, where: Channel, ts: str) -> Json:
        with self.workspace.lock:
            message = self.workspace.messages.get(where.id, ts)
            return self.workspace.messages.shown(where.id, message)

    def _written(self, author: User, text: str) -> Json:
        message: dict[str, Any] = {"user": author.id, "text": text, "team": author.team_id}
        if author.is_bot:
            return message | {"bot_id": author.bot_id, "bot_profile": {"id": author.bot_id}}
        message["client_msg_id"] = str(uuid4())
        if author.team_id != self.app_team:
            message |= {"user_team": author.team_id, "source_team": author.team_id}
        return message

    @property
    def app_team(self) -> str:
        return self.app.team_id if self._herald.apps else "T0LOCAL"

    def _stored(self, user: str, name: str, content: bytes) -> StoredFile:
        store = self.workspace.files
        file = store.announce(name, len(content), user)
        store.fill(file, content)
        file.completed = True
        return file
