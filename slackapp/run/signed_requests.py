"""Reads and verifies Slack's requests over HTTP, before any other code sees them.

The HTTP server and the Lambda function both verify requests here, and so reject the same ones. The cheapest
checks come first. A body is parsed only if Slack has signed it, and Bolt gets only bodies that it can read.
"""

import base64
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slack_bolt import BoltRequest
from slack_sdk.signature import Clock, SignatureVerifier

MAX_BODY_BYTES = 1024 * 1024
"""More than Slack sends."""
SIGNATURE, TIMESTAMP = "x-slack-signature", "x-slack-request-timestamp"
BOLT_HEADERS = "x-slack-bolt-"
_SIGNATURE = re.compile("v0=[0-9a-f]{64}")
_TIMESTAMP = re.compile("[0-9]{1,12}")
BOLT_READS = {"type": str, "event": dict, "command": str, "callback_id": str, "actions": list, "view": dict}
"""Fields of a body whose types Bolt takes for granted."""
UNREADABLE = (ValueError, TypeError, AttributeError, LookupError, RecursionError)
"""What Bolt raises for bodies of unexpected shapes."""


class RequestRejected(Exception):
    """A rejected request, with the status of its answer."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason

    @property
    def fields(self) -> dict[str, str | int]:
        """For the log; without any content of the request."""
        return {"status": self.status, "reason": self.reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedRequest:
    """A request that is not verified yet."""

    body: bytes
    headers: Mapping[str, str]
    """By lower-case name."""


def received_headers(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Headers by their names. One that came twice has both values, so it cannot be a valid signature.

    Those that Bolt sends itself are left out, so that a caller cannot choose which listener runs.
    """
    found: dict[str, list[str]] = {}
    for name, value in headers:
        if not name.lower().startswith(BOLT_HEADERS):
            found.setdefault(name.lower(), []).append(value)
    return {name: ",".join(values) for name, values in found.items()}


def request_of_event(event: Any) -> ReceivedRequest:
    """The request in an event of Lambda: API Gateway's two formats, function URLs, load balancers.

    All other events raise RequestRejected: an event of another service, an empty test event, a body that is
    not encoded as the event says.
    """
    if not isinstance(event, dict):
        raise RequestRejected(400, "no_http_request")
    # Format 2.0 and function URLs have the method in the context; 1.0 and load balancers beside it.
    context = event.get("requestContext")
    http = context.get("http") if isinstance(context, dict) else None
    method = http.get("method") if isinstance(http, dict) else event.get("httpMethod")
    if not isinstance(method, str):
        raise RequestRejected(400, "no_http_request")
    if method != "POST":
        raise RequestRejected(405, "not_post")
    headers = received_headers(_event_headers(event))
    body, encoded = event.get("body") or "", event.get("isBase64Encoded", False)
    if not isinstance(body, str) or not isinstance(encoded, bool):
        raise RequestRejected(400, "odd_body")
    try:
        content = base64.b64decode(body, validate=True) if encoded else body.encode("utf-8")
    except ValueError:  # also binascii.Error, and half a surrogate pair
        raise RequestRejected(400, "odd_body") from None
    return ReceivedRequest(body=content, headers=headers)


def _event_headers(event: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Format 1.0 has all values of each header in `multiValueHeaders`, and the last one in `headers`."""
    every = event.get("multiValueHeaders")
    named = every if isinstance(every, dict) and every else event.get("headers") or {}
    if not isinstance(named, dict):
        raise RequestRejected(400, "odd_headers")
    for name, given in named.items():
        for value in given if isinstance(given, list) else [given]:
            if not isinstance(value, str):
                raise RequestRejected(400, "odd_headers")
            yield name, value


class _TimeOf(Clock):
    """A clock that stands at the time of a request."""

    def __init__(self, timestamp: str) -> None:
        self._seconds = float(timestamp)

    def now(self) -> float:
        return self._seconds


def verified_request(
    received: ReceivedRequest, secret: Callable[[], str], *, is_fresh: bool = True
) -> BoltRequest:
    """The request for Bolt; raises RequestRejected. `secret` is called only if it is needed.

    A request from a queue of our own need not be fresh: it was when it was accepted.
    """
    if len(received.body) > MAX_BODY_BYTES:
        raise RequestRejected(413, "too_large")
    timestamp, signature = received.headers.get(TIMESTAMP, ""), received.headers.get(SIGNATURE, "")
    if not _TIMESTAMP.fullmatch(timestamp) or not _SIGNATURE.fullmatch(signature):
        raise RequestRejected(401, "unsigned")
    try:
        text = received.body.decode("utf-8")
    except UnicodeDecodeError:
        raise RequestRejected(400, "not_utf8") from None
    clock = Clock() if is_fresh else _TimeOf(timestamp)
    if not SignatureVerifier(secret(), clock).is_valid(text, timestamp, signature):
        raise RequestRejected(401, "wrong_signature")
    headers: dict[str, str | Sequence[str]] = dict(received.headers)
    try:
        request = BoltRequest(body=text, headers=headers)
    except UNREADABLE:
        raise RequestRejected(400, "unreadable") from None
    if not _is_readable(request.body):
        raise RequestRejected(400, "unreadable")
    return request


def _is_readable(body: object) -> bool:
    """Whether Bolt can find out which listener a body is for, and not break on the way."""
    if not isinstance(body, dict):
        return False
    if any(not isinstance(body.get(name), kind | None) for name, kind in BOLT_READS.items()):
        return False
    inside = [(body[name], "type") for name in ("event", "view") if name in body]
    if body.get("type") == "block_actions":
        inside.append(((body.get("actions") or [None])[0], "action_id"))
    elif "view" in body:
        inside.append((body["view"], "callback_id"))
    return all(isinstance(value, dict) and isinstance(value.get(name), str) for value, name in inside)
