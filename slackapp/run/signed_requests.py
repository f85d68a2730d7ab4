"""Slack's requests over HTTP, judged before anything else sees them: are they Slack's, and can they be read?

The HTTP server and the Lambda function both let requests in here, and so refuse alike. What costs least is
looked at first. Nothing is parsed that Slack has not signed, and Bolt gets only what it can read.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from slack_bolt import BoltRequest
from slack_sdk.signature import SignatureVerifier

MAX_BODY_BYTES = 1024 * 1024
"""More than Slack ever sends."""
SIGNATURE, TIMESTAMP = "x-slack-signature", "x-slack-request-timestamp"
OF_BOLT = "x-slack-bolt-"
_SIGNATURE = re.compile("v0=[0-9a-f]{64}")
_TIMESTAMP = re.compile("[0-9]{1,12}")
UNREADABLE = (ValueError, TypeError, AttributeError, LookupError, RecursionError)
"""What Bolt raises at bodies of all shapes."""


class RequestRejected(Exception):
    """A request that goes no further, with the status that it is answered with."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason

    @property
    def fields(self) -> dict[str, str | int]:
        """For the log; nothing of what was sent."""
        return {"status": self.status, "reason": self.reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A request as it came."""

    body: bytes
    headers: Mapping[str, str]
    """By lower-case name."""


def joined(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Headers by their names; one that came twice has both values, and is no signature any more."""
    found: dict[str, list[str]] = {}
    for name, value in headers:
        found.setdefault(name.lower(), []).append(value)
    return {name: ",".join(values) for name, values in found.items()}


def from_outside(headers: Mapping[str, str]) -> dict[str, str]:
    """Without those by which Bolt talks to itself, so that a caller cannot choose what is run."""
    return {name: value for name, value in headers.items() if not name.startswith(OF_BOLT)}


def admitted(received: Received, secret: Callable[[], str]) -> BoltRequest:
    """The request for Bolt; raises RequestRejected. The secret is asked for only where one is needed."""
    if len(received.body) > MAX_BODY_BYTES:
        raise RequestRejected(413, "too_large")
    timestamp, signature = received.headers.get(TIMESTAMP, ""), received.headers.get(SIGNATURE, "")
    if not _TIMESTAMP.fullmatch(timestamp) or not _SIGNATURE.fullmatch(signature):
        raise RequestRejected(401, "unsigned")
    try:
        text = received.body.decode("utf-8")
    except UnicodeDecodeError:
        raise RequestRejected(400, "not_utf8") from None
    if not SignatureVerifier(secret()).is_valid(text, timestamp, signature):
        raise RequestRejected(401, "wrong_signature")
    return _parsed(text, received.headers)


def _parsed(text: str, headers: Mapping[str, str]) -> BoltRequest:
    given: dict[str, str | Sequence[str]] = dict(headers)
    try:
        request = BoltRequest(body=text, headers=given)
    except UNREADABLE:
        raise RequestRejected(400, "unreadable") from None
    if not isinstance(request.body, dict):
        raise RequestRejected(400, "unreadable")
    return request
