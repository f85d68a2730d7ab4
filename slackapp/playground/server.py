"""A Slack on this machine: state, Web API, events, Socket Mode and faults behind one object.

    with LocalSlack() as slack:
        slack.install(App(bot_token="xoxb-1", signing_secret="s", request_url="http://127.0.0.1:3000/slack/events"))
        ts = slack.say("U0TANAKA", "general", f"<@{slack.app.bot_user}> <https://example.com/>")
        slack.wait_until(lambda: len(slack.thread("general", ts)) > 1)

Every change goes through the workspace under one lock, and into the activity log, which wakes waiters. Times
come from the given clock, with two exceptions: the signature of a request, which the app compares with the
system's clock, and the seconds that an app has to acknowledge.
"""

import json
import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Self, TypeVar

from fetcher.clock import Clock, SystemClock
from slackapp.playground.activity_log import ActivityLog, Subscriber
from slackapp.playground.events.dispatcher import Dispatcher
from slackapp.playground.events.publisher import EventPublisher
from slackapp.playground.events.socket_mode import SocketModeServer
from slackapp.playground.events.transports import HttpTransport, Kind, OutgoingRequest, Signature, Transport
from slackapp.playground.http import Route, RoutingServer
from slackapp.playground.values import App, Call, Capacity, Json, RecordedDelivery
from slackapp.playground.webapi.api import PREFIX, WebApi
from slackapp.playground.webapi.faults import Faults
from slackapp.playground.webapi.file_and_response_urls import FileAndResponseUrls
from slackapp.playground.webapi.rate_limits import RateLimits
from slackapp.playground.workspace import sample_workspace
from slackapp.playground.workspace.user_actions import UserActions
from slackapp.playground.workspace.workspace import Workspace

T = TypeVar("T")

ACKNOWLEDGE_WITHIN = 3.0


class LocalSlack(UserActions):
    """The whole local Slack; a context manager that starts and stops it."""

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
        """With `own_events` an app gets events for its own messages, as in Slack; `routes` adds paths."""
        clock, capacity = clock or SystemClock(), capacity or Capacity()
        self.activity = ActivityLog(clock, capacity)
        self.faults = Faults(self.activity)
        self.rate_limits = RateLimits(clock, enabled=rate_limits)
        self.sockets = SocketModeServer(host, ack_timeout, self.activity)
        self._http_transport = HttpTransport(ack_timeout)
        workspace = Workspace(clock, self.activity, capacity)
        dispatcher = Dispatcher(
            clock=clock, activity=self.activity, transport_for=self._transport_for, workers=workers
        )
        publisher = EventPublisher(workspace, dispatcher, own_events=own_events)
        urls = FileAndResponseUrls(workspace, publisher, self.faults, self.activity)
        super().__init__(workspace, publisher, dispatcher, urls)
        api = WebApi(
            workspace=workspace,
            publisher=publisher,
            faults=self.faults,
            activity=self.activity,
            rate_limits=self.rate_limits,
            sockets=self.sockets,
            base_url=lambda: self.base_url,
        )
        self._http = RoutingServer(host, port, {PREFIX: api.answer, **urls.routes(), **(routes or {})})
        sample_workspace.populate(workspace)

    def start(self) -> Self:
        self._http.start()
        return self

    def stop(self) -> None:
        """Ends every thread and connection; events that wait are not delivered."""
        self.faults.stop()
        self.activity.close()
        self._dispatcher.stop()
        self.sockets.stop()
        self._http.stop()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
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
        return self.activity.calls

    def calls_of(self, method: str) -> tuple[Call, ...]:
        return tuple(call for call in self.activity.calls if call.method == method)

    @property
    def deliveries(self) -> tuple[RecordedDelivery, ...]:
        return self.activity.deliveries

    @property
    def retries_waiting(self) -> int:
        """The number of deliveries that wait for their retry."""
        return self._dispatcher.schedule.waiting

    def tick(self) -> None:
        """Does what is due after a test has moved the clock."""
        self.workspace.end_expired()
        self._dispatcher.schedule.check_clock()

    def thread(self, channel: str, thread_ts: str) -> list[Json]:
        """A thread with its first message, metadata included; empty when there is none."""
        with self.workspace.lock:
            self.workspace.end_expired()
            where = self.workspace.channel(channel).id
            if self.workspace.messages.find(where, thread_ts) is None:
                return []
            messages = self.workspace.messages.thread(where, thread_ts)
            return [self.workspace.messages.shown(where, message, hidden=True) for message in messages]

    def timeline(self, channel: str) -> list[Json]:
        """The messages of a channel without its threads, oldest first, metadata included."""
        with self.workspace.lock:
            self.workspace.end_expired()
            where = self.workspace.channel(channel).id
            messages = self.workspace.messages
            return [messages.shown(where, message, hidden=True) for message in messages.timeline(where)]

    def ephemerals(self, user: str | None = None) -> list[Json]:
        """Ephemeral messages, of one user or of all, oldest first."""
        with self.workspace.lock:
            return [dict(each) for each in self.workspace.ephemerals if user in (None, each["to"])]

    def wait_until(self, predicate: Callable[[], T], timeout: float = 60) -> T:
        """Returns what the predicate returns as soon as it is true, or when the time is over."""
        return self.activity.wait_until(predicate, timeout)

    def subscribe(self, callback: Subscriber) -> Callable[[], None]:
        """Calls back with a record of every change and call; returns a function that unsubscribes."""
        return self.activity.subscribe(callback)

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
        """Delivers any body (bytes as they are), several `times` in parallel, without retries."""
        raw = body if isinstance(body, bytes) else None
        request = OutgoingRequest(
            kind=Kind.EVENT,
            payload={} if isinstance(body, bytes) else body,
            raw=raw,
            content_type=content_type,
            retry_num=retry_num or 0,
            retry_reason=retry_reason or ("http_timeout" if retry_num else ""),
            signature=signature,
        )
        return tuple(self._dispatcher.deliver_once(app or self.app, request) for _ in range(times))

    def verify_url(self, app: App | None = None) -> bool:
        """Sends Slack's `url_verification`; returns whether the app answers with the challenge."""
        challenge = secrets.token_hex(16)
        body = {"token": "local", "type": "url_verification", "challenge": challenge}
        delivery = self.deliver(body, app=app)[0].result()
        try:
            parsed = json.loads(delivery.answer)
        except ValueError:
            parsed = {"challenge": delivery.answer}
        echoed = parsed.get("challenge") if isinstance(parsed, dict) else None
        return delivery.status == 200 and echoed == challenge

    def refresh_sockets(self, reason: str = "refresh_requested", app: App | None = None) -> None:
        """Asks an app to replace its Socket Mode connections, as Slack does every few hours."""
        self.sockets.request_reconnect((app or self.app).app_id, reason)

    def disconnect_sockets(self, app: App | None = None, *, abruptly: bool = False) -> None:
        """Ends an app's Socket Mode connections without notice; `abruptly` without a closing handshake."""
        self.sockets.disconnect((app or self.app).app_id, abruptly=abruptly)

    def _transport_for(self, app: App) -> Transport:
        """Prefers open Socket Mode connections; an app with neither these nor a URL cannot be reached."""
        if self.sockets.count(app.app_id) or not app.request_url:
            return self.sockets
        return self._http_transport
