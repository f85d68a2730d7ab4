"""Questions that the agent works on just now, and how they end early."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from slackapp.work.agent_bridge import Bridge
from slackapp.work.lease import ClaimLost, Lease

if TYPE_CHECKING:
    from fetcher.agent import Answer, AskRequest, Limits, Progress


class Stopped(Exception):
    """Somebody wanted the run stopped."""


class Interrupted(Exception):
    """The process is about to end; another one goes on."""


@dataclass(slots=True)
class _Run:
    stop: Callable[[], None]
    stopped: bool = False


@dataclass(slots=True)
class Runs:
    """Asks the agent, so many questions at a time, and stops what is to be stopped."""

    agent: Bridge
    places: threading.Semaphore
    limits: "Limits"
    _running: dict[str, _Run] = field(default_factory=dict)

    def answer(
        self, request: "AskRequest", lease: Lease, on_progress: "Callable[[Progress], None]"
    ) -> "Answer":
        """The answer; raises Stopped, Interrupted, ClaimLost, and whatever the agent raises."""
        with self._place(lease):
            future = self.agent.ask(request, on_progress)

            def cancel() -> None:
                future.cancel()

            run = self._running[lease.claim.key] = _Run(stop=cancel)
            lease.on_stop = lease.on_lost = cancel
            if lease.stopped or lease.lost:
                cancel()
            try:
                return future.result()
            except CancelledError:
                raise self._reason(lease, run) from None
            finally:
                del self._running[lease.claim.key]

    def stop(self, key: str) -> None:
        """Stops a run of this process at once; others hear of it with their next heartbeat."""
        run = self._running.get(key)
        if run is not None:
            run.stopped = True
            run.stop()

    @contextmanager
    def _place(self, lease: Lease) -> Iterator[None]:
        """Waits for a turn; whoever loses the claim or is stopped meanwhile waits no longer."""
        while not self.places.acquire(timeout=1):
            if lease.lost or lease.stopped:
                raise self._reason(lease, _Run(stop=lambda: None))
        try:
            yield
        finally:
            self.places.release()

    def _reason(self, lease: Lease, run: _Run) -> Exception:
        if lease.lost:
            return ClaimLost(lease.claim.key)
        return Stopped() if lease.stopped or run.stopped else Interrupted()
