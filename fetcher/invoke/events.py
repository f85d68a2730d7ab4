"""Where an event came from, and the request that it carries.

These are two steps, so that an event whose request cannot be read is still answered in the form that its
sender understands.
"""

import base64
import binascii
import json
from enum import StrEnum
from typing import Any

from fetcher.invoke.errors import InvalidRequest

Payload = dict[str, Any]


class EventSource(StrEnum):
    DIRECT = "direct"
    API_GATEWAY_V1 = "api_gateway_v1"
    API_GATEWAY_V2 = "api_gateway_v2"
    FUNCTION_URL = "function_url"
    EVENTBRIDGE = "eventbridge"


HTTP = frozenset({EventSource.API_GATEWAY_V1, EventSource.API_GATEWAY_V2, EventSource.FUNCTION_URL})
"""Sources that are answered with a status, headers and a body."""

LONGEST_SECONDS = {
    EventSource.DIRECT: 60.0,
    EventSource.API_GATEWAY_V1: 28.0,
    EventSource.API_GATEWAY_V2: 29.0,
    EventSource.FUNCTION_URL: 60.0,
    EventSource.EVENTBRIDGE: 60.0,
}
"""How long the source waits, less a second for the answer: API Gateway gives up after 29 and 30 seconds."""

SHAPES = (
    "Send the request as the event itself, as the JSON body of an API Gateway or Function URL request, "
    "or as the detail of an EventBridge event."
)
FIELDS = "Send a JSON object with agentId, agentAliasId and inputText."


def source_of(event: Any) -> EventSource:
    """Who sent the event; an unknown kind counts as direct."""
    if not isinstance(event, dict) or "agentId" in event:
        return EventSource.DIRECT
    if isinstance(request_context := event.get("requestContext"), dict):
        if "http" not in request_context:  # only payload format 2.0 has it
            return EventSource.API_GATEWAY_V1
        function_url = ".lambda-url." in str(request_context.get("domainName", ""))
        return EventSource.FUNCTION_URL if function_url else EventSource.API_GATEWAY_V2
    if "body" in event:
        return EventSource.API_GATEWAY_V1
    return EventSource.EVENTBRIDGE if "detail" in event else EventSource.DIRECT


def payload_of(event: Any, source: EventSource) -> Payload:
    """The request as it was sent; raises InvalidRequest."""
    if source in HTTP:
        payload, name = _body_of(event), "request body"
    elif source is EventSource.EVENTBRIDGE:
        payload, name = event["detail"], "event's detail"
    elif not isinstance(event, dict):
        raise InvalidRequest(f"The event is not a JSON object. {SHAPES}")
    elif "Records" in event and "agentId" not in event:
        raise InvalidRequest(f"Events with Records are not supported. {SHAPES}")
    else:
        return event
    if not isinstance(payload, dict):
        raise InvalidRequest(f"The {name} is not a JSON object. {FIELDS}")
    return payload


def _body_of(event: Payload) -> Any:
    """The JSON in an HTTP request's body; raises InvalidRequest."""
    body = event.get("body")
    if body is None or body == "":
        raise InvalidRequest(f"The request body is empty. {FIELDS}")
    if not isinstance(body, str):
        raise InvalidRequest("The request body is not text.")
    try:
        text = base64.b64decode(body, validate=True).decode() if event.get("isBase64Encoded") else body
    except UnicodeDecodeError:
        raise InvalidRequest("The request body is not UTF-8.") from None
    except (binascii.Error, ValueError):
        raise InvalidRequest("The request body is marked as Base64 and is not.") from None
    try:
        return json.loads(text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}"))
    except (ValueError, RecursionError):  # the parser's own message would quote the caller's text
        raise InvalidRequest(f"The request body is not valid JSON. {FIELDS}") from None
