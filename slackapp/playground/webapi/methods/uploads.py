"""Files in three steps: an address, the content, the sharing."""

from typing import Any

from slackapp.playground.errors import ApiRefused, bad_arguments
from slackapp.playground.values import Json
from slackapp.playground.webapi.arguments import Arguments
from slackapp.playground.webapi.methods.context import Context
from slackapp.playground.workspace import files
from slackapp.playground.workspace.files import StoredFile
from slackapp.playground.workspace.records import Channel

MAX_NAME = 255


def get_url(context: Context, arguments: Arguments) -> Json:
    name = arguments.required("filename")
    length = arguments.number("length", 0)
    if length <= 0:
        raise ApiRefused("missing_argument")
    if len(name) > MAX_NAME:
        raise bad_arguments(f"must be less than {MAX_NAME + 1} characters: filename")
    file = context.workspace.files.announce(name, length, context.app.bot_user)
    return {"upload_url": f"{context.base_url}upload/{file.id}", "file_id": file.id}


def complete(context: Context, arguments: Arguments) -> Json:
    listed: Any = arguments.structure("files", "invalid_arguments")
    if not isinstance(listed, list) or not listed or not all(isinstance(item, dict) for item in listed):
        raise bad_arguments("missing required field: files")
    found = [_uploaded(context, item) for item in listed]
    channels = [context.writable(name) for name in _targets(arguments)]
    thread_ts = _thread(context, arguments, channels)
    comment = arguments.text("initial_comment")
    for file, item in zip(found, listed, strict=True):
        file.title = str(item.get("title") or file.name)
        file.completed = True
    if not context.fault.unshared:
        for channel in channels:
            share(context, channel, found, comment, thread_ts)
    return {"files": [files.shown(file, context.base_url) for file in found]}


def _uploaded(context: Context, item: Json) -> StoredFile:
    file = context.workspace.files.get(str(item.get("id")))
    if file.content is None:
        raise ApiRefused("file_not_found")
    if file.completed:
        raise ApiRefused("file_update_failed")
    return file


def _targets(arguments: Arguments) -> list[str]:
    listed = [*arguments.text("channel_id").split(","), *arguments.text("channels").split(",")]
    return [name for name in dict.fromkeys(listed) if name]


def _thread(context: Context, arguments: Arguments, channels: list[Channel]) -> str:
    if "thread_ts" not in arguments:
        return ""
    if len(channels) != 1:
        raise bad_arguments("only one channel with thread_ts")
    return context.thread(channels[0], arguments.text("thread_ts"))


def share(context: Context, channel: Channel, found: list[StoredFile], comment: str, thread_ts: str) -> None:
    """The message that shows files in a channel."""
    stamp = context.workspace.messages.stamp()
    place = {"ts": stamp, "thread_ts": thread_ts} if thread_ts else {"ts": stamp}
    message = {
        **context.signed(),
        **place,
        "subtype": "file_share",
        "text": comment,
        "files": files.shared(found, channel.id, channel.kind, place, context.base_url),
        "upload": True,
    }
    context.herald.message(channel, context.workspace.post(channel.id, message))


def info(context: Context, arguments: Arguments) -> Json:
    file = context.workspace.files.get(arguments.required("file"))
    return {"file": files.shown(file, context.base_url), "comments": []}


def delete(context: Context, arguments: Arguments) -> Json:
    file = context.workspace.files.get(arguments.required("file"))
    if file.user != context.app.bot_user:
        raise ApiRefused("cant_delete_file")
    for channel, places in file.channels.items():
        for place in places:
            _unshare(context, channel, place["ts"], file)
    context.workspace.files.delete(file)
    return {}


def _unshare(context: Context, channel: str, ts: str, file: StoredFile) -> None:
    message = context.workspace.messages.find(channel, ts)
    if message is None:
        return
    message["files"] = [each for each in message.get("files", ()) if each["id"] != file.id]
    if message["files"] or message["text"]:
        context.workspace.changed(channel, message)
    else:
        context.workspace.remove(channel, ts)
