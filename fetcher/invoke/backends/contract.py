"""What every backend offers: one call to one agent, which is given up when its time is over.

Timeouts of an HTTP client hold for one read: a stream that drips, or that stalls late, outlives them. So a
call runs in a thread of its own, and its caller stops waiting when the time is up. The backend attaches a way
to stop it, which is used then, so that the thread ends too and does not disturb the next invocation of the
process. A call that has not attached one yet ends by its client's own timeout.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Protocol

from fetcher.invoke.request import AgentInvocationRequest
from fetcher.invoke.response import AgentReply, TimedOut

TOO_LATE = "The agent did not answer in time. Try again, with a larger timeout or a smaller question."


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCall:
    """One attempt to have a request answered."""

    request: AgentInvocationRequest
    session_id: str
    request_id: str
    seconds: float
    """The time that is left."""


class TimeLimit:
    """Stops one call when its time is over."""

    def __init__(self) -> None:
        self.begun = False
        """Whether the agent has answered or acted: asking it again could do a thing twice."""
        self._lock = threading.Lock()
        self._stop: Callable[[], None] | None = None
        self._expired = False

    def attach(self, stop: Callable[[], None]) -> None:
        """Set how to stop the call; it is stopped at once if its time is already over."""
        with self._lock:
            self._stop = stop
            expired = self._expired
        if expired:
            stop()

    def expire(self) -> None:
        """Stop the call."""
        with self._lock:
            self._expired = True
            stop = self._stop
        if stop:
            stop()


class Backend(Protocol):
    def invoke(self, call: AgentCall, limit: TimeLimit) -> AgentReply:
        """The agent's answer; raises InvocationFailed."""


def invoke_within_time(backend: Backend, call: AgentCall) -> AgentReply:
    """The agent's answer; raises what the backend raises, and TimedOut when the call takes too long."""
    if call.seconds <= 0:
        raise TimedOut(TOO_LATE)
    limit = TimeLimit()
    ended: SimpleQueue[AgentReply | Exception] = SimpleQueue()

    def run() -> None:
        try:
            ended.put(backend.invoke(call, limit))
        except Exception as error:  # noqa: BLE001 - raised below, in the thread that waits
            ended.put(error)

    threading.Thread(target=run, name="invocation", daemon=True).start()
    try:
        outcome = ended.get(timeout=call.seconds)
    except Empty:
        limit.expire()
        raise TimedOut(TOO_LATE, begun=limit.begun) from None
    if isinstance(outcome, Exception):
        raise outcome
    return outcome
