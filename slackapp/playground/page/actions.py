"""The actions that people can do on the page, by name."""

from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from slackapp.listeners.registration import COMMAND, SHORTCUT
from slackapp.playground.errors import ApiRefused, PlaygroundError
from slackapp.playground.server import LocalSlack
from slackapp.playground.values import Acknowledgement, Json

MAX_FILES = 10
"""Of a message, as in Slack."""


class BadAction(PlaygroundError):
    """An action with a missing or malformed argument."""


@dataclass(slots=True)
class ActionArguments:
    """The fields of an action; each method checks the type it returns."""

    body: Mapping[str, Any]

    def text(self, name: str, *, default: str | None = None) -> str:
        value = self.body.get(name, default)
        if not isinstance(value, str) or (default is None and not value):
            raise BadAction(f"{name}: a text is needed")
        return value

    def files(self, name: str) -> list[tuple[str, bytes]]:
        """Names and contents, which come in Base64."""
        try:
            listed = [(str(file["name"]), b64decode(file["content"])) for file in self.body.get(name) or ()]
        except (LookupError, TypeError, ValueError):
            raise BadAction(f"{name}: names and contents are needed") from None
        if len(listed) > MAX_FILES or not all(name.strip() and content for name, content in listed):
            raise BadAction(f"{name}: at most {MAX_FILES} files, and none may be empty")
        return listed

    def number(self, name: str) -> int:
        value = self.body.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise BadAction(f"{name}: a number is needed")
        return value

    def texts(self, name: str) -> dict[str, str]:
        value = self.body.get(name)
        if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
            raise BadAction(f"{name}: texts with names are needed")
        return value

    def flag(self, name: str) -> bool:
        value = self.body.get(name)
        if not isinstance(value, bool):
            raise BadAction(f"{name}: true or false is needed")
        return value


Action = Callable[[LocalSlack, ActionArguments], Json]


def say(slack: LocalSlack, arguments: ActionArguments) -> Json:
    files = arguments.files("files")
    ts = slack.say(
        arguments.text("user"),
        arguments.text("channel"),
        arguments.text("text", default="" if files else None),
        arguments.text("thread_ts", default="") or None,
        files,
        typed=True,
    )
    return {"ts": ts}


def command(slack: LocalSlack, arguments: ActionArguments) -> Json:
    name = arguments.text("command")
    if name != COMMAND:
        raise ApiRefused("unknown_command")
    text = arguments.text("text", default="").strip()
    return _result(slack.command(arguments.text("user"), arguments.text("channel"), name, text))


def shortcut(slack: LocalSlack, arguments: ActionArguments) -> Json:
    user, channel, ts = arguments.text("user"), arguments.text("channel"), arguments.text("ts")
    return _result(slack.shortcut(user, channel, ts, SHORTCUT))


def click(slack: LocalSlack, arguments: ActionArguments) -> Json:
    user, channel, ts = arguments.text("user"), arguments.text("channel"), arguments.text("ts")
    action_id, value = arguments.text("action_id"), arguments.text("value", default="")
    try:
        acknowledgement = slack.click(user, channel, ts, action_id, value)
    except ValueError as error:  # the message has no such button
        raise ApiRefused("no_such_element") from error
    return _result(acknowledgement)


def click_home(slack: LocalSlack, arguments: ActionArguments) -> Json:
    try:
        return _result(slack.click_home(arguments.text("user"), arguments.text("action_id")))
    except ValueError as error:  # the tab has no such button
        raise ApiRefused("no_such_element") from error


def submit_modal(slack: LocalSlack, arguments: ActionArguments) -> Json:
    user = arguments.text("user")
    if user not in slack.workspace.modals:
        raise ApiRefused("no_such_view")
    acknowledgement = slack.submit_modal(user, arguments.texts("values"))
    return {**_result(acknowledgement), "errors": acknowledgement.body.get("errors") or {}}


def close_modal(slack: LocalSlack, arguments: ActionArguments) -> Json:
    slack.workspace.show_modal(slack.workspace.user(arguments.text("user")).id, None)
    return {}


def react(slack: LocalSlack, arguments: ActionArguments) -> Json:
    user, channel, ts = arguments.text("user"), arguments.text("channel"), arguments.text("ts")
    slack.react(user, channel, ts, arguments.text("name"), "added" if arguments.flag("on") else "removed")
    return {}


def stop(slack: LocalSlack, arguments: ActionArguments) -> Json:
    slack.stop_session(arguments.text("user"), arguments.text("channel"), arguments.text("thread_ts"))
    return {}


def delete(slack: LocalSlack, arguments: ActionArguments) -> Json:
    channel, ts, user = arguments.text("channel"), arguments.text("ts"), arguments.text("user")
    with slack.workspace.lock:
        where = slack.workspace.channel(channel).id
        if slack.workspace.messages.get(where, ts).get("user") != user:
            raise ApiRefused("cant_delete_message")
        slack.delete(channel, ts, user)
    return {}


def open_home(slack: LocalSlack, arguments: ActionArguments) -> Json:
    tab = arguments.text("tab", default="home")
    if tab not in ("home", "messages"):
        raise BadAction("tab: home or messages")
    slack.open_home(slack.workspace.user(arguments.text("user")).id, tab)
    return {}


def _result(acknowledgement: Acknowledgement) -> Json:
    if acknowledgement.error:
        raise ApiRefused(acknowledgement.error)
    return {}


ACTIONS: dict[str, Action] = {
    "click": click,
    "click_home": click_home,
    "close_modal": close_modal,
    "command": command,
    "delete": delete,
    "home": open_home,
    "react": react,
    "say": say,
    "shortcut": shortcut,
    "stop": stop,
    "submit_modal": submit_modal,
}
