"""The page's side of the server: its files, its state, its events, and what people do on it."""

import logging
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any
from urllib.parse import unquote, urlsplit

from fetcher.sample import PAGES
from slackapp.listeners.command import COMMAND
from slackapp.playground.errors import ApiRefused
from slackapp.playground.http import Reply, Request, json_reply, text_reply
from slackapp.playground.page import file_previews, state
from slackapp.playground.page.access import HEADERS, AccessRefused, admit, body_of
from slackapp.playground.page.actions import ACTIONS, ActionArguments, BadAction
from slackapp.playground.page.developer_controls import DeveloperControls
from slackapp.playground.page.event_stream import EventStream
from slackapp.playground.page.example_prompts import PROMPTS
from slackapp.playground.page.inspector import Inspector
from slackapp.playground.page.redaction import Redaction
from slackapp.playground.server import LocalSlack
from slackapp.playground.values import Json
from slackapp.playground.webapi.file_and_response_urls import download
from slackapp.playground.webapi.methods.all_methods import METHODS
from slackapp.playground.workspace.files import StoredFile
from slackapp.stores.contract import StoreUnavailable

log = logging.getLogger(__name__)

SAMPLE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""A page of the sample site, shown as it is and unable to do anything."""
TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
HARMLESS = frozenset({"text/csv", "application/json", "text/plain"})
"""What a file may call itself; everything else is a row of bytes."""
NOT_FOUND = text_reply("Not found", 404)

Shown = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentDescription:
    """Who answers, for the page to say."""

    kind: str
    """`anthropic`, `bedrock` or `offline`."""
    model: str = ""


class Page:
    """Routes for `LocalSlack(routes=…)`; bound once the server, the app and the store are there."""

    def __init__(self, *, redaction: Redaction | None = None) -> None:
        self._redaction = redaction or Redaction()
        self._bound: _Bound | None = None

    def routes(self) -> Mapping[str, Callable[[Request], Reply]]:
        return {"/": self.answer}

    def bind(
        self,
        slack: LocalSlack,
        controls: Callable[[Inspector], DeveloperControls],
        answerer: AgentDescription,
    ) -> None:
        """Begins to listen to the journal."""
        messages = slack.workspace.messages

        def root(channel: str, ts: str) -> str:
            message = messages.find(channel, ts)
            return str(message.get("thread_ts") or ts) if message else ""

        inspector = Inspector(self._redaction, root)
        feed = EventStream(slack.journal, _Records(inspector).shown)
        self._bound = _Bound(slack, inspector, feed, controls(inspector), answerer)

    def answer(self, request: Request) -> Reply:
        if self._bound is None:
            return text_reply("Starting", 503)
        reply = self._bound.answer(request)
        return replace(reply, headers={**HEADERS, **reply.headers})


class _Records:
    """Which of the journal's records the page gets, and in which form."""

    PLAIN = frozenset(
        {"channel", "ephemeral", "home", "message", "removed", "session", "user", "whitelist", "withdrawn"}
    )

    def __init__(self, inspector: Inspector) -> None:
        self._inspector = inspector

    def shown(self, record: Json) -> Json | None:
        if record["type"] in self.PLAIN:
            return record
        summary = self._inspector.take(record)
        return {"type": "entry", "entry": summary} if summary else None


class _Bound:
    """The page with everything that stands behind it."""

    def __init__(
        self,
        slack: LocalSlack,
        inspector: Inspector,
        feed: EventStream,
        controls: DeveloperControls,
        answerer: AgentDescription,
    ) -> None:
        self._slack = slack
        self._inspector = inspector
        self._feed = feed
        self._controls = controls
        self._answerer = answerer
        self._gets: dict[str, Callable[[Request, str], Reply]] = {
            "/page/": self._static,
            "/playground/state": self._state,
            "/playground/events": self._events,
            "/playground/entries/": self._entry,
            "/playground/files/": self._file,
            "/playground/previews/": self._preview,
            "/sample/": self._sample,
        }

    def answer(self, request: Request) -> Reply:
        try:
            admit(request, urlsplit(self._slack.base_url).port)
            if request.verb == "POST":
                return self._act(
                    request.path.removeprefix("/playground/act/"), ActionArguments(body_of(request))
                )
        except AccessRefused as reason:
            return _no(str(reason), reason.status)
        if request.path == "/":
            return self._static(request, "index.html")
        for prefix, get in self._gets.items():
            if request.path.startswith(prefix):
                return get(request, unquote(request.path.removeprefix(prefix)))
        return NOT_FOUND

    def _act(self, name: str, wanted: ActionArguments) -> Reply:
        controls = self._controls.table()
        try:
            if name in ACTIONS:
                done = ACTIONS[name](self._slack, wanted)
            elif name in controls:
                done = controls[name](wanted)
            else:
                return NOT_FOUND
        except BadAction as error:
            return _no(str(error), 400)
        except ApiRefused as error:
            return _no(error.error, 409)
        except StoreUnavailable as error:
            log.warning("store_unavailable", extra={"fields": {"error": str(error)}})
            return _no("store_unavailable", 503)
        return json_reply({"ok": True, **done})

    def _static(self, _: Request, name: str) -> Reply:
        kind = TYPES.get(name.rpartition(".")[2])
        found = files("slackapp.playground.page").joinpath("static", name)
        if "/" in name or "\\" in name or kind is None or not found.is_file():
            return NOT_FOUND
        return Reply(body=found.read_bytes(), content_type=kind)

    def _state(self, _: Request, rest: str) -> Reply:
        listed = self._controls.listed()
        with self._slack.workspace.lock:
            shown: Shown = state.state(self._slack) | {
                "position": self._feed.position,
                "entries": self._inspector.summaries,
            }
        shown |= {
            "whitelist": listed,
            "answerer": {"kind": self._answerer.kind, "model": self._answerer.model},
            "prompts": PROMPTS,
            "command": COMMAND,
            "methods": sorted(METHODS),
        }
        return json_reply(shown)

    def _events(self, request: Request, _: str) -> Reply:
        position = request.headers.get("last-event-id") or request.query.get("after", "")
        pieces: Iterator[bytes] = self._feed.stream(position)
        return Reply(pieces=pieces, content_type="text/event-stream; charset=utf-8")

    def _entry(self, _: Request, number: str) -> Reply:
        with self._slack.workspace.lock:
            entry = self._inspector.find(int(number)) if re.fullmatch("[0-9]{1,15}", number) else None
        return json_reply(entry.payload) if entry else NOT_FOUND

    def _file(self, _: Request, name: str) -> Reply:
        """Something to keep, never something to look at in the browser."""
        file = self._stored(name)
        if file is None:
            return NOT_FOUND
        kind = file.mimetype if file.mimetype in HARMLESS else "application/octet-stream"
        return replace(download(file), content_type=kind)

    def _preview(self, _: Request, name: str) -> Reply:
        file = self._stored(name)
        return json_reply(file_previews.preview(file)) if file else NOT_FOUND

    def _stored(self, name: str) -> StoredFile | None:
        with self._slack.workspace.lock:
            file = self._slack.workspace.files.find(name)
            return file if file and file.content is not None else None

    def _sample(self, request: Request, name: str) -> Reply:
        """A page of the sample site, for those who want to compare an answer with it."""
        page = next((page for page in PAGES if page.url == f"http://{name}"), None)
        if page is None:
            return NOT_FOUND
        if page.location:
            return text_reply(f"302 Found\nLocation: {page.location}")
        return Reply(
            body=page.body(),
            content_type=page.content_type,
            headers={"Content-Security-Policy": SAMPLE_POLICY},
        )


def _no(error: str, status: int) -> Reply:
    return json_reply({"ok": False, "error": error}, status)
