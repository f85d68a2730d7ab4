"""How a request gets from the function that acknowledges to the one that answers: through a queue.

Slack is answered 200 only after the queue has taken the request. Questions have a queue of their own, so that
a stop or a rating does not wait behind answers that are under way.
"""

import base64
import json
import logging
import time
import zlib
from collections.abc import Callable, Mapping
from typing import Any

from slack_bolt import BoltRequest
from slack_bolt.kwargs_injection import build_required_kwargs
from slack_bolt.lazy_listener import LazyListenerRunner
from slack_bolt.util.utils import get_arg_names_of_callable

from fetcher.aws import AwsFailed, call_until, open_client, translating
from slackapp.listeners.registration import QUESTION
from slackapp.run.signed_requests import MAX_BODY_BYTES, ReceivedRequest, RequestRejected

log = logging.getLogger(__name__)

QUEUES = ("QUESTION_QUEUE", "REQUEST_QUEUE")
"""The variables with the URLs of the queues."""
CONNECT_SECONDS, READ_SECONDS = 0.2, 0.6
SECONDS = 0.8
"""How long a request that the queue did not take is sent again; Slack waits three seconds for everything."""
RECEIVED, FAILURE, HANDLED = "received", "failure", "handled"
"""Where a context has the request as it came, the error that it ended with, and that it was handled."""
LARGEST_PLAIN = 256 * 1024
"""A longer message is compressed. SQS takes 1 MiB, and a request of that size grows when it is quoted."""
LARGEST_UNPACKED = 8 * MAX_BODY_BYTES
"""A character may take six bytes where it is quoted, and so may every header."""
GZIP = 31
"""zlib's name for the format, so that operators can read such a message: `base64 -d | gunzip`."""
FIRST_PAUSE, LONGEST_PAUSE = 60, 900
"""Seconds before a failed request comes back; twice as long after each failure."""


class NotHandedOver(Exception):
    """No queue took the request."""


class Queues:
    """The two queues of work; the client is opened by the first call."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._questions, self._requests = (environ.get(variable, "") for variable in QUEUES)
        self._client: Any = None

    def open(self) -> Any:
        """The client, for a sandbox that should be ready before its first request."""
        if self._client is None:
            self._client = open_client("sqs", "", read_seconds=READ_SECONDS, connect_seconds=CONNECT_SECONDS)
        return self._client

    def send(self, received: ReceivedRequest, listener: str) -> None:
        """Hand a request over to a listener of Bolt; raises NotHandedOver."""
        headers = {"x-slack-bolt-lazy-only": "1", "x-slack-bolt-lazy-function-name": listener}
        content = {"headers": {**received.headers, **headers}, "body": received.body.decode("utf-8")}
        message = json.dumps(content)  # in ASCII: SQS refuses some characters of UTF-8
        if len(message) > LARGEST_PLAIN:
            message = base64.b64encode(zlib.compress(message.encode(), wbits=GZIP)).decode()
        url, until = self._questions if listener == QUESTION else self._requests, time.monotonic() + SECONDS
        try:
            with translating():
                client = self.open()
            call_until(until, client.send_message, QueueUrl=url, MessageBody=message)
        except AwsFailed as error:
            log.error("not_handed_over", extra={"fields": {"error": error.name}})
            raise NotHandedOver(error.name) from error

    def delay(self, record: Mapping[str, Any], receipts: int) -> None:
        """Have a failed request come back sooner than after the queue's own time."""
        is_question = str(record["eventSourceARN"]).endswith(self._questions.rsplit("/", 1)[-1])
        seconds = min(FIRST_PAUSE * 2 ** (receipts - 1), LONGEST_PAUSE)
        try:
            with translating():
                self.open().change_message_visibility(
                    QueueUrl=self._questions if is_question else self._requests,
                    ReceiptHandle=record["receiptHandle"],
                    VisibilityTimeout=seconds,
                )
        except AwsFailed as error:
            log.warning("request_not_delayed", extra={"fields": {"error": error.name}})


def queued_request(message: str) -> ReceivedRequest:
    """The request in a message of a queue; raises RequestRejected."""
    try:
        if not message.startswith("{"):
            unpacking = zlib.decompressobj(GZIP)
            message = unpacking.decompress(
                base64.b64decode(message, validate=True), LARGEST_UNPACKED
            ).decode()
        content = json.loads(message)
        return ReceivedRequest(body=content["body"].encode("utf-8"), headers=content["headers"])
    except (ValueError, TypeError, LookupError, AttributeError, zlib.error):
        raise RequestRejected(400, "unreadable") from None


class HandOver(LazyListenerRunner):
    """Hands Bolt's lazy functions over where a request arrives, and runs them where it was handed to."""

    def __init__(self, queues: Queues) -> None:
        self.logger = log
        self._queues = queues

    def start(self, function: Callable[..., None], request: BoltRequest) -> None:
        self._queues.send(request.context[RECEIVED], str(request.lazy_function_name))

    def run(self, function: Callable[..., None], request: BoltRequest) -> None:
        """Run a lazy function. Bolt would only log its error; the invocation has to fail with it."""
        request.context[HANDLED] = True
        try:
            function(
                **build_required_kwargs(
                    logger=self.logger,
                    required_arg_names=get_arg_names_of_callable(function),
                    request=request,
                    response=None,
                    this_func=function,
                )
            )
        except Exception as error:  # noqa: BLE001 - raised again by the function's handler
            request.context[FAILURE] = error
