"""The addresses outside the Web API: file uploads and downloads, and response URLs of commands."""

import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

from slackapp.playground.activity_log import ActivityLog
from slackapp.playground.errors import ApiRefused
from slackapp.playground.events.publisher import EventPublisher
from slackapp.playground.http import Reply, Request, Route, json_reply, text_reply
from slackapp.playground.values import App, Call, Json
from slackapp.playground.webapi import block_rules
from slackapp.playground.webapi.api import fault_reply
from slackapp.playground.webapi.arguments import multipart_parts
from slackapp.playground.webapi.faults import Faults
from slackapp.playground.workspace.files import StoredFile
from slackapp.playground.workspace.workspace import Workspace

RESPONSE_LIFE = timedelta(minutes=30)
RESPONSE_USES = 5
PAGE_TYPE = "text/html; charset=utf-8"
MAX_RESPONSE_URLS = 5_000
MAX_RECORDED = 2000
"""Bytes of a reply that the activity log keeps."""


@dataclass(slots=True, kw_only=True)
class ResponseUrl:
    """An address at which an app may answer one command or interaction, a few times."""

    app: App
    channel: str
    user: str
    until: datetime
    uses: int = 0
    last: Json | None = None
    """The newest ephemeral message that was posted here."""


@dataclass(slots=True)
class FileAndResponseUrls:
    """Routes with the same faults and the same activity log as the Web API."""

    workspace: Workspace
    publisher: EventPublisher
    faults: Faults
    activity: ActivityLog
    _response_urls: dict[str, ResponseUrl] = field(default_factory=dict, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def routes(self) -> Mapping[str, Route]:
        return {
            "/upload/": self._recorded("upload", self._upload),
            "/files-pri/": self._recorded("download", self._download),
            "/files/": self._permalink,
            "/signin": lambda _: Reply(body=b"<!DOCTYPE html><title>Sign in</title>", content_type=PAGE_TYPE),
            "/response/": self._recorded("response_url", self._respond),
        }

    def create_response_path(self, app: App, channel: str, user: str) -> str:
        """Creates a response URL and returns its path."""
        secret = secrets.token_urlsafe(18)
        until = self.workspace.clock.now() + RESPONSE_LIFE
        with self._lock:
            self._response_urls[secret] = ResponseUrl(app=app, channel=channel, user=user, until=until)
            if len(self._response_urls) > MAX_RESPONSE_URLS:
                del self._response_urls[next(iter(self._response_urls))]
        return f"response/{secret}"

    def show_acknowledgement(self, url: str, body: Json) -> None:
        """Shows the text of an acknowledgement like an answer, without counting a use of the URL."""
        if body.get("text") or body.get("blocks"):
            self._show(self._response_urls[url.rpartition("/")[2]], body, "ack")

    def _recorded(self, name: str, route: Callable[[Request], Reply]) -> Route:
        """The route, with faults applied to it and its calls recorded."""

        def answer(request: Request) -> Reply:
            began = time.monotonic()
            size, kind = len(request.body), request.content_type
            arguments = {"path": request.path, "bytes": size, "content_type": kind}
            reply = self.faults.apply(
                name, arguments, lambda _: route(request), lambda fault: fault_reply(fault)[0]
            )
            self.activity.record_call(
                Call(
                    method=name,
                    arguments=arguments,
                    status=0 if reply.dropped else reply.status,
                    response={"body": reply.body[:MAX_RECORDED].decode("utf-8", "replace")},
                    at=self.workspace.clock.now(),
                    seconds=time.monotonic() - began,
                )
            )
            return reply

        return answer

    def _upload(self, request: Request) -> Reply:
        """The second step of an upload: the body is the content, or a form with the file in it."""
        file = self.workspace.files.find(request.path.rpartition("/")[2])
        if file is None or file.completed or request.verb != "POST":
            return text_reply("Not found", 404)
        content = request.body
        if request.content_type == "multipart/form-data":
            try:
                parts = multipart_parts(request)
            except ApiRefused as refusal:
                return text_reply(refusal.error, 400)
            content = parts[0][1] if parts else b""
        if len(content) != file.length:
            return text_reply(f"expected {file.length} bytes, got {len(content)}", 400)
        with self.workspace.lock:
            self.workspace.files.store_content(file, content)
            self.activity.record("file", file=file.id, name=file.name, size=file.length)
        return text_reply(f"OK - {len(content)}")

    def _download(self, request: Request) -> Reply:
        """The content of a file, for a request with the bot token of an app that sees it.

        Others are sent to a page to sign in, as Slack sends them (slackapi/bolt-js#2585,
        grundleborg/slack-advanced-exporter#13). The page's address is from memory.
        """
        header = request.headers.get("authorization", "")
        with self.workspace.lock:
            apps = self.publisher.apps.values()
            bots = {app.bot_user for app in apps if header == f"Bearer {app.bot_token}"}
            file = self.workspace.files.find(request.path.split("/")[2].rpartition("-")[2])
            shares = [channel for kind in (file.shares.values() if file else ()) for channel in kind]
            members = {user for channel in shares for user in self.workspace.channel(channel).members}
        if not bots or (file is not None and not bots & members):
            return Reply(status=302, headers={"Location": f"/signin?redir={quote(request.path, safe='')}"})
        if file is None or file.content is None:
            return text_reply("Not found", 404)
        return download_reply(file)

    def _permalink(self, request: Request) -> Reply:
        """Where people see a file: here, a way to save it."""
        file_id = (request.path.split("/") + [""] * 4)[3]
        return Reply(status=302, headers={"Location": f"/playground/files/{quote(file_id, safe='')}"})

    def _respond(self, request: Request) -> Reply:
        """A later answer to a command or an interaction."""
        with self._lock:
            url = self._response_urls.get(request.path.rpartition("/")[2])
        if url is None or request.verb != "POST":
            return text_reply("Not found", 404)
        try:
            body: Any = json.loads(request.body)
            with self._lock:
                if self.workspace.clock.now() >= url.until:
                    raise ApiRefused("expired_url")
                if url.uses >= RESPONSE_USES:
                    raise ApiRefused("used_url")
                url.uses += 1
            self._show(url, body if isinstance(body, dict) else {}, "response_url")
        except ValueError:
            return json_reply({"ok": False, "error": "invalid_payload"}, 400)
        except ApiRefused as refusal:
            return json_reply({"ok": False, "error": refusal.error}, 404)
        return text_reply("ok")

    def _show(self, url: ResponseUrl, body: Json, via: str) -> None:
        """Posts the answer to the channel or to the one user, or deletes the last one."""
        with self.workspace.lock:
            if body.get("delete_original"):
                return self._delete_last(url)
            fields = {name: body[name] for name in ("text", "blocks") if body.get(name)}
            if not fields:
                raise ApiRefused("no_text")
            if "blocks" in fields:
                block_rules.check(fields["blocks"])
            if body.get("thread_ts"):
                fields["thread_ts"] = str(body["thread_ts"])
            message = {"user": url.app.bot_user, "bot_id": url.app.bot_id, "text": "", **fields}
            if body.get("response_type") == "in_channel":
                channel = self.workspace.channel(url.channel)
                posted = self.workspace.post(channel.id, {**message, "app_id": url.app.app_id})
                return self.publisher.publish_message(channel, posted)
            if body.get("replace_original"):
                self._delete_last(url)
            url.last = self.workspace.post_ephemeral(url.channel, url.user, via, message)
        return None

    def _delete_last(self, url: ResponseUrl) -> None:
        if url.last is not None and url.last in self.workspace.ephemerals:
            self.workspace.ephemerals.remove(url.last)
            self.activity.record("withdrawn", ts=url.last["ts"])


def download_reply(file: StoredFile) -> Reply:
    """A file that the browser saves and never opens."""
    return Reply(
        body=file.content or b"",
        content_type=file.mimetype,
        headers={
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(file.name)}",
            "X-Content-Type-Options": "nosniff",
        },
    )
