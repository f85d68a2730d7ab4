"""Answers calls of the Web API: checks the caller, applies faults and rate limits, runs the method."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from slackapp.commands.manifest import bot_scopes
from slackapp.playground.activity_log import ActivityLog
from slackapp.playground.errors import ApiRefused
from slackapp.playground.events.publisher import EventPublisher
from slackapp.playground.events.socket_mode import SocketModeServer
from slackapp.playground.http import Reply, Request, json_reply
from slackapp.playground.values import App, Call, Json
from slackapp.playground.webapi.arguments import Arguments, request_token, request_values
from slackapp.playground.webapi.faults import Fault, Faults
from slackapp.playground.webapi.methods.all_methods import METHODS
from slackapp.playground.webapi.methods.context import Context
from slackapp.playground.webapi.rate_limits import RateLimits
from slackapp.playground.workspace.workspace import Workspace

PREFIX = "/api/"
ERRORS = {500: "internal_error", 502: "bad_gateway", 503: "service_unavailable", 429: "ratelimited"}


@dataclass(frozen=True, slots=True, kw_only=True)
class WebApi:
    """Answers `/api/<method>`."""

    workspace: Workspace
    publisher: EventPublisher
    faults: Faults
    activity: ActivityLog
    rate_limits: RateLimits
    sockets: SocketModeServer
    base_url: Callable[[], str]

    def answer(self, request: Request) -> Reply:
        began = time.monotonic()
        name = request.path.removeprefix(PREFIX)
        try:
            values = request_values(request)
        except ApiRefused as refusal:
            return json_reply({"ok": False, "error": refusal.error, **refusal.details})
        token = request_token(request, values)
        with self.workspace.lock:
            apps = tuple(self.publisher.apps.values())
        app = next((app for app in apps if token and token in (app.bot_token, app.app_token)), None)
        arguments = Arguments(values)
        reply, body = self.faults.apply(
            name, arguments.values, lambda fault: self._call(name, app, token, arguments, fault), fault_reply
        )
        self.activity.record_call(
            Call(
                method=name,
                arguments=arguments.values,
                status=0 if reply.dropped else reply.status,
                response=body,
                at=self.workspace.clock.now(),
                seconds=time.monotonic() - began,
                app_id=app.app_id if app else "",
            )
        )
        return reply

    def _call(
        self, name: str, app: App | None, token: str, arguments: Arguments, fault: Fault
    ) -> tuple[Reply, Json]:
        try:
            method = METHODS.get(name)
            if method is None:
                raise ApiRefused("unknown_method", req_method=name)
            if not token:
                raise ApiRefused("not_authed")
            if app is None:
                raise ApiRefused("invalid_auth")
            if app.app_id in self.publisher.uninstalled:
                raise ApiRefused("account_inactive")
            if method.app_token != (token == app.app_token):
                raise ApiRefused("not_allowed_token_type")
            with self.workspace.lock:
                if wait := self.rate_limits.count_call(app.app_id, name, method, arguments.values):
                    return fault_reply(Fault(status=429, retry_after=wait))
                self.workspace.end_expired()
                context = Context(
                    app=app,
                    workspace=self.workspace,
                    publisher=self.publisher,
                    base_url=self.base_url(),
                    sockets=self.sockets,
                    fault=fault,
                )
                context.require_scope(method.scope)
                if method.agents_only and not self.workspace.has_agents:
                    raise ApiRefused("not_authorized")
                body = {"ok": True, **method.run(context, arguments)}
        except ApiRefused as refusal:
            body = {"ok": False, "error": refusal.error, **refusal.details}
        if app is None or token != app.bot_token:
            return json_reply(body), body
        # `slack_bolt/middleware/authorization/internals.py` reads the scopes of a token from this header.
        scopes = ",".join(sorted(bot_scopes() if app.scopes is None else app.scopes))
        return json_reply(body, X_OAuth_Scopes=scopes), body


def fault_reply(fault: Fault) -> tuple[Reply, Json]:
    """The reply that a fault puts in place of the answer."""
    if fault.drop:
        return Reply(dropped=True), {}
    status = fault.status or 200
    if fault.page:
        return Reply(status=status, body=fault.page.encode(), content_type=fault.content_type), {}
    body: Json = {"ok": False, "error": fault.error or ERRORS.get(status, "fatal_error")}
    headers = {} if fault.retry_after is None else {"Retry_After": str(fault.retry_after)}
    return json_reply(body, status, **headers), body
