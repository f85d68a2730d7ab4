"""The app on AWS Lambda: `handler` acknowledges what Slack sends, `answer` handles it, `sweep` runs on a
schedule.

Slack is acknowledged when a queue has taken the request. `answer` reads the queue. The modules that answer,
and the settings, are imported only there: a mistake in the settings fails `answer`, and the queue delivers
the request again.
"""

import logging
import os
from functools import cache
from typing import TYPE_CHECKING, Any

from slack_bolt import App, BoltRequest

from fetcher import logs
from fetcher.startup.parameters import SecretEnvironment
from slackapp import PACKAGES, wording
from slackapp.app import Credentials, build_app
from slackapp.codes import RefusalCode
from slackapp.listeners.incoming import emoji_name
from slackapp.run.hand_over import FAILURE, HANDLED, RECEIVED, HandOver, Queues, queued_request
from slackapp.run.signed_requests import (
    ReceivedRequest,
    RequestRejected,
    request_of_event,
    verified_request,
)
from slackapp.run.wiring import LazyHandler

if TYPE_CHECKING:
    from collections.abc import Mapping

    from slackapp.listeners.request_handler import GetRequestHandler, RequestHandler
    from slackapp.work.handler import QuestionHandler

logs.to_stream(logging.INFO, packages=PACKAGES)
log = logging.getLogger(__name__)

Event = dict[str, Any]

ACKNOWLEDGING, ANSWERING = 1.5, 6.0
"""Seconds for reading secrets. Slack waits three seconds for its acknowledgement, a cold start included."""
SECRET, TOKEN = "SLACK_SIGNING_SECRET", "SLACK_BOT_TOKEN"
LAST_RECEIPT = 8
"""How often the queues deliver a request; `serverless.yml` has the same number."""
RUN_SECONDS = 600
"""The most that answering one question takes; `serverless.yml` has the same number."""


class NotAcknowledged(Exception):
    """A request could not be handed over; the log says why."""


class RequestNotHandled(Exception):
    """No listener took a request that was handed over: another version of the app has sent it."""


@cache
def _secrets(seconds: float) -> SecretEnvironment:
    return SecretEnvironment(os.environ, seconds=seconds)


@cache
def _queues() -> Queues:
    return Queues(os.environ)


def handler(event: Any, _context: Any) -> Event:
    """Check a request of Slack, hand it over and acknowledge it; all others are rejected."""
    try:
        received = request_of_event(event)
        request = _verified(received, _secrets(ACKNOWLEDGING))
    except RequestRejected as rejected:
        log.warning("request_rejected", extra={"fields": rejected.fields})
        return {"statusCode": rejected.status, "body": "", "headers": {}}
    request.context[RECEIVED] = received
    response = _acknowledging().dispatch(request)
    if response.status >= 500:
        # Slack does not repeat a command. It repeats events, and says itself that a click had no effect; the
        # function has failed then, and its alarm goes off.
        if "command" not in request.body:
            raise NotAcknowledged(str(response.status))
        response = request.context.ack(
            text=wording.refusal(RefusalCode.STORE_UNAVAILABLE), response_type="ephemeral"
        )
    return {"statusCode": response.status, "body": response.body, "headers": response.first_headers()}


def answer(event: Event, _context: Any) -> None:
    """Handle a request that was handed over. If it fails, the queue delivers it again; if the store still
    refuses the last time, the asker is told."""
    (record,) = event["Records"]  # one at a time: what fails fails alone
    receipts = int(record["attributes"]["ApproximateReceiveCount"])
    try:
        request = _verified(queued_request(record["body"]), _secrets(ANSWERING), is_fresh=False)
        _answering().is_last = receipts >= LAST_RECEIPT
        _answering().get()  # raises here what Bolt would only log
        _answering().app.dispatch(request)
        if FAILURE in request.context:
            raise request.context[FAILURE]
        if HANDLED not in request.context:
            raise RequestNotHandled(request.lazy_function_name)
    except Exception:
        _queues().delay(record, receipts)
        raise


def sweep(_event: Event, context: Any) -> None:
    """Run to their end the claims that other invocations left behind, while there is time for another one."""
    from slackapp.work import sweep as sweeping

    sweeping.sweep_while(
        _answering().get(), lambda: context.get_remaining_time_in_millis() > RUN_SECONDS * 1000
    )


def _verified(received: ReceivedRequest, secrets: SecretEnvironment, *, is_fresh: bool = True) -> BoltRequest:
    """The request, if Slack has signed it; raises RequestRejected.

    If the signature does not fit, the secret may have been changed, and is read again.
    """
    try:
        return verified_request(received, lambda: _credential(secrets.current(), SECRET), is_fresh=is_fresh)
    except RequestRejected as rejected:
        if rejected.reason != "wrong_signature":
            raise
    return verified_request(received, lambda: _credential(secrets.renewed(), SECRET), is_fresh=is_fresh)


def _credential(environ: "Mapping[str, str]", variable: str) -> str:
    value = environ.get(variable, "").strip()
    if not value:  # anybody could sign with an empty secret
        from fetcher.settings import ConfigurationError

        raise ConfigurationError(f"Configuration error: {variable} is not set")
    return value


def _build_app(get_handler: "GetRequestHandler") -> App:
    """An app without secrets: requests were verified before, and the handler has a client of its own."""
    reaction = emoji_name(os.environ.get("READ_REACTION", ""))
    credentials = Credentials(bot_token="", signing_secret="", read_reaction=reaction)
    app = build_app(credentials, get_handler, on_lambda=True)
    app.listener_runner.lazy_listener_runner = HandOver(_queues())
    return app


@cache
def _acknowledging() -> App:
    return _build_app(lambda: _answering().get())


class Answering:
    """What answers in this sandbox; it is built anew when a secret has changed."""

    is_last = False
    """Whether the queue delivers the present request for the last time."""

    def __init__(self) -> None:
        self.app = _build_app(self._chosen)
        self._environ: dict[str, str] = {}
        self._lazy: LazyHandler | None = None

    def get(self) -> "QuestionHandler":
        """The handler; raises ConfigurationError."""
        environ = dict(_secrets(ANSWERING).current())
        if self._lazy is None or environ != self._environ:
            from slackapp import settings

            _credential(environ, TOKEN)
            if self._lazy is not None:
                self._lazy.interrupt()
                self._lazy.close()
            self._lazy = LazyHandler(
                settings.load(environ, settings.ON_LAMBDA),
                environ=environ,
                renew_token=lambda: _credential(_secrets(ANSWERING).renewed(), TOKEN),
            )
            self._environ = environ
        return self._lazy.get()

    def _chosen(self) -> "RequestHandler":
        from slackapp.work.handler import LastChance

        return LastChance(self.get()) if self.is_last else self.get()


@cache
def _answering() -> Answering:
    return Answering()


def prepare() -> None:
    """Load what the first request would load, and read its secret, in a sandbox that is kept ready."""
    from fetcher.settings import ConfigurationError

    _acknowledging()
    try:
        _queues().open()
        _secrets(ACKNOWLEDGING).current()
    except ConfigurationError as error:  # the first request tries again
        log.warning("not_prepared", extra={"fields": {"error": str(error)}})


if os.environ.get("AWS_LAMBDA_INITIALIZATION_TYPE") == "provisioned-concurrency":
    prepare()
