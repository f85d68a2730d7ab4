"""A Slack on this machine: state, Web API, events, Socket Mode and faults behind one object.

    with LocalSlack() as slack:
        slack.install(App(bot_token="xoxb-1", signing_secret="s", request_url="http://127.0.0.1:3000/slack/events"))
        ts = slack.say("U0TANAKA", "general", f"<@{slack.app.bot_user}> <https://example.com/>")
        slack.wait_until(lambda: len(slack.thread("general", ts)) > 1)

Whatever changes goes through the workspace under one lock, and every change is told to the journal, which
wakes those who wait. Times come from the given clock, except a request's signature, which the other side
compares with the system's, and the seconds that an app has to acknowledge.
"""

import json
import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from types import TracebackType
from typing import Self, TypeVar

from fetcher.clock import Clock, SystemClock
from slackapp.playground.activity_log import ActivityLog, Subscriber
from slackapp.playground.events.dispatcher import Dispatcher
from slackapp.playground.events.publisher import EventPublisher
from slackapp.playground.events.socket_mode import Sockets
from slackapp.playground.events.transports import HttpTransport, Kind, OutgoingRequest, Signature, Transport
from slackapp.playground.http import Route, RoutingServer
from slackapp.playground.values import App, Call, Capacity, Json, RecordedDelivery
from slackapp.playground.webapi.api import PREFIX, WebApi
from slackapp.playground.webapi.faults import Faults
from slackapp.playground.webapi.file_and_response_urls import FileAndResponseUrls
from slackapp.playground.webapi.rate_limits import Rates
from slackapp.playground.workspace import sample_workspace
from slackapp.playground.workspace.user_actions import UserActions
from slackapp.playground.workspace.workspace import Workspace

T = TypeVar("T")

ACKNOWLEDGE_WITHIN = 3.0


class LocalSlack(UserActions):
    """Everything; a context manager that starts and stops it."""

    def __init__(
        self,
        *,
        clock: Clock | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        capacity: Capacity | None = None,
        ack_timeout: float = ACKNOWLEDGE_WITHIN,
        workers: int = 8,
        own_events: bool = True,
        rate_limits: bool = False,
        routes: Mapping[str, Route] | None = None,
    ) -> None:
        """`own_events` tells an app of its own messages, as Slack does; `routes` serves more paths."""
        time, most = clock or SystemClock(), capacity or Capacity()
        self.journal = ActivityLog(time, most)
        self.faults = Faults(self.journal)
        self.rates = Rates(time, enabled=rate_limits)
        self.sockets = Sockets(host, ack_timeout, self.journal)
        self._http_courier = HttpTransport(ack_timeout)
        workspace = Workspace(time, self.journal, most)
        dispatcher = Dispatcher(clock=time, journal=self.journal, courier=self._courier, workers=workers)
        herald = EventPublisher(workspace, dispatcher, own_events=own_events)
        addresses = FileAndResponseUrls(workspace, herald, self.faults, self.journal)
        super().__init__(workspace, herald, dispatcher, addresses)
        api = WebApi(
            workspace=workspace,
            herald=herald,
            faults=self.faults,
            journal=self.journal,
            rates=self.rates,
            sockets=self.sockets,
            base_url=lambda: self.base_url,
        )
        self._http = RoutingServer(host, port, {PREFIX: api.answer, **addresses.routes(), **(routes or {})})
        sample_workspace.furnish(workspace)

    def start(self) -> Self:
        self._http.start()
        return self

    def stop(self) -> None:
        """Ends every thread and connection; what was not yet delivered is not."""
        self.faults.stop()
        self.journal.close()
        self._dispatcher.stop()
        self.sockets.stop()
        self._http.stop()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def base_url(self) -> str:
        return self._http.base_url

    @property
    def api_url(self) -> str:
        """For `WebClient(base_url=…)`."""
        return f"{self.base_url}api/"

    @property
    def calls(self) -> tuple[Call, ...]:
        return self.journal.calls

    def calls_of(self, method: str) -> tuple[Call, ...]:
        return tuple(call for call in self.journal.calls if call.method == method)

    @property
    def deliveries(self) -> tuple[RecordedDelivery, ...]:
        return self.journal.deliveries

    @property
    def retries_waiting(self) -> int:
        """How many deliveries wait for their time to be tried again."""
        return self._dispatcher.retries_waiting

    def tick(self) -> None:
        """Says that an injected clock has moved: what is due now happens."""
        self.workspace.settle()
        self._dispatcher.nudge()

    def thread(self, channel: str, thread_ts: str) -> list[Json]:
        """A thread with its first message, metadata included; empty when there is none."""
        with self.workspace.lock:
            self.workspace.settle()
            where = self.workspace.channel(channel).id
            if self.workspace.messages.find(where, thread_ts) is None:
                return []
            messages = self.workspace.messages.thread(where, thread_ts)
            return [self.workspace.messages.shown(where, message, hidden=True) for message in messages]

    def timeline(self, channel: str) -> list[Json]:
        """What stands in a channel itself, oldest first, metadata included."""
        with self.workspace.lock:
            self.workspace.settle()
            where = self.workspace.channel(channel).id
            messages = self.workspace.messages
            return [messages.shown(where, message, hidden=True) for message in messages.timeline(where)]

    def ephemerals(self, user: str | None = None) -> list[Json]:
        """What only one person sees, oldest first."""
        with self.workspace.lock:
            return [dict(each) for each in self.workspace.ephemerals if user in (None, each["to"])]

    def wait_until(self, predicate: Callable[[], T], timeout: float = 10) -> T:
        """What the predicate says once it is true, or at the end of the time; asked at every change."""
        return self.journal.wait_until(predicate, timeout)

    def subscribe(self, callback: Subscriber) -> Callable[[], None]:
        """Calls back with every change and call as a small record; returns a function that ends it."""
        return self.journal.subscribe(callback)

    def deliver(
        self,
        body: Json | bytes,
        *,
        retry_num: int | None = None,
        retry_reason: str | None = None,
        times: int = 1,
        signature: Signature = Signature.VALID,
        content_type: str = "application/json",
        app: App | None = None,
    ) -> tuple[Future[RecordedDelivery], ...]:
        """Delivers any body once more (bytes as they are), so many times at once; never tried again."""
        raw = body if isinstance(body, bytes) else None
        parcel = OutgoingRequest(
            kind=Kind.EVENT,
            payload={} if isinstance(body, bytes) else body,
            raw=raw,
            content_type=content_type,
            retry_num=retry_num or 0,
            retry_reason=retry_reason or ("http_timeout" if retry_num else ""),
            signature=signature,
        )
        return tuple(self._dispatcher.send(app or self.app, parcel) for _ in range(times))

    def verify_url(self, app: App | None = None) -> bool:
        """Slack's question whether a request URL is what it claims to be."""
        challenge = secrets.token_hex(16)
        body = {"token": "local", "type": "url_verification", "challenge": challenge}
        delivery = self.deliver(body, app=app)[0].result()
        return delivery.status == 200 and _echoed(delivery.answer) == challenge

    def refresh_sockets(self, reason: str = "refresh_requested", app: App | None = None) -> None:
        """Has the app's Socket Mode connections replaced, as Slack does every few hours."""
        self.sockets.refresh((app or self.app).app_id, reason)

    def cut_sockets(self, app: App | None = None) -> None:
        """Ends the app's Socket Mode connections without a word."""
        self.sockets.cut((app or self.app).app_id)

    def _courier(self, app: App) -> Transport:
        """Open links come first; an app with neither link nor address is not reachable."""
        if self.sockets.count(app.app_id) or not app.request_url:
            return self.sockets
        return self._http_courier


def _echoed(answer: str) -> str:
    try:
        parsed = json.loads(answer)
    except ValueError:
        return answer
    return str(parsed.get("challenge", "")) if isinstance(parsed, dict) else ""
