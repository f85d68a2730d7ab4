"""What Slack sends for a command, a message shortcut and a click. Pure."""

from dataclasses import dataclass

from slackapp.playground.values import App, Json
from slackapp.playground.webapi import block_rules
from slackapp.playground.workspace.records import Channel, Team, User


@dataclass(frozen=True, slots=True, kw_only=True)
class ClickedMessage:
    """Who does something where, and how the app may answer."""

    app: App
    team: Team
    user: User
    channel: Channel
    response_url: str
    trigger_id: str
    ts: str


def command(scene: ClickedMessage, name: str, text: str) -> Json:
    return {
        "token": "local",
        "team_id": scene.team.id,
        "team_domain": scene.team.domain,
        "channel_id": scene.channel.id,
        "channel_name": "privategroup" if scene.channel.private else scene.channel.name,
        "user_id": scene.user.id,
        "user_name": scene.user.name,
        "command": name,
        "text": text,
        "api_app_id": scene.app.app_id,
        "is_enterprise_install": "false",
        "response_url": scene.response_url,
        "trigger_id": scene.trigger_id,
    }


def shortcut(scene: ClickedMessage, message: Json, callback_id: str) -> Json:
    return {
        "type": "message_action",
        "callback_id": callback_id,
        "message_ts": message["ts"],
        **_interaction(scene, message),
    }


def click(scene: ClickedMessage, message: Json, action_id: str, value: str | None) -> Json:
    container = {
        "type": "message",
        "message_ts": message["ts"],
        "channel_id": scene.channel.id,
        "is_ephemeral": False,
    }
    if "thread_ts" in message:
        container["thread_ts"] = message["thread_ts"]
    return {
        "type": "block_actions",
        "container": container,
        "state": {"values": {}},
        "actions": [_action(scene, message, action_id, value)],
        **_interaction(scene, message),
    }


def _interaction(scene: ClickedMessage, message: Json) -> Json:
    return {
        "token": "local",
        "api_app_id": scene.app.app_id,
        "team": {"id": scene.team.id, "domain": scene.team.domain},
        "user": {
            "id": scene.user.id,
            "username": scene.user.name,
            "name": scene.user.name,
            "team_id": scene.user.team_id,
        },
        "channel": {"id": scene.channel.id, "name": scene.channel.name},
        "message": message,
        "response_url": scene.response_url,
        "trigger_id": scene.trigger_id,
        "action_ts": scene.ts,
        "enterprise": None,
        "is_enterprise_install": False,
    }


def _action(scene: ClickedMessage, message: Json, action_id: str, value: str | None) -> Json:
    for block, element in block_rules.elements(message.get("blocks", ())):
        if element["action_id"] == action_id:
            return {
                "type": element["type"],
                "action_id": action_id,
                "block_id": block.get("block_id", ""),
                "action_ts": scene.ts,
                **_pressed(element, value),
            }
    raise ValueError(f"the message has no element {action_id}")


def _pressed(element: Json, value: str | None) -> Json:
    """What a click says about the button itself."""
    if element["type"] != "feedback_buttons":
        return {"text": element.get("text"), "value": element.get("value", "") if value is None else value}
    buttons = [element["positive_button"], element["negative_button"]]
    chosen = next((button for button in buttons if button["value"] == value), None)
    if chosen is None:
        raise ValueError(f"the message has no feedback button {value}")
    return {"text": chosen["text"], "value": chosen["value"]}
