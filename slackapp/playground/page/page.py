"""The routes of the page: its files, its state, its events, and the actions of people."""

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib.resources import files
from urllib.parse import unquote, urlsplit

from fetcher.sample import PAGES
from slackapp.listeners.registration import COMMAND
from slackapp.playground.errors import ApiRefused
from slackapp.playground.http import Reply, Request, json_reply, text_reply
from slackapp.playground.page.access import HEADERS, AccessRefused, check_access, json_body
from slackapp.playground.page.actions import ACTIONS, ActionArguments, BadAction
from slackapp.playground.page.conditions import ERRORS
from slackapp.playground.page.developer_controls import DeveloperControls
from slackapp.playground.page.event_stream import EventStream
from slackapp.playground.page.example_prompts import PROMPTS
from slackapp.playground.page.file_previews import preview
from slackapp.playground.page.inspector import Inspector
from slackapp.playground.page.redaction import Redaction
from slackapp.playground.page.state import snapshot
from slackapp.playground.server import LocalSlack
from slackapp.playground.values import Json
from slackapp.playground.webapi.file_and_response_urls import download_reply
from slackapp.playground.webapi.methods.all_methods import METHODS
from slackapp.stores.contract import StoreUnavailable

log = logging.getLogger(__name__)

SAMPLE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""Shows a page of the sample site as it is, and lets it do nothing."""
STATIC_TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
DOWNLOAD_TYPES = frozenset({"text/csv", "application/json", "text/plain"})
"""Types that a downloaded file may have; any other file is `application/octet-stream`."""
UNCHANGED_RECORDS = frozenset(
    {"channel", "ephemeral", "home", "message", "prompts", "removed", "session", "user", "whitelist"}
    | {"conditions", "faults", "modal", "withdrawn"}
)
"""Records of the activity log that the page gets as they are."""
FILES, PREVIEWS = "/playground/files/", "/playground/previews/"
NOT_FOUND = text_reply("Not found", 404)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentDescription:
    """Which agent answers, for the page to show."""

    kind: str
    """`anthropic`, `bedrock` or `offline`."""
    model: str = ""


@dataclass(slots=True, kw_only=True)
class Page:
    """Answers under `/`, for `LocalSlack(routes=…)`; `bind` connects it when the app and the store exist."""

    redaction: Redaction = field(default_factory=Redaction)
    _routes: "_PageRoutes | None" = field(default=None, init=False)

    def bind(
        self,
        slack: LocalSlack,
        controls: Callable[[Inspector], DeveloperControls],
        agent: AgentDescription,
    ) -> None:
        """Subscribes to the activity log and begins to serve."""

        def find_root(channel: str, ts: str) -> str:
            message = slack.workspace.messages.find(channel, ts)
            return str(message.get("thread_ts") or ts) if message else ""

        def page_record(record: Json) -> Json | None:
            if record["type"] in UNCHANGED_RECORDS:
                return record
            summary = inspector.add(record)
            return {"type": "entry", "entry": summary} if summary else None

        inspector = Inspector(self.redaction, find_root)
        events = EventStream(slack.activity, page_record)
        self._routes = _PageRoutes(slack, inspector, events, controls(inspector), agent)

    def answer(self, request: Request) -> Reply:
        if self._routes is None:
            return text_reply("Starting", 503)
        reply = self._routes.answer(request)
        return replace(reply, headers={**HEADERS, **reply.headers})


@dataclass(frozen=True, slots=True)
class _PageRoutes:
    slack: LocalSlack
    inspector: Inspector
    events: EventStream
    controls: DeveloperControls
    agent: AgentDescription

    def answer(self, request: Request) -> Reply:
        try:
            check_access(request, urlsplit(self.slack.base_url).port)
            if request.verb == "POST":
                name = request.path.removeprefix("/playground/act/")
                return self._act(name, ActionArguments(json_body(request)))
        except AccessRefused as refusal:
            return _error_reply(str(refusal), refusal.status)
        if request.path == "/":
            return self._static_file(request, "index.html")
        gets: dict[str, Callable[[Request, str], Reply]] = {
            "/page/": self._static_file,
            "/playground/state": self._state,
            "/playground/events": self._events,
            "/playground/entries/": self._entry,
            FILES: self._file,
            PREVIEWS: self._file,
            "/sample/": self._sample_page,
        }
        for prefix, get in gets.items():
            if request.path.startswith(prefix):
                return get(request, unquote(request.path.removeprefix(prefix)))
        return NOT_FOUND

    def _act(self, name: str, arguments: ActionArguments) -> Reply:
        try:
            if name in ACTIONS:
                result: Json | None = ACTIONS[name](self.slack, arguments)
            else:
                result = self.controls.act(name, arguments)
        except BadAction as error:
            return _error_reply(str(error), 400)
        except ApiRefused as error:
            return _error_reply(error.error, 409)
        except StoreUnavailable as error:
            log.warning("store_unavailable", extra={"fields": {"error": str(error)}})
            return _error_reply("store_unavailable", 503)
        return NOT_FOUND if result is None else json_reply({"ok": True, **result})

    def _static_file(self, _: Request, name: str) -> Reply:
        content_type = STATIC_TYPES.get(name.rpartition(".")[2])
        found = files("slackapp.playground.page").joinpath("static", name)
        if "/" in name or "\\" in name or content_type is None or not found.is_file():
            return NOT_FOUND
        return Reply(body=found.read_bytes(), content_type=content_type)

    def _state(self, _: Request, rest: str) -> Reply:
        whitelist = self.controls.whitelisted_users()
        with self.slack.workspace.lock:
            state = {
                **snapshot(self.slack),
                "position": self.events.position,
                "entries": self.inspector.summaries,
            }
        state |= {
            "whitelist": whitelist,
            "answerer": {"kind": self.agent.kind, "model": self.agent.model},
            "prompts": PROMPTS,
            "command": COMMAND,
            "methods": sorted(METHODS),
            "errors": ERRORS,
            "conditions": self.controls.conditions.shown(),
            "faults": self.slack.faults.planned,
        }
        return json_reply(state)

    def _events(self, request: Request, _: str) -> Reply:
        position = request.headers.get("last-event-id") or request.query.get("after", "")
        pieces = self.events.stream(position)
        return Reply(pieces=pieces, content_type="text/event-stream; charset=utf-8")

    def _entry(self, _: Request, number: str) -> Reply:
        with self.slack.workspace.lock:
            entry = self.inspector.find(int(number)) if re.fullmatch("[0-9]{1,15}", number) else None
        return json_reply(entry.payload) if entry else NOT_FOUND

    def _file(self, request: Request, file_id: str) -> Reply:
        """A preview of a file, or the file to save: the browser never opens it."""
        with self.slack.workspace.lock:
            file = self.slack.workspace.files.find(file_id)
        if file is None or file.content is None:
            return NOT_FOUND
        if request.path.startswith(PREVIEWS):
            return json_reply(preview(file))
        content_type = file.mimetype if file.mimetype in DOWNLOAD_TYPES else "application/octet-stream"
        return replace(download_reply(file), content_type=content_type)

    def _sample_page(self, request: Request, name: str) -> Reply:
        """A page of the sample site, to compare an answer with it."""
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


def _error_reply(error: str, status: int) -> Reply:
    return json_reply({"ok": False, "error": error}, status)
