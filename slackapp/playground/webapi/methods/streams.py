"""Messages that are written while people watch.

A stream lives for about five minutes from its start, however busy it is; while it lives, its message can be
neither updated nor deleted.
"""

from collections.abc import Callable
from typing import Any

from slackapp.playground.errors import ApiRefused
from slackapp.playground.values import Json
from slackapp.playground.webapi import block_rules
from slackapp.playground.webapi.arguments import Arguments
from slackapp.playground.webapi.methods import chat, sessions
from slackapp.playground.webapi.methods.context import Context
from slackapp.playground.workspace.records import STREAM_LIFE, Channel, Stream

MAX_CHUNK = 12_000
"""Characters of each piece; the whole may be longer."""
MAX_TITLE = 256
TASK_STATUSES = frozenset({"pending", "in_progress", "complete", "error"})


def start(context: Context, arguments: Arguments) -> Json:
    channel = context.writable(arguments.required("channel"))
    thread_ts = context.thread(channel, arguments.required("thread_ts"))
    if not channel.is_im:
        for name in ("recipient_team_id", "recipient_user_id"):
            if name not in arguments:
                raise ApiRefused(f"missing_{name}")
    chunks = _chunks(arguments)
    stream = Stream(app_id=context.app.app_id, until=context.workspace.clock.now() + STREAM_LIFE)
    message = context.workspace.post(
        channel.id,
        {**context.signed(), "text": "", "thread_ts": thread_ts, "streaming_state": "in_progress"},
    )
    context.workspace.streams[channel.id, message["ts"]] = stream
    _write(context, channel, message, stream, chunks)
    context.herald.message(channel, message)
    return {"channel": channel.id, "ts": message["ts"]}


def append(context: Context, arguments: Arguments) -> Json:
    channel, message, stream = _open(context, arguments)
    chunks = _chunks(arguments)
    if not chunks:
        raise ApiRefused("no_text")
    _write(context, channel, message, stream, chunks)
    return {"channel": channel.id, "ts": message["ts"]}


def stop(context: Context, arguments: Arguments) -> Json:
    channel, message, stream = _open(context, arguments)
    chunks = _chunks(arguments)
    status = arguments.text("session_status")
    if status:
        sessions.check(status)
    last = arguments.structure("blocks", "invalid_blocks_format")
    checked = block_rules.check(last) if last is not None else []
    message |= chat.metadata(arguments)
    _write(context, channel, message, stream, chunks)
    if checked:
        message["blocks"] = [*message.get("blocks", ()), *checked]
    context.workspace.end_stream(channel.id, message["ts"])
    if status:
        sessions.put(context, channel.id, message["thread_ts"], status)
    context.herald.changed(channel, message, message)
    shown = context.workspace.messages.shown(channel.id, message, hidden=True)
    return {"channel": channel.id, "ts": message["ts"], "message": shown}


def _open(context: Context, arguments: Arguments) -> tuple[Channel, Json, Stream]:
    channel = context.writable(arguments.required("channel"))
    message = context.workspace.messages.get(channel.id, arguments.required("ts"))
    if message.get("bot_id") != context.app.bot_id:
        raise ApiRefused("message_not_owned_by_app")
    stream = context.workspace.streams.get((channel.id, message["ts"]))
    if stream is None:
        stopped = (channel.id, message["ts"]) in context.workspace.stopped
        raise ApiRefused("stopped_by_user" if stopped else "message_not_in_streaming_state")
    return channel, message, stream


def _chunks(arguments: Arguments) -> list[Json]:
    """The pieces of a call, checked before any of them is written."""
    given: Any = arguments.structure("chunks", "invalid_chunks") or []
    if not isinstance(given, list) or not all(isinstance(chunk, dict) for chunk in given):
        raise ApiRefused("invalid_chunks")
    text = arguments.text("markdown_text")
    chunks: list[Json] = [{"type": "markdown_text", "text": text}, *given] if text else given
    for chunk in chunks:
        _check(chunk)
    return chunks


def _check(chunk: Json) -> None:
    if chunk.get("type") not in WRITERS:
        raise ApiRefused("invalid_chunks")
    text, title = chunk.get("text", ""), chunk.get("title", "")
    if not isinstance(text, str) or not isinstance(title, str) or len(title) > MAX_TITLE:
        raise ApiRefused("invalid_chunks")
    if len(text) > MAX_CHUNK:
        raise ApiRefused("msg_too_long")
    if chunk["type"] == "task_update" and (not chunk.get("id") or chunk.get("status") not in TASK_STATUSES):
        raise ApiRefused("invalid_chunks")
    if chunk["type"] == "blocks":
        block_rules.check(chunk.get("blocks"))


def _write(context: Context, channel: Channel, message: Json, stream: Stream, chunks: list[Json]) -> None:
    for chunk in chunks:
        WRITERS[chunk["type"]](message, stream, chunk)
    message["blocks"] = _blocks(message, stream)
    if not message["blocks"]:
        del message["blocks"]
    context.workspace.changed(channel.id, message)


def _blocks(message: Json, stream: Stream) -> list[Json]:
    tasks = [{"type": "task_card", **task} for task in stream.tasks.values()]
    if stream.plan:
        tasks = [{"type": "plan", "title": stream.plan, "tasks": tasks}]
    text = [{"type": "markdown", "text": message["text"]}] if message["text"] else []
    return [*tasks, *text, *stream.extra]


def _text(message: Json, _: Stream, chunk: Json) -> None:
    message["text"] += chunk.get("text", "")


def _plan(_: Json, stream: Stream, chunk: Json) -> None:
    stream.plan = chunk.get("title", "")


def _task(_: Json, stream: Stream, chunk: Json) -> None:
    """A task's title and status are replaced; its details and its output grow."""
    task = stream.tasks.setdefault(chunk["id"], {"task_id": chunk["id"], "details": "", "output": ""})
    task |= {"title": chunk.get("title", ""), "status": chunk["status"]}
    for name in ("details", "output"):
        task[name] += chunk.get(name) or ""
    if chunk.get("sources"):
        task["sources"] = chunk["sources"]


def _extra(_: Json, stream: Stream, chunk: Json) -> None:
    stream.extra.extend(chunk["blocks"])


WRITERS: dict[str, Callable[[Json, Stream, Json], None]] = {
    "blocks": _extra,
    "markdown_text": _text,
    "plan_update": _plan,
    "task_update": _task,
}
