"""The Web API's door: who calls, what, with what misfortune, and what is answered."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from slackapp.playground.activity_log import ActivityLog
from slackapp.playground.errors import ApiRefused
from slackapp.playground.events.publisher import EventPublisher
from slackapp.playground.http import Reply, Request, json_reply
from slackapp.playground.values import App, Call, Json
from slackapp.playground.webapi import arguments as reading
from slackapp.playground.webapi.arguments import Arguments
from slackapp.playground.webapi.faults import Fault, Faults
from slackapp.playground.webapi.methods.all_methods import METHODS
from slackapp.playground.webapi.methods.context import Context, Method, Tickets
from slackapp.playground.webapi.rate_limits import Rates
from slackapp.playground.workspace.workspace import Workspace

PREFIX = "/api/"
ERRORS = {500: "internal_error", 502: "bad_gateway", 503: "service_unavailable", 429: "ratelimited"}


@dataclass(frozen=True, slots=True, kw_only=True)
class WebApi:
    """Answers `/api/<method>`."""

    workspace: Workspace
    herald: EventPublisher
    faults: Faults
    journal: ActivityLog
    rates: Rates
    sockets: Tickets
    base_url: Callable[[], str]

    def answer(self, request: Request) -> Reply:
        began = time.monotonic()
        name = request.path.removeprefix(PREFIX)
        try:
            values = reading.read(request)
        except ApiRefused as refusal:
            return json_reply(_no(refusal))
        app = self._caller(reading.token(request, values))
        arguments = Arguments(values)
        token = reading.token(request, values)
        reply, body = self.faults.meet(
            name,
            arguments.values,
            lambda fault: self._run(name, app, token, arguments, fault),
            unfortunate,
        )
        self.journal.called(
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

    def _run(
        self, name: str, app: App | None, token: str, arguments: Arguments, fault: Fault
    ) -> tuple[Reply, Json]:
        try:
            method = METHODS.get(name)
            if method is None:
                raise ApiRefused("unknown_method", req_method=name)
            caller = _admitted(app, token, method)
            with self.workspace.lock:
                if wait := self.rates.take(caller.app_id, name, method, arguments.values):
                    return unfortunate(Fault(status=429, retry_after=wait))
                body = {"ok": True, **self._called(method, caller, arguments, fault)}
        except ApiRefused as refusal:
            body = _no(refusal)
        return json_reply(body), body

    def _called(self, method: Method, app: App, arguments: Arguments, fault: Fault) -> Json:
        self.workspace.settle()
        context = Context(
            app=app,
            workspace=self.workspace,
            herald=self.herald,
            base_url=self.base_url(),
            sockets=self.sockets,
            fault=fault,
        )
        context.allow(method.scope)
        return method.run(context, arguments)

    def _caller(self, token: str) -> App | None:
        with self.workspace.lock:
            apps = tuple(self.herald.apps.values())
        return next((app for app in apps if token and token in (app.bot_token, app.app_token)), None)


def _admitted(app: App | None, token: str, method: Method) -> App:
    if not token:
        raise ApiRefused("not_authed")
    if app is None:
        raise ApiRefused("invalid_auth")
    if method.app_token != (token == app.app_token):
        raise ApiRefused("not_allowed_token_type")
    return app


def _no(refusal: ApiRefused) -> Json:
    return {"ok": False, "error": refusal.error, **refusal.details}


def unfortunate(fault: Fault) -> tuple[Reply, Json]:
    """What a caller gets instead of an answer."""
    if fault.drop:
        return Reply(dropped=True), {}
    status = fault.status or 200
    body: Json = {"ok": False, "error": fault.error or ERRORS.get(status, "fatal_error")}
    headers = {} if fault.retry_after is None else {"Retry_After": str(fault.retry_after)}
    return json_reply(body, status, **headers), body
