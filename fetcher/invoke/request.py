"""What callers send: where an event came from, the request that it carries, and the rules for its fields.

Source and payload are two steps, so that an event whose request cannot be read is still answered in the form
that its sender understands.
"""

import base64
import binascii
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from fetcher.invoke.response import InvalidRequest

Payload = dict[str, Any]

AGENT_ID = re.compile("[A-Z0-9]{10}")
SPECIAL_ALIASES = ("TSTALIASID", "DRAFT")
ALIAS_ID = re.compile("|".join([AGENT_ID.pattern, *SPECIAL_ALIASES]))
UUID_V4 = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE)
MAX_INPUT_BYTES = 25_600
TIMEOUTS = range(1, 61)
RETRIES = range(6)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentInvocationRequest:
    """One question to one agent."""

    agent_id: str
    agent_alias_id: str
    input_text: str
    session_id: str | None = None
    timeout: int = 30
    """Seconds, for all attempts together."""
    max_retries: int = 3

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> "AgentInvocationRequest":
        """The request; raises InvalidRequest with every rule that it breaks."""
        if complaints := [rule.complaint for rule in RULES if not rule.accepts(payload)]:
            raise InvalidRequest(" ".join(complaints))
        given = ((rule.attribute, payload.get(rule.field)) for rule in RULES)
        return cls(**{attribute: value for attribute, value in given if value is not None})


class RequestRule(NamedTuple):
    """One of the document's validation rules."""

    field: str
    attribute: str
    required: bool
    is_valid: Callable[[Any], bool]
    expected: str

    @property
    def complaint(self) -> str:
        """The sentence for a caller that breaks the rule."""
        return f"Invalid {self.field} format. Expected {self.expected}."

    def accepts(self, payload: Mapping[str, Any]) -> bool:
        """Whether a payload keeps the rule; null counts as left out."""
        value = payload.get(self.field)
        return self.is_valid(value) if value is not None else not self.required


def _matches(pattern: re.Pattern[str]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


def _is_input(value: Any) -> bool:
    try:
        return isinstance(value, str) and 0 < len(value.encode()) <= MAX_INPUT_BYTES
    except UnicodeEncodeError:  # half a surrogate pair, which JSON can escape and UTF-8 cannot encode
        return False


def _within(numbers: range) -> Callable[[Any], bool]:
    """Booleans are integers to Python, not to JSON."""
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and value in numbers


_ID = "10 uppercase alphanumeric characters"
_ALIAS_ID = f"{_ID}, {' or '.join(SPECIAL_ALIASES)}"
_INPUT = f"non-empty text of at most {MAX_INPUT_BYTES:,} bytes in UTF-8"

RULES = (
    RequestRule("agentId", "agent_id", True, _matches(AGENT_ID), _ID),
    RequestRule("agentAliasId", "agent_alias_id", True, _matches(ALIAS_ID), _ALIAS_ID),
    RequestRule("sessionId", "session_id", False, _matches(UUID_V4), "a UUID v4, or null"),
    RequestRule("inputText", "input_text", True, _is_input, _INPUT),
    RequestRule("timeout", "timeout", False, _within(TIMEOUTS), "an integer from 1 to 60"),
    RequestRule("maxRetries", "max_retries", False, _within(RETRIES), "an integer from 0 to 5"),
)
