"""Actions of people in Slack: they write, edit, delete, react, type commands and click.

Each method returns once the workspace has changed; the events that follow are delivered by other threads.
Commands, shortcuts and clicks wait for the app's acknowledgement, as people do.
"""

import copy
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterable
from uuid import uuid4

from slackapp.playground.events import interactions
from slackapp.playground.events.dispatcher import Dispatcher
from slackapp.playground.events.interactions import Interaction
from slackapp.playground.events.publisher import EventPublisher
from slackapp.playground.events.transports import Kind, OutgoingRequest
from slackapp.playground.values import Acknowledgement, App, Json
from slackapp.playground.webapi.file_and_response_urls import FileAndResponseUrls
from slackapp.playground.workspace.files import add_shares
from slackapp.playground.workspace.reactions import change_reaction
from slackapp.playground.workspace.records import User
from slackapp.playground.workspace.sample_workspace import TEAM
from slackapp.playground.workspace.typed_text import slack_markup
from slackapp.playground.workspace.workspace import Workspace

Attachment = tuple[str, bytes]
"""A file's name and content."""

FAILURES = {"http_timeout": "operation_timeout", "http_error": "http_service_error"}
"""What Slack tells a person when the app does not acknowledge; any other failure is `dispatch_failed`."""


class UserActions(ABC):
    """What people and tests do to the local Slack."""

    def __init__(
        self,
        workspace: Workspace,
        publisher: EventPublisher,
        dispatcher: Dispatcher,
        urls: FileAndResponseUrls,
    ) -> None:
        self.workspace = workspace
        self._publisher = publisher
        self._dispatcher = dispatcher
        self._urls = urls

    @property
    @abstractmethod
    def base_url(self) -> str:
        """The address of the local Slack."""

    def install(self, app: App) -> App:
        """Installs an app, or changes the settings of an installed one; its bot joins the sample channels."""
        self._publisher.install(app)
        return app

    @property
    def app(self) -> App:
        """The app that was installed first."""
        return next(iter(self._publisher.apps.values()))

    def direct(self, user: str) -> str:
        """The id of a person's conversation with the first app."""
        return self.workspace.open_direct(user, self.app.bot_user).id

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

        The text is in the form that Slack stores (`<@U…>`, `<https://…>`); with `typed` it is as a person
        types it. Without `deliver` no app gets an event, and `bodies` returns the bodies for it.
        """
        workspace = self.workspace
        with workspace.lock:
            where, author = workspace.channel(channel), workspace.user(user)
            where.members.add(author.id)
            if typed:
                text = slack_markup(text, workspace)
            message: Json = {
                "user": author.id,
                "text": text,
                "team": author.team_id,
                **self._author_fields(author),
            }
            if thread_ts:
                message["thread_ts"] = workspace.messages.thread(where.id, thread_ts)[0]["ts"]
            if broadcast:
                message["subtype"] = "thread_broadcast"
            stored = []
            for name, content in files:
                file = workspace.files.create(name, len(content), user)
                workspace.files.store_content(file, content)
                file.completed = True
                stored.append(file)
            if stored:
                share = {"ts": workspace.messages.next_ts()}
                shown = add_shares(stored, where.id, where.kind, share, self.base_url)
                message |= {**share, "subtype": "file_share", "files": shown, "upload": False}
            posted = workspace.post(where.id, message)
            if deliver:
                self._publisher.publish_message(where, posted)
            return str(posted["ts"])

    def bodies(self, channel: str, ts: str) -> tuple[Json, ...]:
        """The event bodies for a message, with new ids each time."""
        with self.workspace.lock:
            where = self.workspace.channel(channel)
            message = self.workspace.messages.get(where.id, ts)
            return tuple(body for _, body in self._publisher.message_bodies(where, message))

    def edit(self, user: str, channel: str, ts: str, text: str) -> None:
        with self.workspace.lock:
            where = self.workspace.channel(channel)
            message = self.workspace.messages.get(where.id, ts)
            before = copy.deepcopy(message)
            message |= {"text": text, "edited": {"user": user, "ts": self.workspace.messages.next_ts()}}
            self.workspace.record_message(where.id, message)
            self._publisher.publish_change(where, before, message)

    def delete(self, channel: str, ts: str, user: str = "") -> None:
        """Deletes a message; one with replies leaves a tombstone."""
        with self.workspace.lock:
            where = self.workspace.channel(channel)
            self._publisher.publish_deletion(where, self.workspace.remove(where.id, ts))

    def react(self, user: str, channel: str, ts: str, name: str) -> None:
        with self.workspace.lock:
            where = self.workspace.channel(channel)
            change_reaction("added", self.workspace, self._publisher, where, ts, name, user)

    def unreact(self, user: str, channel: str, ts: str, name: str) -> None:
        with self.workspace.lock:
            where = self.workspace.channel(channel)
            change_reaction("removed", self.workspace, self._publisher, where, ts, name, user)

    def open_home(self, user: str) -> None:
        with self.workspace.lock:
            for app in self._publisher.apps.values():
                event = {
                    "type": "app_home_opened",
                    "user": user,
                    "channel": self.workspace.open_direct(user, app.bot_user).id,
                    "tab": "home",
                    "event_ts": self.workspace.messages.next_ts(),
                }
                self._publisher.publish_to(app, event, None)

    def stop_session(self, user: str, channel: str, thread_ts: str) -> None:
        """Presses the stop button of a thread: Slack ends the app's streams and tells the app."""
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
                "event_ts": self.workspace.messages.next_ts(),
            }
            self._publisher.publish(event, where)

    def command(
        self, user: str, channel: str, command: str, text: str = "", *, app: App | None = None
    ) -> Acknowledgement:
        """Types a slash command, which also works in channels without the bot."""
        interaction = self._begin_interaction(user, channel, app)
        payload = interactions.command_payload(interaction, command, text)
        return self._deliver_interaction(interaction, Kind.COMMAND, payload)

    def shortcut(
        self, user: str, channel: str, ts: str, callback_id: str, *, app: App | None = None
    ) -> Acknowledgement:
        """Chooses a shortcut in a message's menu."""
        interaction = self._begin_interaction(user, channel, app)
        message = self._shown(interaction.channel.id, ts)
        payload = interactions.shortcut_payload(interaction, message, callback_id)
        return self._deliver_interaction(interaction, Kind.INTERACTIVE, payload)

    def click(
        self, user: str, channel: str, ts: str, action_id: str, value: str | None = None
    ) -> Acknowledgement:
        """Clicks a button under a message of the app; `value` chooses one of two feedback buttons."""
        interaction = self._begin_interaction(user, channel, None)
        message = self._shown(interaction.channel.id, ts)
        payload = interactions.click_payload(interaction, message, action_id, value)
        return self._deliver_interaction(interaction, Kind.INTERACTIVE, payload)

    def create_response_url(self, user: str, channel: str, app: App | None = None) -> str:
        """Creates a response URL, as every command and interaction has one."""
        return self.base_url + self._urls.create_response_path(app or self.app, channel, user)

    def _begin_interaction(self, user: str, channel: str, app: App | None) -> Interaction:
        target = app or self.app
        with self.workspace.lock:
            where = self.workspace.channel(channel)
            ts = self.workspace.messages.next_ts()
            return Interaction(
                app=target,
                team=self.workspace.teams[target.team_id],
                user=self.workspace.user(user),
                channel=where,
                response_url=self.create_response_url(user, where.id, target),
                trigger_id=f"{ts}.{secrets.token_hex(16)}",
                ts=ts,
            )

    def _deliver_interaction(self, interaction: Interaction, kind: Kind, payload: Json) -> Acknowledgement:
        request = OutgoingRequest(kind=kind, payload=payload)
        delivery, outcome = self._dispatcher.deliver(interaction.app, request)
        error = FAILURES.get(outcome.error, "dispatch_failed") if outcome.error else ""
        if not error and kind is Kind.COMMAND:
            self._urls.show_acknowledgement(interaction.response_url, outcome.body)
        return Acknowledgement(
            status=outcome.status, body=outcome.body, error=error, seconds=delivery.seconds
        )

    def _shown(self, channel: str, ts: str) -> Json:
        with self.workspace.lock:
            return self.workspace.messages.shown(channel, self.workspace.messages.get(channel, ts))

    def _author_fields(self, author: User) -> Json:
        if author.is_bot:
            return {"bot_id": author.bot_id, "bot_profile": {"id": author.bot_id}}
        fields = {"client_msg_id": str(uuid4())}
        home = self.app.team_id if self._publisher.apps else TEAM
        if author.team_id != home:
            fields |= {"user_team": author.team_id, "source_team": author.team_id}
        return fields
