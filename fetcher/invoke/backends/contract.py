"""What every backend offers: one call to one agent."""

from dataclasses import dataclass
from typing import Protocol

from fetcher.invoke.reply import AgentReply
from fetcher.invoke.request import AgentInvocationRequest
from fetcher.invoke.time_limit import TimeLimit


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCall:
    """One attempt to have a request answered."""

    request: AgentInvocationRequest
    session_id: str
    request_id: str
    seconds: float
    """The time that is left."""


class Backend(Protocol):
    def invoke(self, call: AgentCall, limit: TimeLimit) -> AgentReply:
        """The agent's answer; raises InvocationFailed."""
