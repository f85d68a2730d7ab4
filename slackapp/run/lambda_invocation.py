"""The second invocation: how it is asked for, and how it fails.

Slack is answered 200 only after AWS has accepted the asynchronous invocation. In every other case the error
leaves Bolt as a 500, and Slack delivers the event again.
"""

import json
import logging
from collections.abc import Callable
from typing import Any

from slack_bolt import BoltRequest
from slack_bolt.kwargs_injection import build_required_kwargs
from slack_bolt.lazy_listener import LazyListenerRunner
from slack_bolt.util.utils import get_arg_names_of_callable

ACCEPTED = 202
CONNECT_SECONDS, READ_SECONDS = 0.5, 1.5
"""Slack waits three seconds, and repeats: one try is enough."""
FAILURE = "failure"
"""Where the request's context has the error of a second invocation."""


class InvocationRefused(Exception):
    """AWS did not accept the second invocation."""


class SecondInvocation(LazyListenerRunner):
    """Starts lazy functions in an asynchronous invocation of the same function, and runs them there."""

    def __init__(self) -> None:
        self.logger = logging.getLogger(__name__)
        self._client: Any = None

    def start(self, function: Callable[..., None], request: BoltRequest) -> None:
        if self._client is None:
            import boto3  # type: ignore[import-untyped]
            from botocore.config import Config  # type: ignore[import-untyped]

            config = Config(
                connect_timeout=CONNECT_SECONDS,
                read_timeout=READ_SECONDS,
                retries={"mode": "standard", "total_max_attempts": 1},
            )
            self._client = boto3.client("lambda", config=config)
        event = dict(request.context["lambda_request"])
        lazy = {"x-slack-bolt-lazy-only": "1", "x-slack-bolt-lazy-function-name": request.lazy_function_name}
        answer = self._client.invoke(
            FunctionName=request.context["aws_lambda_invoked_function_arn"],
            InvocationType="Event",
            Payload=json.dumps(event | {"method": "NONE", "headers": event["headers"] | lazy}),
        )
        if answer.get("StatusCode") != ACCEPTED:
            raise InvocationRefused(str(answer.get("StatusCode")))

    def run(self, function: Callable[..., None], request: BoltRequest) -> None:
        """Run a lazy function. Bolt would only log its error; the invocation has to fail with it."""
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
