"""Reactions, as the Web API has them."""

from slackapp.playground.values import Json
from slackapp.playground.webapi.arguments import Arguments
from slackapp.playground.webapi.methods.context import Context
from slackapp.playground.workspace import reactions


def add(context: Context, arguments: Arguments) -> Json:
    channel = context.writable(arguments.required("channel"))
    ts, name = arguments.required("timestamp"), arguments.required("name")
    reactions.add(context.workspace, context.herald, channel, ts, name, context.app.bot_user)
    return {}


def remove(context: Context, arguments: Arguments) -> Json:
    channel = context.writable(arguments.required("channel"))
    ts, name = arguments.required("timestamp"), arguments.required("name")
    reactions.remove(context.workspace, context.herald, channel, ts, name, context.app.bot_user)
    return {}


def get(context: Context, arguments: Arguments) -> Json:
    channel = context.channel(arguments.required("channel"))
    message = context.workspace.messages.get(channel.id, arguments.required("timestamp"))
    shown = context.workspace.messages.shown(channel.id, message)
    return {"type": "message", "channel": channel.id, "message": shown}
