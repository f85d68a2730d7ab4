"""The methods for files. An upload has three steps: get an address, send the content, share the file.

The last step is asynchronous in Slack: the answer may come before the file is shown (bolt-js#2115,
python-slack-sdk#1277; the page of `files.completeUploadExternal` says that shares may be missing). What a
second call of it answers rests on memory.
"""

from datetime import timedelta
from functools import partial
from typing import Any

from slackapp.playground.errors import ApiRefused, bad_arguments
from slackapp.playground.values import Json
from slackapp.playground.webapi.arguments import Arguments
from slackapp.playground.webapi.methods.context import Context
from slackapp.playground.workspace.files import StoredFile, add_shares, shown
from slackapp.playground.workspace.records import Channel

MAX_NAME = 255


def get_url(context: Context, arguments: Arguments) -> Json:
    name = arguments.required("filename")
    length = arguments.number("length", 0)
    if length <= 0:
        raise ApiRefused("missing_argument")
    if len(name) > MAX_NAME:
        raise bad_arguments(f"must be less than {MAX_NAME + 1} characters: filename")
    file = context.workspace.files.create(name, length, context.app.bot_user)
    return {"upload_url": f"{context.base_url}upload/{file.id}", "file_id": file.id}


def complete(context: Context, arguments: Arguments) -> Json:
    listed: Any = arguments.structure("files", "invalid_arguments")
    if not isinstance(listed, list) or not listed or not all(isinstance(item, dict) for item in listed):
        raise bad_arguments("missing required field: files")
    found: list[StoredFile] = []
    for item in listed:
        file = context.workspace.files.get(str(item.get("id")))
        if file.content is None:
            raise ApiRefused("file_not_found")
        if file.completed:
            raise ApiRefused("file_update_failed")
        found.append(file)
    names = [*arguments.text("channel_id").split(","), *arguments.text("channels").split(",")]
    channels = [context.writable_channel(name) for name in dict.fromkeys(names) if name]
    thread_ts = ""
    if "thread_ts" in arguments:
        if len(channels) != 1:
            raise bad_arguments("only one channel with thread_ts")
        thread_ts = context.checked_thread(channels[0], arguments.text("thread_ts"))
    comment = arguments.text("initial_comment")
    for file, item in zip(found, listed, strict=True):
        file.title = str(item.get("title") or file.name)
        file.completed = True
    due = context.workspace.clock.now() + timedelta(seconds=context.fault.late)
    if not context.fault.unshared:
        shares = [partial(_share, context, channel, found, comment, thread_ts) for channel in channels]
        context.workspace.due += [(due, share) for share in shares]
        context.workspace.end_expired()
    return {"files": [shown(file, context.base_url) for file in found]}


def _share(context: Context, channel: Channel, found: list[StoredFile], comment: str, thread_ts: str) -> None:
    """Posts a message that shows files; one that was deleted meanwhile is not shown."""
    found = [file for file in found if not file.deleted]
    if not found:
        return
    ts = context.workspace.messages.next_ts()
    share = {"ts": ts, "thread_ts": thread_ts} if thread_ts else {"ts": ts}
    message = {
        **context.author(),
        **share,
        "subtype": "file_share",
        "text": comment,
        "files": add_shares(found, channel.id, channel.kind, share, context.base_url),
        "upload": True,
    }
    context.publisher.publish_message(channel, context.workspace.post(channel.id, message))


def info(context: Context, arguments: Arguments) -> Json:
    file = context.workspace.files.get(arguments.required("file"))
    shares = [channel for kind in file.shares.values() for channel in kind]
    seen = any(context.app.bot_user in context.workspace.channel(channel).members for channel in shares)
    if not seen and file.user != context.app.bot_user:
        raise ApiRefused("file_not_found")
    return {"file": shown(file, context.base_url), "comments": []}


def delete(context: Context, arguments: Arguments) -> Json:
    file = context.workspace.files.get(arguments.required("file"))
    if file.user != context.app.bot_user:
        raise ApiRefused("cant_delete_file")
    shares = [item for kind in file.shares.values() for item in kind.items()]
    for channel, messages in shares:
        for share in messages:
            message = context.workspace.messages.find(channel, share["ts"])
            if message is None:
                continue
            message["files"] = [each for each in message.get("files", ()) if each["id"] != file.id]
            if message["files"] or message["text"]:
                context.workspace.record_message(channel, message)
            else:
                context.workspace.remove(channel, share["ts"])
    context.workspace.files.delete(file)
    return {}
