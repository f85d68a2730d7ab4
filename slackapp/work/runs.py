"""The questions that the agent is working on in this process, and how they end early."""

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
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
class _Run:
    cancel: Callable[[], object]
    stopped: bool = False


@dataclass(slots=True)
class Runs:
    """Asks the agent, at most as many questions at a time as there are slots."""

    agent: Bridge
    slots: threading.Semaphore
    limits: "Limits"
    _running: dict[str, _Run] = field(default_factory=dict)

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

            run = self._running[lease.claim.key] = _Run(cancel)
            lease.on_stop = lease.on_lost = cancel
            if lease.stopped or lease.lost:
                cancel()
            try:
                return future.result()
            except CancelledError:
                raise _reason(lease, stopped=run.stopped) from None
            finally:
                del self._running[lease.claim.key]
        finally:
            self.slots.release()

    def stop(self, key: str) -> None:
        """Stop a run of this process at once; other processes learn of it with their next heartbeat."""
        run = self._running.get(key)
        if run is not None:
            run.stopped = True
            run.cancel()

    def end_workspace(self, team: str) -> None:
        """End a workspace's runs of this process, without a word: the app may not post there any more."""
        for key, run in tuple(self._running.items()):
            if key.startswith(f"{team}:"):
                run.cancel()


def _reason(lease: Lease, *, stopped: bool = False) -> Exception:
    if lease.lost:
        return ClaimLost(lease.claim.key)
    return Stopped() if lease.stopped or stopped else Interrupted()
