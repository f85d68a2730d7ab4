"""The reply of a backend, in one form for all of them."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    text: str
    source_url: str
    """Empty if no reference has an address."""
    references: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenUsage:
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyFile:
    name: str
    mime_type: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentReply:
    """An agent's whole answer."""

    output: str
    session_id: str | None = None
    """None if the backend did not name it."""
    citations: tuple[Citation, ...] = ()
    trace: dict[str, Any] = field(default_factory=dict)
    usage: TokenUsage | None = None
    files: tuple[ReplyFile, ...] = ()
    return_control: dict[str, Any] | None = None
    """What the caller has to do before the agent can go on."""
    missing: tuple[str, ...] = ()
    """Names of parts that the answer should have and lacks, for the log."""
