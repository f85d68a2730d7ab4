"""Reads the request in an event of Lambda: API Gateway's two formats, function URLs, load balancers.

All other events raise RequestRejected: an event of another service, an empty test event, a body that is not
encoded as the event says.
"""

import base64
from collections.abc import Iterator, Mapping
from typing import Any

from slackapp.run.signed_requests import (
    ReceivedRequest,
    RequestRejected,
    received_headers,
)


def received_request(event: Any) -> ReceivedRequest:
    """The request of an event; raises RequestRejected."""
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
    headers = received_headers(_headers(event))
    body, encoded = event.get("body") or "", event.get("isBase64Encoded", False)
    if not isinstance(body, str) or not isinstance(encoded, bool):
        raise RequestRejected(400, "odd_body")
    try:
        content = base64.b64decode(body, validate=True) if encoded else body.encode("utf-8")
    except ValueError:  # also binascii.Error, and half a surrogate pair
        raise RequestRejected(400, "odd_body") from None
    return ReceivedRequest(body=content, headers=headers)


def _headers(event: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
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
