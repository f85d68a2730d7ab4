"""Questions that are claimed and wait for a thread.

Their leases are renewed while they wait. The queue has a longest length and a greatest age; what exceeds
them is released: it stays in the store, and a process with a free thread takes it over. A process that
closes releases what waits.
"""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from slackapp.listeners.incoming import Incoming

if TYPE_CHECKING:
    from slackapp.work.lease import Lease

log = logging.getLogger(__name__)

LONGEST = 200
OLDEST_SECONDS = 60.0
CLOSE_SECONDS = 5.0
"""How long a process that closes goes on releasing; the leases that are left run out by themselves."""

Run = Callable[["Lease", Incoming], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Waiting:
    lease: "Lease"
    incoming: Incoming
    run: Run
    since: float


@dataclass(slots=True)
class AcceptedWork:
    """Runs claimed questions in the executor, the oldest first."""

    executor: Executor
    longest: int = LONGEST
    oldest_seconds: float = OLDEST_SECONDS
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _waiting: dict[str, _Waiting] = field(default_factory=dict, init=False)
    """By owner, in the order in which they came."""
    _closed: bool = field(default=False, init=False)

    def put(self, lease: "Lease", incoming: Incoming, run: Run) -> None:
        """Run a question as soon as a thread is free, or release its claim."""
        owner = lease.claim.owner
        with self._lock:
            is_full = self._closed or len(self._waiting) >= self.longest
            if not is_full:
                self._waiting[owner] = _Waiting(
                    lease=lease, incoming=incoming, run=run, since=time.monotonic()
                )
        if is_full:
            self._release(lease, "queue_full")
            return
        try:
            self.executor.submit(self._run_oldest)
        except RuntimeError:  # it was shut down
            if self._pop(owner):
                self._release(lease, "closing")

    def release_aged(self) -> None:
        """Release what has waited too long."""
        until = time.monotonic() - self.oldest_seconds
        with self._lock:
            aged = [owner for owner, waiting in self._waiting.items() if waiting.since <= until]
        for waiting in filter(None, map(self._pop, aged)):
            self._release(waiting.lease, "queue_aged")

    def close(self) -> None:
        """Release what waits, and all that comes from now on."""
        with self._lock:
            self._closed = True
            owners = list(self._waiting)
        until = time.monotonic() + CLOSE_SECONDS
        for waiting in filter(None, map(self._pop, owners)):
            if time.monotonic() < until:
                self._release(waiting.lease, "closing")

    def _pop(self, owner: str) -> _Waiting | None:
        with self._lock:
            return self._waiting.pop(owner, None)

    def _run_oldest(self) -> None:
        """The owner decides who runs: a question that was released meanwhile is not in the queue any more."""
        with self._lock:
            owner = next(iter(self._waiting), None)
            waiting = self._waiting.pop(owner) if owner else None
        if waiting is None:
            return
        try:
            waiting.run(waiting.lease, waiting.incoming)
        except Exception:  # the rim: the future's result is not read
            log.exception("question_not_run", extra={"fields": {"key": waiting.incoming.key}})

    def _release(self, lease: "Lease", reason: str) -> None:
        log.warning("claim_released", extra={"fields": {"key": lease.claim.key, "reason": reason}})
        lease.release()
