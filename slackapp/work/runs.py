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
                raise _reason(lease)
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
                raise _reason(lease) from None
        finally:
            self.slots.release()


def _reason(lease: Lease) -> Exception:
    if lease.lost:
        return ClaimLost(lease.claim.key)
    return Stopped() if lease.stopped else Interrupted()
