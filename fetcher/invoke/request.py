"""The AgentInvocationRequest of the document, and the rules for its fields."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from fetcher.invoke.errors import InvalidRequest

AGENT_ID = re.compile("[A-Z0-9]{10}")
SPECIAL_ALIASES = ("TSTALIASID", "DRAFT")
ALIAS_ID = re.compile("|".join([AGENT_ID.pattern, *SPECIAL_ALIASES]))
UUID_V4 = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE)
MAX_INPUT_BYTES = 25_600
TIMEOUTS = range(1, 61)
RETRIES = range(6)


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
