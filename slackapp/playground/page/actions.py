"""What a person may do on the page: a table of names, and how each is done."""

from collections.abc import Callable, Mapping
from typing import Any

from slackapp.listeners.command import COMMAND
from slackapp.listeners.shortcut import CALLBACK
from slackapp.playground.errors import ApiRefused, PlaygroundError
from slackapp.playground.server import LocalSlack
from slackapp.playground.values import Acknowledgement, Json


class BadAction(PlaygroundError):
    """A request of the page that lacks something, or has it in the wrong shape."""


class ActionArguments:
    """The fields of a request, checked as they are taken."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self._body = body

    def text(self, name: str, *, default: str | None = None) -> str:
        value = self._body.get(name, default)
        if not isinstance(value, str) or (default is None and not value):
            raise BadAction(f"{name}: a text is needed")
        return value

    def number(self, name: str) -> int:
        value = self._body.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise BadAction(f"{name}: a number is needed")
        return value

    def flag(self, name: str) -> bool:
        value = self._body.get(name)
        if not isinstance(value, bool):
            raise BadAction(f"{name}: true or false is needed")
        return value


Gesture = Callable[[LocalSlack, ActionArguments], Json]


def _say(slack: LocalSlack, wanted: ActionArguments) -> Json:
    ts = slack.say(
        wanted.text("user"),
        wanted.text("channel"),
        wanted.text("text"),
        wanted.text("thread_ts", default="") or None,
        typed=True,
    )
    return {"ts": ts}


def _command(slack: LocalSlack, wanted: ActionArguments) -> Json:
    name = wanted.text("command")
    if name != COMMAND:
        raise ApiRefused("unknown_command")
    return _told(
        slack.command(
            wanted.text("user"), wanted.text("channel"), name, wanted.text("text", default="").strip()
        )
    )


def _shortcut(slack: LocalSlack, wanted: ActionArguments) -> Json:
    return _told(slack.shortcut(wanted.text("user"), wanted.text("channel"), wanted.text("ts"), CALLBACK))


def _click(slack: LocalSlack, wanted: ActionArguments) -> Json:
    try:
        clicked = slack.click(
            wanted.text("user"),
            wanted.text("channel"),
            wanted.text("ts"),
            wanted.text("action_id"),
            wanted.text("value", default=""),
        )
    except ValueError as error:  # no such button
        raise ApiRefused("no_such_element") from error
    return _told(clicked)


def _react(slack: LocalSlack, wanted: ActionArguments) -> Json:
    change = slack.react if wanted.flag("on") else slack.unreact
    change(wanted.text("user"), wanted.text("channel"), wanted.text("ts"), wanted.text("name"))
    return {}


def _stop(slack: LocalSlack, wanted: ActionArguments) -> Json:
    slack.stop_session(wanted.text("user"), wanted.text("channel"), wanted.text("thread_ts"))
    return {}


def _delete(slack: LocalSlack, wanted: ActionArguments) -> Json:
    channel, ts, user = wanted.text("channel"), wanted.text("ts"), wanted.text("user")
    with slack.workspace.lock:
        where = slack.workspace.channel(channel).id
        if slack.workspace.messages.get(where, ts).get("user") != user:
            raise ApiRefused("cant_delete_message")
        slack.delete(channel, ts, user)
    return {}


def _home(slack: LocalSlack, wanted: ActionArguments) -> Json:
    slack.open_home(slack.workspace.user(wanted.text("user")).id)
    return {}


def _told(acknowledgement: Acknowledgement) -> Json:
    if acknowledgement.error:
        raise ApiRefused(acknowledgement.error)
    return {}


ACTIONS: dict[str, Gesture] = {
    "click": _click,
    "command": _command,
    "delete": _delete,
    "home": _home,
    "react": _react,
    "say": _say,
    "shortcut": _shortcut,
    "stop": _stop,
}
