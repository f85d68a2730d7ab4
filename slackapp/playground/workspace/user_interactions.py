"""Actions of people that wait for the app: slash commands, message shortcuts and clicks."""

import secrets
from abc import ABC, abstractmethod
from collections.abc import Mapping

from slackapp.playground.events import interactions
from slackapp.playground.events.dispatcher import Dispatcher
from slackapp.playground.events.interactions import Interaction
from slackapp.playground.events.publisher import EventPublisher
from slackapp.playground.events.transports import Kind, OutgoingRequest
from slackapp.playground.values import Acknowledgement, App, Json
from slackapp.playground.webapi.file_and_response_urls import FileAndResponseUrls
from slackapp.playground.workspace.workspace import Workspace

FAILURES = {"http_timeout": "operation_timeout", "http_error": "http_service_error"}
"""What Slack tells a person when the app does not acknowledge; any other failure is `dispatch_failed`."""


class UserInteractions(ABC):
    """Commands, shortcuts and clicks; each returns the app's acknowledgement."""

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

    @property
    def app(self) -> App:
        """The app that was installed first."""
        return next(iter(self._publisher.apps.values()))

    def command(
        self, user: str, channel: str, command: str, text: str = "", *, app: App | None = None
    ) -> Acknowledgement:
        """Types a slash command, which also works in channels without the bot."""
        interaction = self._begin_interaction(user, channel, app)
        payload = interactions.command_payload(interaction, command, text)
        acknowledgement = self._deliver(interaction.app, Kind.COMMAND, payload)
        if acknowledgement.ok:
            self._urls.show_acknowledgement(interaction.response_url, acknowledgement.body)
        return acknowledgement

    def shortcut(
        self, user: str, channel: str, ts: str, callback_id: str, *, app: App | None = None
    ) -> Acknowledgement:
        """Chooses a shortcut in a message's menu."""
        interaction = self._begin_interaction(user, channel, app)
        message = self._shown(interaction.channel.id, ts)
        payload = interactions.shortcut_payload(interaction, message, callback_id)
        return self._deliver(interaction.app, Kind.INTERACTIVE, payload)

    def click(
        self, user: str, channel: str, ts: str, action_id: str, value: str | None = None
    ) -> Acknowledgement:
        """Clicks a button under a message of the app; `value` chooses one of two feedback buttons."""
        interaction = self._begin_interaction(user, channel, None)
        message = self._shown(interaction.channel.id, ts)
        payload = interactions.click_payload(interaction, message, action_id, value)
        return self._deliver(interaction.app, Kind.INTERACTIVE, payload)

    def click_home(self, user: str, action_id: str) -> Acknowledgement:
        """Clicks a button in the Home tab of the first app. Raises ValueError when there is none."""
        app = self.app
        with self.workspace.lock:
            view = self.workspace.homes.get((app.app_id, user))
            if view is None:
                raise ValueError("the user has no Home tab")
            trigger_id = f"{self.workspace.messages.next_ts()}.{secrets.token_hex(16)}"
            self.workspace.add_trigger(trigger_id, user)
            person = self.workspace.user(user)
            payload = interactions.home_click_payload(app, person, view, action_id, trigger_id)
        return self._deliver(app, Kind.INTERACTIVE, payload)

    def submit_modal(self, user: str, values: Mapping[str, str]) -> Acknowledgement:
        """Submits the modal that a user sees, with the values of its inputs by their `action_id`."""
        with self.workspace.lock:
            view = self.workspace.modals[user]
            app = self._publisher.apps[view["app_id"]]
            trigger_id = f"{self.workspace.messages.next_ts()}.{secrets.token_hex(16)}"
            payload = interactions.submission_payload(
                app, self.workspace.user(user), view, values, trigger_id
            )
        acknowledgement = self._deliver(app, Kind.INTERACTIVE, payload)
        if acknowledgement.ok and acknowledgement.body.get("response_action") in (None, "clear"):
            self.workspace.show_modal(user, None)
        return acknowledgement

    def create_response_url(self, user: str, channel: str, app: App | None = None) -> str:
        """Creates a response URL, as every command and interaction has one."""
        return self.base_url + self._urls.create_response_path(app or self.app, channel, user)

    def _begin_interaction(self, user: str, channel: str, app: App | None) -> Interaction:
        target = app or self.app
        with self.workspace.lock:
            where = self.workspace.channel(channel)
            ts = self.workspace.messages.next_ts()
            trigger_id = f"{ts}.{secrets.token_hex(16)}"
            self.workspace.add_trigger(trigger_id, user)
            return Interaction(
                app=target,
                team=self.workspace.teams[target.team_id],
                user=self.workspace.user(user),
                channel=where,
                response_url=self.create_response_url(user, where.id, target),
                trigger_id=trigger_id,
                ts=ts,
            )

    def _deliver(self, app: App, kind: Kind, payload: Json) -> Acknowledgement:
        delivery, outcome = self._dispatcher.deliver(app, OutgoingRequest(kind=kind, payload=payload))
        error = FAILURES.get(outcome.error, "dispatch_failed") if outcome.error else ""
        return Acknowledgement(
            status=outcome.status, body=outcome.body, error=error, seconds=delivery.seconds
        )

    def _shown(self, channel: str, ts: str) -> Json:
        with self.workspace.lock:
            return self.workspace.messages.shown(channel, self.workspace.messages.get(channel, ts))
