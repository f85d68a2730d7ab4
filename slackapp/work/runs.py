"""The questions that the agent is working on in this process, and how they end early."""

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import TYPE_CHECKING

from slackapp.work.agent_bridge import Bridge
from slackapp.work.lease import ClaimLost, Lease

if TYPE_CHECKING:
    from fetcher.agent import Answer, AskRequest, Limits, Progress


class Stopped(Exception):
    """A user asked to stop the run."""


class Interrupted(Exception):
    """The process is about to end; another one continues."""


class AgentCancelled(Exception):
    """The agent has ended its run by itself, without an answer."""


@dataclass(slots=True)
class Runs:
    """Asks the agent, at most as many questions at a time as there are slots."""

    agent: Bridge
    slots: threading.Semaphore
    limits: "Limits"

    def answer(
        self, request: "AskRequest", lease: Lease, on_progress: "Callable[[Progress], None]"
    ) -> "Answer":
        """The agent's answer; raises Stopped, Interrupted, ClaimLost, and what the agent raises."""
        while not self.slots.acquire(timeout=1):
            if lease.lost or lease.stopped:
                raise self._reason(lease)
        try:
            future = self.agent.ask(request, on_progress)

            def cancel() -> None:
                future.cancel()

            lease.on_stop = lease.on_lost = cancel
            if lease.stopped or lease.lost:
                cancel()
            try:
                return future.result()
            except CancelledError:
                raise self._reason(lease) from None
        finally:
            self.slots.release()

    def wait(self, seconds: float) -> None:
        """Wait with a claim in hand; raises Interrupted if the process is about to end."""
        if self.agent.closing.wait(seconds):
            raise Interrupted

    def _reason(self, lease: Lease) -> Exception:
        """Why a run has ended early."""
        if lease.lost:
            return ClaimLost(lease.claim.key)
        if lease.stopped:
            return Stopped()
        return Interrupted() if self.agent.closing.is_set() else AgentCancelled()
