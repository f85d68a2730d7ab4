"""The app on AWS Lambda: `handler` receives Slack's requests, `sweep` runs on a schedule, `recover` reads the
queue of requests that AWS gave up.

Slack is acknowledged when AWS has accepted the second, asynchronous invocation of the same function, which
answers. The modules that answer, and the settings, are imported only there: a mistake in the settings fails
the second invocation, which AWS tries again and then puts into the queue.
"""

import json
import logging
import os
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import TYPE_CHECKING, Any

from slack_bolt import App, BoltRequest

from fetcher import logs
from fetcher.parameters import with_parameters
from slackapp import PACKAGES
from slackapp.app import Credentials, build_app
from slackapp.listeners.incoming import emoji_name
from slackapp.run import lambda_event
from slackapp.run.lambda_invocation import FAILURE, SecondInvocation
from slackapp.run.signed_requests import RequestRejected, verified_request
from slackapp.run.wiring import LazyHandler

if TYPE_CHECKING:
    from slackapp.listeners.request_handler import GetRequestHandler
    from slackapp.work.handler import QuestionHandler

logs.to_stream(logging.INFO, packages=PACKAGES)
log = logging.getLogger(__name__)

Event = dict[str, Any]

LAST_RECEIPT = 4
"""How often a request of the queue is tried; `serverless.yml` has the same number."""


@cache
def _environ() -> dict[str, str]:
    return with_parameters(os.environ)


def _credential(variable: str) -> str:
    value = _environ().get(variable, "").strip()
    if not value:  # anybody could sign with an empty secret
        from fetcher.settings import ConfigurationError

        raise ConfigurationError(f"Configuration error: {variable} is not set")
    return value


def _build_app(get_handler: "GetRequestHandler", *, is_verified: bool = False) -> App:
    credentials = Credentials(
        bot_token=_credential("SLACK_BOT_TOKEN"),
        signing_secret=_credential("SLACK_SIGNING_SECRET"),
        read_reaction=emoji_name(_environ().get("READ_REACTION", "")),
    )
    app = build_app(credentials, get_handler, on_lambda=True, is_verified=is_verified)
    app.listener_runner.lazy_listener_runner = SecondInvocation()
    return app


@cache
def _app() -> App:
    return _build_app(_get_handler)


@cache
def _lazy_handler() -> LazyHandler:
    from slackapp import settings

    return LazyHandler(settings.load(_environ()), environ=_environ())


def _get_handler() -> "QuestionHandler":
    return _lazy_handler().get()


def handler(event: Any, context: Any) -> Event:
    """Handle a request of Slack, or the app's own second invocation; all others are rejected."""
    try:
        received = lambda_event.received_request(event)
        request = verified_request(received, lambda: _credential("SLACK_SIGNING_SECRET"))
    except RequestRejected as rejected:
        log.warning("request_rejected", extra={"fields": rejected.fields})
        return {"statusCode": rejected.status, "body": "", "headers": {}}
    if lambda_event.is_second(event):
        _get_handler()  # raises here what Bolt would only log
    request.context["aws_lambda_invoked_function_arn"] = context.invoked_function_arn
    request.context["lambda_request"] = lambda_event.second_event(received)
    return _dispatch(_app(), request)


def _dispatch(app: App, request: BoltRequest) -> Event:
    """The answer to Slack; raises what failed a second invocation, so that AWS tries it again."""
    response = app.dispatch(request)
    if FAILURE in request.context:
        raise request.context[FAILURE]
    return {"statusCode": response.status, "body": response.body, "headers": response.first_headers()}


def sweep(_event: Event, _context: Any) -> None:
    """Run to their end the claims that other invocations left behind."""
    from slackapp.work import sweep as sweeping

    with ThreadPoolExecutor(sweeping.AT_ONCE) as pool:
        wait(sweeping.sweep(_get_handler(), pool))


def recover(event: Event, _context: Any) -> None:
    """Run second invocations that AWS gave up, because they failed or grew too old: claim each, or tell.

    The record of the queue is one that Lambda's failure destination has written. If it fails here, AWS
    delivers it again; if the store still refuses the last time, the asker is told.
    """
    from slackapp.work.last_chance import LastChance

    (record,) = event["Records"]  # one at a time: what fails fails alone
    try:
        received = lambda_event.received_request(json.loads(record["body"])["requestPayload"])
        request = verified_request(received, lambda: _credential("SLACK_SIGNING_SECRET"), is_fresh=False)
    except RequestRejected as rejected:
        log.error("request_rejected", extra={"fields": rejected.fields})
        return
    is_last = int(record["attributes"]["ApproximateReceiveCount"]) >= LAST_RECEIPT
    chance = LastChance(_get_handler(), is_last=is_last)
    _dispatch(_build_app(lambda: chance, is_verified=True), request)
