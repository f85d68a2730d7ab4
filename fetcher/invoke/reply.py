"""What a backend gives back, whichever it is."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    text: str
    source_url: str
    """Empty where no reference has an address."""
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
    """None where the backend did not say it."""
    citations: tuple[Citation, ...] = ()
    trace: dict[str, Any] = field(default_factory=dict)
    usage: TokenUsage | None = None
    files: tuple[ReplyFile, ...] = ()
    return_control: dict[str, Any] | None = None
    """What the agent asks its caller to do before it can go on."""
    missing: tuple[str, ...] = ()
    """What the answer should have had and has not, for the log."""
