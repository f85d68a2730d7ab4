"""The methods that post, change and delete messages."""

import copy
from typing import Any

from slackapp.playground.errors import ApiRefused
from slackapp.playground.values import Json
from slackapp.playground.webapi import block_rules
from slackapp.playground.webapi.arguments import Arguments
from slackapp.playground.webapi.methods.context import Context
from slackapp.playground.workspace.records import Channel

MAX_POST = 40_000
"""Characters of a new message's `text`; Slack cuts the rest off ("Truncating really long messages")."""
MAX_UPDATE = 4_000
"""Characters of an update's `text`, also where blocks make it a notification only."""
MAX_MARKDOWN = 12_000


def post(context: Context, arguments: Arguments) -> Json:
    channel = context.writable_channel(arguments.required("channel"))
    fields = content(arguments)
    if not fields:
        raise ApiRefused("no_text")
    if "thread_ts" in arguments:
        fields["thread_ts"] = context.checked_thread(channel, arguments.text("thread_ts"))
        if arguments.flag("reply_broadcast"):
            fields["subtype"] = "thread_broadcast"
    message = context.workspace.post(channel.id, {**context.author(), "text": "", **fields})
    context.publisher.publish_message(channel, message)
    shown = context.workspace.messages.shown(channel.id, message, hidden=True)
    return {"channel": channel.id, "ts": message["ts"], "message": shown}


def update(context: Context, arguments: Arguments) -> Json:
    channel = context.writable_channel(arguments.required("channel"))
    message = own_message(context, channel, arguments.required("ts"), "cant_update_message")
    if (channel.id, message["ts"]) in context.workspace.streams:
        raise ApiRefused("streaming_state_conflict")
    fields = content(arguments, MAX_UPDATE)
    if not fields:
        raise ApiRefused("no_text")
    before = copy.deepcopy(message)
    if "text" in fields and "blocks" not in arguments.values:
        message.pop("blocks", None)  # a new text without blocks removes the old blocks
    message |= fields
    message["edited"] = {"user": context.app.bot_user, "ts": context.workspace.messages.next_ts()}
    context.workspace.record_message(channel.id, message)
    context.publisher.publish_change(channel, before, message)
    shown = context.workspace.messages.shown(channel.id, message, hidden=True)
    return {"channel": channel.id, "ts": message["ts"], "text": message["text"], "message": shown}


def delete(context: Context, arguments: Arguments) -> Json:
    channel = context.writable_channel(arguments.required("channel"))
    message = own_message(context, channel, arguments.required("ts"), "cant_delete_message")
    if (channel.id, message["ts"]) in context.workspace.streams:
        raise ApiRefused("cant_delete_message")
    before = context.workspace.remove(channel.id, message["ts"])
    context.publisher.publish_deletion(channel, before)
    return {"channel": channel.id, "ts": before["ts"]}


def post_ephemeral(context: Context, arguments: Arguments) -> Json:
    channel = context.writable_channel(arguments.required("channel"))
    user = arguments.required("user")
    if user not in channel.members:
        raise ApiRefused("user_not_in_channel")
    fields = content(arguments)
    if not fields:
        raise ApiRefused("no_text")
    if "thread_ts" in arguments:
        fields["thread_ts"] = arguments.text("thread_ts")
    message = {**context.author(), "text": "", **fields}
    posted = context.workspace.post_ephemeral(channel.id, user, "chat.postEphemeral", message)
    return {"message_ts": posted["ts"]}


def get_permalink(context: Context, arguments: Arguments) -> Json:
    channel = context.visible_channel(arguments.required("channel"))
    ts = arguments.required("message_ts")
    return {"channel": channel.id, "permalink": context.workspace.permalink(channel.id, ts)}


def own_message(context: Context, channel: Channel, ts: str, error: str) -> Json:
    """A message that the caller may change."""
    message = context.workspace.messages.get(channel.id, ts)
    if message.get("bot_id") != context.app.bot_id:
        raise ApiRefused(error)
    return message


def content(arguments: Arguments, max_text: int | None = None) -> Json:
    """The given text, blocks, attachments and metadata of a message, checked; empty without any content."""
    fields: Json = {}
    if "markdown_text" in arguments:
        if "text" in arguments or "blocks" in arguments:
            raise ApiRefused("markdown_text_conflict")
        text = arguments.text("markdown_text")
        if len(text) > MAX_MARKDOWN:
            raise ApiRefused("msg_too_long")
        fields |= {"text": text, "blocks": [{"type": "markdown", "text": text}]}
    if "text" in arguments:
        fields["text"] = arguments.text("text")[:MAX_POST]
        if max_text is not None and len(fields["text"]) > max_text:
            raise ApiRefused("msg_too_long")
    given = arguments.structure("blocks", "invalid_blocks_format")
    if given is not None:
        fields["blocks"] = block_rules.check(given)
    attachments = arguments.structure("attachments", "invalid_attachments")
    if attachments:
        fields["attachments"] = attachments
    has_content = any(fields.get(name) for name in ("text", "blocks", "attachments"))
    return fields | metadata(arguments) if has_content else {}


def metadata(arguments: Arguments) -> Json:
    """A message's metadata: an event type, and a payload that is an object."""
    given: Any = arguments.structure("metadata", "invalid_metadata_format")
    if given is None:
        return {}
    named = isinstance(given, dict) and isinstance(given.get("event_type"), str) and given["event_type"]
    if not named or not isinstance(given.get("event_payload"), dict):
        raise ApiRefused("invalid_metadata_format")
    return {"metadata": {"event_type": given["event_type"], "event_payload": given["event_payload"]}}
