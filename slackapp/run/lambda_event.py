"""From an event of Lambda's to the request in it: API Gateway's two formats, function URLs, load balancers.

Whatever is no request of Slack's raises RequestRejected: an event of another service, an empty test event, a
body that is not what the event says it is.
"""

import base64
from collections.abc import Iterator, Mapping
from typing import Any

from slackapp.run.signed_requests import Received, RequestRejected, from_outside, joined

SECOND = "NONE"
"""What Bolt writes into an event's `method` to ask for the second invocation; no caller can put it there."""


def received(event: Any) -> Received:
    """The request; raises RequestRejected."""
    if not isinstance(event, dict) or not isinstance(method := _method(event), str):
        raise RequestRejected(400, "no_http_request")
    if method != "POST":
        raise RequestRejected(405, "not_post")
    headers = joined(_headers(event))
    return Received(body=_body(event), headers=headers if is_second(event) else from_outside(headers))


def is_second(event: Mapping[str, Any]) -> bool:
    """Whether it is we who have asked for this invocation."""
    return event.get("method") == SECOND


def to_repeat(request: Received) -> dict[str, Any]:
    """The event that the second invocation is sent, once Bolt has said in it what is to be run."""
    return {
        "requestContext": {"http": {"method": "POST"}},
        "headers": dict(request.headers),
        "body": request.body.decode("utf-8"),
        "isBase64Encoded": False,
    }


def _method(event: Mapping[str, Any]) -> Any:
    """Where format 2.0 and function URLs have it, else where 1.0 and load balancers have it."""
    context = event.get("requestContext")
    http = context.get("http") if isinstance(context, dict) else None
    return http.get("method") if isinstance(http, dict) else event.get("httpMethod")


def _headers(event: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Format 1.0 has the last value of each header, and besides all of them."""
    every = event.get("multiValueHeaders")
    named = every if isinstance(every, dict) and every else event.get("headers") or {}
    if not isinstance(named, dict):
        raise RequestRejected(400, "odd_headers")
    for name, given in named.items():
        for value in given if isinstance(given, list) else [given]:
            if not isinstance(value, str):
                raise RequestRejected(400, "odd_headers")
            yield name, value


def _body(event: Mapping[str, Any]) -> bytes:
    body, encoded = event.get("body") or "", event.get("isBase64Encoded", False)
    if not isinstance(body, str) or not isinstance(encoded, bool):
        raise RequestRejected(400, "odd_body")
    try:
        return base64.b64decode(body, validate=True) if encoded else body.encode("utf-8")
    except ValueError:  # also binascii.Error, and half a surrogate pair
        raise RequestRejected(400, "odd_body") from None
