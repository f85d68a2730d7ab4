"""What the page can switch on in the local Slack: plans, late files, refusals, and sockets that fail."""

from collections.abc import Callable
from dataclasses import dataclass, field

from slack_sdk.socket_mode.builtin import SocketModeClient

from slackapp.playground.page.actions import ActionArguments, BadAction
from slackapp.playground.server import LocalSlack
from slackapp.playground.values import Json
from slackapp.playground.webapi.faults import Fault

LATE_SECONDS = 20.0
SLOW_SECONDS = 3.0
ERRORS = (
    "update_failed",
    "messaging_processing_failed",
    "block_mismatch",
    "edit_window_closed",
    "external_channel_migrating",
    "message_limit_exceeded",
    "restricted_action_thread_locked",
    "file_uploads_disabled",
    "file_type_not_allowed",
    "storage_limit_reached",
    "a_new_error",
)
"""Refusals that the page offers for the next call; the last one is in no list of Slack's."""


@dataclass(slots=True, kw_only=True)
class Conditions:
    """What is switched on; `act` changes it."""

    slack: LocalSlack
    open_socket: Callable[[], SocketModeClient] | None = None
    _link: SocketModeClient | None = field(default=None, init=False)

    def act(self, name: str, arguments: ActionArguments) -> Json | None:
        """Does an action of the page and returns the answer to it; None for an unknown action."""
        match name:
            case "late_file":
                self.slack.faults.next("files.completeUploadExternal", Fault(late=LATE_SECONDS))
                return {}
            case "plan":
                self.slack.workspace.has_agents = arguments.flag("paid")
            case "socket":
                self._change_socket(arguments.text("change"))
            case _:
                return None
        self.slack.activity.record("conditions", **self.shown())
        return {}

    def shown(self) -> Json:
        """What is switched on, for the page."""
        return {"paid": self.slack.workspace.has_agents, "socket": self._link is not None}

    def close(self) -> None:
        if self._link is not None:
            self._link.close()
            self._link = None

    def _change_socket(self, change: str) -> None:
        """Connects the app by Socket Mode or by HTTP, or makes the connection fail."""
        match change:
            case "on":
                if self._link is None and self.open_socket is not None:
                    self.slack.sockets.hello_seconds = 0.0
                    self._link = self.open_socket()
                    self._link.connect()
            case "off":
                self.close()
            case "drop":
                self.slack.disconnect_sockets(abruptly=True)
            case "slow":
                self.slack.sockets.hello_seconds = SLOW_SECONDS
            case _:
                raise BadAction("change: one of on, off, drop, slow")
