"""The methods for streams: messages that an app writes piece by piece.

A stream lives for about five minutes from its start, however busy it is (node-slack-sdk#2702). While it
lives, its message can be neither updated (`streaming_state_conflict`, method `chat.update`) nor deleted; the
latter rests on memory.
"""

from typing import Any

from slackapp.playground.errors import ApiRefused
from slackapp.playground.values import Json
from slackapp.playground.webapi import block_rules
from slackapp.playground.webapi.arguments import Arguments
from slackapp.playground.webapi.methods import chat, sessions
from slackapp.playground.webapi.methods.context import Context
from slackapp.playground.workspace.records import STREAM_LIFE, Channel, Stream

MAX_CHUNK = 12_000
"""Characters of each chunk; the whole may be longer."""
MAX_TITLE = 256
CHUNK_TYPES = frozenset({"blocks", "markdown_text", "plan_update", "task_update"})
TASK_STATUSES = frozenset({"pending", "in_progress", "complete", "error"})


def start(context: Context, arguments: Arguments) -> Json:
    channel = context.writable_channel(arguments.required("channel"))
    thread_ts = context.checked_thread(channel, arguments.required("thread_ts"))
    if not channel.is_im:
        for name in ("recipient_team_id", "recipient_user_id"):
            if name not in arguments:
                raise ApiRefused(f"missing_{name}")
    chunks = _checked_chunks(arguments)
    stream = Stream(app_id=context.app.app_id, until=context.workspace.clock.now() + STREAM_LIFE)
    message = context.workspace.post(
        channel.id,
        {**context.author(), "text": "", "thread_ts": thread_ts, "streaming_state": "in_progress"},
    )
    context.workspace.streams[channel.id, message["ts"]] = stream
    _write(context, channel, message, stream, chunks)
    context.publisher.publish_message(channel, message)
    return {"channel": channel.id, "ts": message["ts"]}


def append(context: Context, arguments: Arguments) -> Json:
    channel, message, stream = _find_open_stream(context, arguments)
    chunks = _checked_chunks(arguments)
    if not chunks:
        raise ApiRefused("no_text")
    _write(context, channel, message, stream, chunks)
    return {"channel": channel.id, "ts": message["ts"]}


def stop(context: Context, arguments: Arguments) -> Json:
    channel, message, stream = _find_open_stream(context, arguments)
    chunks = _checked_chunks(arguments)
    status = arguments.text("session_status")
    if status:
        sessions.check_status(status)
    last = arguments.structure("blocks", "invalid_blocks_format")
    checked = block_rules.check(last) if last is not None else []
    message |= chat.metadata(arguments)
    _write(context, channel, message, stream, chunks)
    if checked:
        message["blocks"] = [*message.get("blocks", ()), *checked]
    context.workspace.end_stream(channel.id, message["ts"])
    if status:
        sessions.put_session(context, channel.id, message["thread_ts"], status)
    context.publisher.publish_change(channel, message, message)
    shown = context.workspace.messages.shown(channel.id, message, hidden=True)
    return {"channel": channel.id, "ts": message["ts"], "message": shown}


def _find_open_stream(context: Context, arguments: Arguments) -> tuple[Channel, Json, Stream]:
    channel = context.writable_channel(arguments.required("channel"))
    message = context.workspace.messages.get(channel.id, arguments.required("ts"))
    if message.get("bot_id") != context.app.bot_id:
        raise ApiRefused("message_not_owned_by_app")
    stream = context.workspace.streams.get((channel.id, message["ts"]))
    if stream is None:
        stopped = (channel.id, message["ts"]) in context.workspace.stopped
        raise ApiRefused("stopped_by_user" if stopped else "message_not_in_streaming_state")
    return channel, message, stream


def _checked_chunks(arguments: Arguments) -> list[Json]:
    """The chunks of a call, all checked before the first of them is written."""
    given: Any = arguments.structure("chunks", "invalid_chunks") or []
    if not isinstance(given, list) or not all(isinstance(chunk, dict) for chunk in given):
        raise ApiRefused("invalid_chunks")
    text = arguments.text("markdown_text")
    chunks: list[Json] = [{"type": "markdown_text", "text": text}, *given] if text else given
    for chunk in chunks:
        kind, text, title = chunk.get("type"), chunk.get("text", ""), chunk.get("title", "")
        if kind not in CHUNK_TYPES or not isinstance(text, str) or not isinstance(title, str):
            raise ApiRefused("invalid_chunks")
        if len(title) > MAX_TITLE:
            raise ApiRefused("invalid_chunks")
        if len(text) > MAX_CHUNK:
            raise ApiRefused("msg_too_long")
        if kind == "task_update" and (not chunk.get("id") or chunk.get("status") not in TASK_STATUSES):
            raise ApiRefused("invalid_chunks")
        if kind == "blocks":
            block_rules.check(chunk.get("blocks"))
    return chunks


def _write(context: Context, channel: Channel, message: Json, stream: Stream, chunks: list[Json]) -> None:
    for chunk in chunks:
        if chunk["type"] == "markdown_text":
            message["text"] += chunk.get("text", "")
        elif chunk["type"] == "plan_update":
            stream.plan = chunk.get("title", "")
        elif chunk["type"] == "blocks":
            stream.extra.extend(chunk["blocks"])
        else:  # the details and the output of a task grow
            task = stream.tasks.setdefault(chunk["id"], {"task_id": chunk["id"], "details": "", "output": ""})
            task |= {"title": chunk.get("title", ""), "status": chunk["status"]}
            for name in ("details", "output"):
                task[name] += chunk.get(name) or ""
            if chunk.get("sources"):
                task["sources"] = chunk["sources"]
    tasks = [{"type": "task_card", **task} for task in stream.tasks.values()]
    if stream.plan:
        tasks = [{"type": "plan", "title": stream.plan, "tasks": tasks}]
    text = [{"type": "markdown", "text": message["text"]}] if message["text"] else []
    message["blocks"] = [*tasks, *text, *stream.extra]
    if not message["blocks"]:
        del message["blocks"]
    context.workspace.record_message(channel.id, message)
