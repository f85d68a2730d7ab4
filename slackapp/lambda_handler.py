"""The app on AWS Lambda: `handler` receives Slack's requests, `sweep` runs on a schedule.

Slack is acknowledged first; the answer is a second, asynchronous invocation of the same function, which Bolt
starts. The modules that answer, and the settings, are imported only there: a mistake in the settings fails
the second invocation, which AWS tries again and then reports.
"""

import logging
import os
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import TYPE_CHECKING, Any

from slack_bolt import App
from slack_bolt.adapter.aws_lambda import SlackRequestHandler
from slack_bolt.adapter.aws_lambda.handler import to_aws_response

from fetcher import logs
from fetcher.parameters import with_parameters
from slackapp import PACKAGES
from slackapp.app import Credentials, build_app
from slackapp.run import lambda_event
from slackapp.run.signed_requests import RequestRejected, verified_request
from slackapp.run.wiring import LazyHandler

if TYPE_CHECKING:
    from slackapp.work.handler import QuestionHandler

logs.to_stream(logging.INFO, packages=PACKAGES)
log = logging.getLogger(__name__)

Event = dict[str, Any]


@cache
def _environ() -> dict[str, str]:
    return with_parameters(os.environ)


def _credential(variable: str) -> str:
    value = _environ().get(variable, "").strip()
    if not value:  # anybody could sign with an empty secret
        from fetcher.settings import ConfigurationError

        raise ConfigurationError(f"Configuration error: {variable} is not set")
    return value


@cache
def _app() -> App:
    credentials = Credentials(
        bot_token=_credential("SLACK_BOT_TOKEN"), signing_secret=_credential("SLACK_SIGNING_SECRET")
    )
    app = build_app(credentials, _get_handler, on_lambda=True)
    SlackRequestHandler(app)  # makes the app run lazy listeners in a second invocation
    return app


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
    request.context["aws_lambda_function_name"] = context.function_name
    request.context["aws_lambda_invoked_function_arn"] = context.invoked_function_arn
    request.context["lambda_request"] = lambda_event.second_event(received)
    response: Event = to_aws_response(_app().dispatch(request))
    return response


def sweep(_event: Event, _context: Any) -> None:
    """Run to their end the claims that other invocations left behind."""
    from slackapp.work import sweep as sweeping

    with ThreadPoolExecutor(sweeping.AT_ONCE) as pool:
        wait(sweeping.sweep(_get_handler(), pool))
