"""The app on AWS Lambda: `handler` takes what Slack sends, `sweep` runs on a schedule.

Slack is acknowledged first; the answer is a second, asynchronous invocation of the same function, which Bolt
asks for. Nothing of what answers is imported before that, not even the settings: a mistake in them fails the
second invocation, where AWS tries again and then tells.
"""

import base64
import binascii
import logging
import os
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import TYPE_CHECKING, Any

from slack_bolt.adapter.aws_lambda import SlackRequestHandler

from fetcher import logs
from fetcher.parameters import with_parameters
from slackapp import PACKAGES
from slackapp.app import Credentials, build_app
from slackapp.running import Workshop

if TYPE_CHECKING:
    from slackapp.handle import Handler

logs.to_stream(logging.INFO, packages=PACKAGES)
log = logging.getLogger(__name__)

Event = dict[str, Any]


SECOND = "NONE"
"""What Bolt names as the method of a second invocation, where nobody can who sends a request."""


@cache
def _environ() -> dict[str, str]:
    return with_parameters(os.environ)


def _credential(variable: str) -> str:
    value = _environ().get(variable, "").strip()
    if not value:  # an empty secret would be anybody's
        from fetcher.settings import ConfigurationError

        raise ConfigurationError(f"Configuration error: {variable} is not set")
    return value


@cache
def _requests() -> SlackRequestHandler:
    credentials = Credentials(
        bot_token=_credential("SLACK_BOT_TOKEN"), signing_secret=_credential("SLACK_SIGNING_SECRET")
    )
    return SlackRequestHandler(build_app(credentials, _desk, on_lambda=True))


@cache
def _workshop() -> Workshop:
    from slackapp import settings

    return Workshop(settings.load(_environ()), environ=_environ())


def _desk() -> "Handler":
    return _workshop().desk()


def handler(event: Event, context: Any) -> Event:
    """A request of Slack's, or one that we have asked for ourselves."""
    try:
        readable = _readable(event)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        log.warning("unreadable_request", extra={"fields": {"error": type(error).__name__}})
        return {"statusCode": 400, "body": "", "headers": {}}
    if readable.get("method") == SECOND:
        _desk()  # what is wrong with it Bolt would keep to itself
    response: Event = _requests().handle(readable, context)  # type: ignore[no-untyped-call]
    return response


def sweep(_event: Event, _context: Any) -> None:
    """Runs to its end what other invocations left behind."""
    from slackapp import sweep as sweeping

    with ThreadPoolExecutor(sweeping.AT_ONCE) as pool:
        wait(sweeping.sweep(_desk(), pool))


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
