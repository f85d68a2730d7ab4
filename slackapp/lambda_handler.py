"""The app on AWS Lambda: `handler` takes what Slack sends, `sweep` runs on a schedule.

Slack is acknowledged first; the answer is a second, asynchronous invocation of the same function, which Bolt
asks for. Nothing of what answers is imported before that.
"""

import base64
import binascii
import logging
import os
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import Any

from slack_bolt.adapter.aws_lambda import SlackRequestHandler

from fetcher import logs
from fetcher.parameters import with_parameters
from fetcher.settings import ConfigurationError
from slackapp import PACKAGES, settings
from slackapp.app import build_app
from slackapp.running import Workshop

logs.to_stream(logging.INFO, packages=PACKAGES)
log = logging.getLogger(__name__)

Event = dict[str, Any]


@cache
def _workshop() -> Workshop:
    environ = with_parameters(os.environ)
    chosen = settings.load(environ)
    for name in ("slack_bot_token", "slack_signing_secret"):
        if not getattr(chosen, name).get_secret_value():  # an empty secret would be anybody's
            raise ConfigurationError(f"Configuration error: {name.upper()} is not set")
    return Workshop(chosen, environ=environ)


@cache
def _requests() -> SlackRequestHandler:
    workshop = _workshop()
    return SlackRequestHandler(build_app(workshop.settings, workshop.desk, on_lambda=True))


def handler(event: Event, context: Any) -> Event:
    """A request of Slack's, or one that we have asked for ourselves."""
    try:
        readable = _readable(event)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        log.warning("unreadable_request", extra={"fields": {"error": type(error).__name__}})
        return {"statusCode": 400, "body": "", "headers": {}}
    response: Event = _requests().handle(readable, context)  # type: ignore[no-untyped-call]
    return response


def sweep(_event: Event, _context: Any) -> None:
    """Runs to its end what other invocations left behind."""
    from slackapp import sweep as sweeping

    with ThreadPoolExecutor(sweeping.AT_ONCE) as pool:
        wait(sweeping.sweep(_workshop().desk(), pool))


def _readable(event: Event) -> Event:
    """The event with its body as text that Bolt can parse; raises where it cannot."""
    from slack_bolt.request.internals import parse_body

    body = event.get("body") or ""
    if event.get("isBase64Encoded"):
        try:
            body = base64.b64decode(body, validate=True).decode("utf-8")
        except binascii.Error as error:
            raise ValueError("not base64") from error
    headers = {str(name).lower(): value for name, value in event["headers"].items()}
    parsed = parse_body(body, headers.get("content-type"))
    if not isinstance(parsed, dict):
        raise TypeError("not an object")
    return event | {"body": body, "headers": headers, "isBase64Encoded": False}
