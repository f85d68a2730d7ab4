"""The payloads that Slack sends for a command, a message shortcut and a click. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from slackapp.playground.values import App, Json
from slackapp.playground.webapi import block_rules
from slackapp.playground.workspace.records import Channel, Team, User


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """Which user uses which app in which channel, and how the app may answer."""

    app: App
    team: Team
    user: User
    channel: Channel
    response_url: str
    trigger_id: str
    ts: str


def command_payload(interaction: Interaction, name: str, text: str) -> Json:
    channel = interaction.channel
    return {
        "token": "local",
        "team_id": interaction.team.id,
        "team_domain": interaction.team.domain,
        "channel_id": channel.id,
        "channel_name": "privategroup" if channel.private else channel.name,
        "user_id": interaction.user.id,
        "user_name": interaction.user.name,
        "command": name,
        "text": text,
        "api_app_id": interaction.app.app_id,
        "is_enterprise_install": "false",
        "response_url": interaction.response_url,
        "trigger_id": interaction.trigger_id,
    }


def shortcut_payload(interaction: Interaction, message: Json, callback_id: str) -> Json:
    return {
        "type": "message_action",
        "callback_id": callback_id,
        "message_ts": message["ts"],
        **_common_fields(interaction, message),
    }


def click_payload(interaction: Interaction, message: Json, action_id: str, value: str | None) -> Json:
    """Raises ValueError when the message has no such element."""
    action = _action(message.get("blocks", ()), action_id, value, interaction.ts)
    container = {
        "type": "message",
        "message_ts": message["ts"],
        "channel_id": interaction.channel.id,
        "is_ephemeral": False,
    }
    if "thread_ts" in message:
        container["thread_ts"] = message["thread_ts"]
    return {
        "type": "block_actions",
        "container": container,
        "state": {"values": {}},
        "actions": [action],
        **_common_fields(interaction, message),
    }


def home_click_payload(app: App, user: User, view: Json, action_id: str, trigger_id: str) -> Json:
    """A click in a Home tab, as in bolt-python, tests/scenario_tests/test_block_actions.py and the page
    "block_actions payload": its container is the view, and it has no channel and no response URL.

    Raises ValueError when the view has no such element.
    """
    return {
        "type": "block_actions",
        "container": {"type": "view", "view_id": view["id"]},
        "view": view,
        "actions": [_action(view["blocks"], action_id, None, trigger_id.rpartition(".")[0])],
        **_sender(app, user, trigger_id),
    }


def submission_payload(app: App, user: User, view: Json, values: Mapping[str, str], trigger_id: str) -> Json:
    """A modal that was submitted, as in bolt-python, tests/scenario_tests/test_view_submission.py."""
    inputs = [(block, block["element"]) for block in view["blocks"] if block["type"] == "input"]
    state: Json = {}
    for block, element in inputs:
        value = values.get(element["action_id"]) or None
        state[block.get("block_id", "")] = {element["action_id"]: {"type": element["type"], "value": value}}
    return {
        "type": "view_submission",
        "view": {**view, "state": {"values": state}},
        "response_urls": [],
        **_sender(app, user, trigger_id),
    }


def _sender(app: App, user: User, trigger_id: str) -> Json:
    """Who uses which app in a view."""
    return {
        "token": "local",
        "api_app_id": app.app_id,
        "team": {"id": app.team_id, "domain": app.team_id.lower()},
        "user": {"id": user.id, "username": user.name, "name": user.name, "team_id": user.team_id},
        "trigger_id": trigger_id,
        "is_enterprise_install": False,
        "enterprise": None,
    }


def _action(blocks: Sequence[Json], action_id: str, value: str | None, ts: str) -> Json:
    """What was pressed; raises ValueError when the blocks have no such element."""
    elements = block_rules.interactive_elements(blocks)
    found = next((pair for pair in elements if pair[1]["action_id"] == action_id), None)
    if found is None:
        raise ValueError(f"no element has the action id {action_id}")
    block, element = found
    button = {"text": element.get("text"), "value": element.get("value", "") if value is None else value}
    if element["type"] == "feedback_buttons":
        sides = (element["positive_button"], element["negative_button"])
        pressed = next((side for side in sides if side["value"] == value), None)
        if pressed is None:
            raise ValueError(f"the message has no feedback button {value}")
        button = {"text": pressed["text"], "value": value}
    return {
        "type": element["type"],
        "action_id": action_id,
        "block_id": block.get("block_id", ""),
        "action_ts": ts,
        **button,
    }


def _common_fields(interaction: Interaction, message: Json) -> Json:
    user, channel = interaction.user, interaction.channel
    return {
        "token": "local",
        "api_app_id": interaction.app.app_id,
        "team": {"id": interaction.team.id, "domain": interaction.team.domain},
        "user": {"id": user.id, "username": user.name, "name": user.name, "team_id": user.team_id},
        "channel": {"id": channel.id, "name": channel.name},
        "message": message,
        "response_url": interaction.response_url,
        "trigger_id": interaction.trigger_id,
        "action_ts": interaction.ts,
        "enterprise": None,
        "is_enterprise_install": False,
    }
