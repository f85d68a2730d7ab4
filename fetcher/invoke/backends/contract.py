"""The seam behind which agents stand."""

from dataclasses import dataclass
from typing import Protocol

from fetcher.invoke.reply import Reply
from fetcher.invoke.request import AgentInvocationRequest
from fetcher.invoke.time_limit import Leash


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One attempt to have a request answered."""

    request: AgentInvocationRequest
    session_id: str
    request_id: str
    seconds: float
    """The time that is left."""


class Backend(Protocol):
    def invoke(self, call: Call, leash: Leash) -> Reply:
        """The agent's answer; raises InvocationFailed."""
