"""The addresses beside the Web API: for files up and down, and for late answers to commands."""

import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

from slackapp.playground.activity_log import ActivityLog
from slackapp.playground.errors import ApiRefused
from slackapp.playground.events.publisher import EventPublisher
from slackapp.playground.http import Reply, Request, Route, json_reply, text_reply
from slackapp.playground.values import App, Call, Json
from slackapp.playground.webapi import arguments as reading
from slackapp.playground.webapi import block_rules
from slackapp.playground.webapi.api import unfortunate
from slackapp.playground.webapi.faults import Faults
from slackapp.playground.workspace.files import StoredFile
from slackapp.playground.workspace.workspace import Workspace

RESPONSE_LIFE = timedelta(minutes=30)
RESPONSE_USES = 5
KEPT_RESPONSES = 5_000


@dataclass(slots=True, kw_only=True)
class ResponseUrl:
    """Where one command or interaction may be answered: a few times, for a while."""

    app: App
    channel: str
    user: str
    until: datetime
    uses: int = 0
    last: Json | None = None
    """What was whispered here before."""


class FileAndResponseUrls:
    """Routes, with the same faults and the same journal as the Web API."""

    def __init__(
        self, workspace: Workspace, herald: EventPublisher, faults: Faults, journal: ActivityLog
    ) -> None:
        self._workspace = workspace
        self._herald = herald
        self._faults = faults
        self._journal = journal
        self._responses: dict[str, ResponseUrl] = {}
        self._lock = threading.Lock()

    def routes(self) -> Mapping[str, Route]:
        return {
            "/upload/": self._recorded("upload", self._upload),
            "/files/": self._download,
            "/response/": self._recorded("response_url", self._respond),
        }

    def response_url(self, app: App, channel: str, user: str) -> str:
        """The path of a new address."""
        secret = secrets.token_urlsafe(18)
        until = self._workspace.clock.now() + RESPONSE_LIFE
        with self._lock:
            self._responses[secret] = ResponseUrl(app=app, channel=channel, user=user, until=until)
            if len(self._responses) > KEPT_RESPONSES:
                del self._responses[next(iter(self._responses))]
        return f"response/{secret}"

    def acknowledged(self, url: str, body: Json) -> None:
        """An acknowledgement that says something is shown like an answer, without counting as one."""
        if body.get("text") or body.get("blocks"):
            self._show(self._responses[url.rpartition("/")[2]], body, "ack")

    def _recorded(self, name: str, route: Callable[[Request], Reply]) -> Route:
        def answer(request: Request) -> Reply:
            began = time.monotonic()
            size, kind = len(request.body), request.content_type
            arguments = {"path": request.path, "bytes": size, "content_type": kind}
            reply = self._faults.meet(
                name, arguments, lambda _: route(request), lambda fault: unfortunate(fault)[0]
            )
            self._record(name, arguments, reply, began)
            return reply

        return answer

    def _record(self, name: str, arguments: Json, reply: Reply, began: float) -> None:
        self._journal.called(
            Call(
                method=name,
                arguments=arguments,
                status=0 if reply.dropped else reply.status,
                response={"body": reply.body.decode("utf-8", "replace")},
                at=self._workspace.clock.now(),
                seconds=time.monotonic() - began,
            )
        )

    def _upload(self, request: Request) -> Reply:
        """The second step: the content, as it is or as a form's only file."""
        file = self._workspace.files.find(request.path.rpartition("/")[2])
        if file is None or file.completed or request.verb != "POST":
            return text_reply("Not found", 404)
        try:
            content = _content(request)
        except ApiRefused as refusal:
            return text_reply(refusal.error, 400)
        if len(content) != file.length:
            return text_reply(f"expected {file.length} bytes, got {len(content)}", 400)
        with self._workspace.lock:
            self._workspace.files.fill(file, content)
            self._journal.note("file", file=file.id, name=file.name, size=file.length)
        return text_reply(f"OK - {len(content)}")

    def _download(self, request: Request) -> Reply:
        """A file's content, for those who hold a token of an app."""
        with self._workspace.lock:
            tokens = {app.bot_token for app in self._herald.apps.values()}
        if reading.token(request, {}) not in tokens:
            return text_reply("Sign in", 403)
        file = self._workspace.files.find(request.path.split("/")[2])
        if file is None or file.content is None:
            return text_reply("Not found", 404)
        return download(file)

    def _respond(self, request: Request) -> Reply:
        """A late answer to a command or an interaction."""
        with self._lock:
            response = self._responses.get(request.path.rpartition("/")[2])
        if response is None or request.verb != "POST":
            return text_reply("Not found", 404)
        try:
            body: Any = json.loads(request.body)
            self._take(response)
            self._show(response, body if isinstance(body, dict) else {}, "response_url")
        except ValueError:
            return json_reply({"ok": False, "error": "invalid_payload"}, 400)
        except ApiRefused as refusal:
            return json_reply({"ok": False, "error": refusal.error}, 404)
        return text_reply("ok")

    def _take(self, response: ResponseUrl) -> None:
        with self._lock:
            if self._workspace.clock.now() >= response.until:
                raise ApiRefused("expired_url")
            if response.uses >= RESPONSE_USES:
                raise ApiRefused("used_url")
            response.uses += 1

    def _show(self, response: ResponseUrl, body: Json, via: str) -> None:
        with self._workspace.lock:
            if body.get("delete_original"):
                return self._withdraw(response)
            fields = {name: body[name] for name in ("text", "blocks") if body.get(name)}
            if not fields:
                raise ApiRefused("no_text")
            if "blocks" in fields:
                block_rules.check(fields["blocks"])
            if body.get("response_type") == "in_channel":
                return self._aloud(response, fields, str(body.get("thread_ts") or ""))
            if body.get("replace_original"):
                self._withdraw(response)
            if body.get("thread_ts"):
                fields["thread_ts"] = body["thread_ts"]
            author = {"user": response.app.bot_user, "bot_id": response.app.bot_id, "text": ""}
            response.last = self._workspace.whisper(
                response.channel, response.user, via, {**author, **fields}
            )
        return None

    def _aloud(self, response: ResponseUrl, fields: Json, thread_ts: str) -> None:
        channel = self._workspace.channel(response.channel)
        author = {"user": response.app.bot_user, "bot_id": response.app.bot_id, "text": ""}
        place = {"thread_ts": thread_ts} if thread_ts else {}
        message = self._workspace.post(
            channel.id, {**author, "app_id": response.app.app_id, **fields, **place}
        )
        self._herald.message(channel, message)

    def _withdraw(self, response: ResponseUrl) -> None:
        if response.last is not None and response.last in self._workspace.ephemerals:
            self._workspace.ephemerals.remove(response.last)
            self._journal.note("withdrawn", ts=response.last["ts"])


def download(file: StoredFile) -> Reply:
    """A file as something to keep, never to run."""
    return Reply(
        body=file.content or b"",
        content_type=file.mimetype,
        headers={
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(file.name)}",
            "X-Content-Type-Options": "nosniff",
        },
    )


def _content(request: Request) -> bytes:
    if request.content_type != "multipart/form-data":
        return request.body
    parts = reading.multipart(request)
    return parts[0][1] if parts else b""
