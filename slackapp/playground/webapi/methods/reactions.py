"""The methods `reactions.add`, `.remove` and `.get`."""

from typing import Literal

from slackapp.playground.values import Json
from slackapp.playground.webapi.arguments import Arguments
from slackapp.playground.webapi.methods.context import Context
from slackapp.playground.workspace.reactions import change_reaction


def change(how: Literal["added", "removed"], context: Context, arguments: Arguments) -> Json:
    channel = context.writable_channel(arguments.required("channel"))
    ts, name = arguments.required("timestamp"), arguments.required("name")
    change_reaction(how, context.workspace, context.publisher, channel, ts, name, context.app.bot_user)
    return {}


def get(context: Context, arguments: Arguments) -> Json:
    channel = context.visible_channel(arguments.required("channel"))
    message = context.workspace.messages.get(channel.id, arguments.required("timestamp"))
    shown = context.workspace.messages.shown(channel.id, message)
    return {"type": "message", "channel": channel.id, "message": shown}
