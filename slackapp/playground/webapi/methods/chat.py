"""Posting, changing and deleting messages."""

import copy
from typing import Any

from slackapp.playground.errors import ApiRefused
from slackapp.playground.values import Json
from slackapp.playground.webapi import block_rules
from slackapp.playground.webapi.arguments import Arguments
from slackapp.playground.webapi.methods.context import Context
from slackapp.playground.workspace.records import Channel

MAX_POST = 40_000
MAX_UPDATE = 4_000
"""Of an update's `text`, even where it is only the notification beside blocks."""
MAX_MARKDOWN = 12_000


def post(context: Context, arguments: Arguments) -> Json:
    channel = context.writable(arguments.required("channel"))
    fields = content(arguments, MAX_POST)
    if not fields:
        raise ApiRefused("no_text")
    if "thread_ts" in arguments:
        fields["thread_ts"] = context.thread(channel, arguments.text("thread_ts"))
        if arguments.flag("reply_broadcast"):
            fields["subtype"] = "thread_broadcast"
    message = context.workspace.post(channel.id, {**context.signed(), "text": "", **fields})
    context.herald.message(channel, message)
    shown = context.workspace.messages.shown(channel.id, message, hidden=True)
    return {"channel": channel.id, "ts": message["ts"], "message": shown}


def update(context: Context, arguments: Arguments) -> Json:
    channel = context.writable(arguments.required("channel"))
    message = own(context, channel, arguments.required("ts"), "cant_update_message")
    if (channel.id, message["ts"]) in context.workspace.streams:
        raise ApiRefused("streaming_state_conflict")
    fields = content(arguments, MAX_UPDATE)
    if not fields:
        raise ApiRefused("no_text")
    before = copy.deepcopy(message)
    if "text" in fields and "blocks" not in arguments.values:
        message.pop("blocks", None)  # a new text alone takes the blocks with it
    message |= fields
    message["edited"] = {"user": context.app.bot_user, "ts": context.workspace.messages.stamp()}
    context.workspace.changed(channel.id, message)
    context.herald.changed(channel, before, message)
    shown = context.workspace.messages.shown(channel.id, message, hidden=True)
    return {"channel": channel.id, "ts": message["ts"], "text": message["text"], "message": shown}


def delete(context: Context, arguments: Arguments) -> Json:
    channel = context.writable(arguments.required("channel"))
    message = own(context, channel, arguments.required("ts"), "cant_delete_message")
    if (channel.id, message["ts"]) in context.workspace.streams:
        raise ApiRefused("cant_delete_message")
    before = context.workspace.remove(channel.id, message["ts"])
    context.herald.deleted(channel, before)
    return {"channel": channel.id, "ts": before["ts"]}


def post_ephemeral(context: Context, arguments: Arguments) -> Json:
    channel = context.writable(arguments.required("channel"))
    user = arguments.required("user")
    if user not in channel.members:
        raise ApiRefused("user_not_in_channel")
    fields = content(arguments, MAX_POST)
    if not fields:
        raise ApiRefused("no_text")
    if "thread_ts" in arguments:
        fields["thread_ts"] = arguments.text("thread_ts")
    whispered = context.workspace.whisper(
        channel.id, user, "chat.postEphemeral", {**context.signed(), "text": "", **fields}
    )
    return {"message_ts": whispered["ts"]}


def permalink(context: Context, arguments: Arguments) -> Json:
    channel = context.channel(arguments.required("channel"))
    ts = arguments.required("message_ts")
    context.workspace.messages.get(channel.id, ts)
    link = f"{context.base_url}archives/{channel.id}/p{ts.replace('.', '')}"
    return {"channel": channel.id, "permalink": link}


def own(context: Context, channel: Channel, ts: str, error: str) -> Json:
    """A message that the caller may change."""
    message = context.workspace.messages.get(channel.id, ts)
    if message.get("bot_id") != context.app.bot_id:
        raise ApiRefused(error)
    return message


def content(arguments: Arguments, longest: int) -> Json:
    """What a message says, checked; only what was given."""
    fields: Json = {}
    if "markdown_text" in arguments:
        if "text" in arguments or "blocks" in arguments:
            raise ApiRefused("markdown_text_conflict")
        fields |= _markdown(arguments.text("markdown_text"))
    if "text" in arguments:
        fields["text"] = arguments.text("text")
        if len(fields["text"]) > longest:
            raise ApiRefused("msg_too_long")
    given = arguments.structure("blocks", "invalid_blocks_format")
    if given is not None:
        fields["blocks"] = block_rules.check(given)
    attachments = arguments.structure("attachments", "invalid_attachments")
    if attachments:
        fields["attachments"] = attachments
    described = any(fields.get(name) for name in ("text", "blocks", "attachments"))
    return fields | metadata(arguments) if described else {}


def _markdown(text: str) -> Json:
    if len(text) > MAX_MARKDOWN:
        raise ApiRefused("msg_too_long")
    return {"text": text, "blocks": [{"type": "markdown", "text": text}]}


def metadata(arguments: Arguments) -> Json:
    """A message's metadata: an event type, and a payload that is an object."""
    given: Any = arguments.structure("metadata", "invalid_metadata_format")
    if given is None:
        return {}
    named = isinstance(given, dict) and isinstance(given.get("event_type"), str) and given["event_type"]
    if not named or not isinstance(given.get("event_payload"), dict):
        raise ApiRefused("invalid_metadata_format")
    return {"metadata": {"event_type": given["event_type"], "event_payload": given["event_payload"]}}
