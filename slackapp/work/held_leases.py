"""The leases that this process holds: one thread renews them all, or some threads if there are many."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Protocol

from slackapp.stores.contract import Claim

log = logging.getLogger(__name__)

LEASES_A_THREAD, MOST_THREADS = 25, 8
"""A store that takes a second for a renewal is still quick enough for 25 leases one after the other."""


class Renewable(Protocol):
    """A lease, as far as its heartbeat is concerned."""

    @property
    def claim(self) -> Claim:
        """The claim that it belongs to."""

    @property
    def over(self) -> bool:
        """Whether it needs no renewal any more."""

    def renew(self) -> None:
        """Extend it once; store errors are handled there."""

    def note_stop(self) -> None:
        """Hear that a user asked to stop the run."""

    def note_loss(self, reason: str) -> None:
        """Hear that this worker may not go on."""


class HeldLeases:
    """Renews each lease at an even pace, from the claim on, also while its question waits in the queue.

    The threads run while there are leases. A renewal that fails is tried again when its next turn comes, so
    that no lease keeps the others waiting.
    """

    def __init__(self, interval: float) -> None:
        self.on_beat: Callable[[], None] = lambda: None
        """Called after every renewal."""
        self._interval = interval
        self._changed = threading.Condition()
        self._due: dict[Renewable, float] = {}
        """When each lease is to be renewed next, by the monotonic clock."""
        self._renewing: set[Renewable] = set()
        self._threads: set[threading.Thread] = set()

    def add(self, lease: Renewable) -> None:
        """Renew a lease regularly from now on; a second call changes nothing."""
        with self._changed:
            self._due.setdefault(lease, time.monotonic() + self._interval)
            if len(self._threads) < self._threads_needed():
                thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)
                self._threads.add(thread)
                thread.start()

    def remove(self, lease: Renewable) -> None:
        with self._changed:
            self._due.pop(lease, None)
            self._changed.notify_all()

    def close(self) -> None:
        """Renew nothing any more, and wait until the threads have ended."""
        with self._changed:
            self._due.clear()
            self._changed.notify_all()
            threads = list(self._threads)
        for thread in threads:
            thread.join()

    def holds(self, owner: str) -> bool:
        """Whether this owner is alive in this process."""
        with self._changed:
            return any(lease.claim.owner == owner for lease in self._due)

    def stop(self, key: str) -> None:
        """Stop a question of this process at once, whether it runs or waits; other processes learn of it with
        their next heartbeat."""
        with self._changed:
            held = [lease for lease in self._due if lease.claim.key == key]
        for lease in held:
            lease.note_stop()

    def end_workspace(self, team: str) -> None:
        """End a workspace's runs of this process, without a word: the app may not post there any more."""
        with self._changed:
            held = [lease for lease in self._due if lease.claim.key.startswith(f"{team}:")]
        for lease in held:
            lease.note_loss("workspace_left")

    def _threads_needed(self) -> int:
        return min(MOST_THREADS, -(-len(self._due) // LEASES_A_THREAD))

    def _beat(self) -> None:
        while True:
            with self._changed:
                if len(self._threads) > self._threads_needed():
                    self._threads.discard(threading.current_thread())
                    return
                waiting = self._due.keys() - self._renewing
                lease = min(waiting, key=lambda each: self._due[each], default=None)
                due = self._due[lease] if lease else time.monotonic() + self._interval
                if lease is None or due > time.monotonic():
                    self._changed.wait(due - time.monotonic())
                    continue
                self._due[lease] = time.monotonic() + self._interval
                self._renewing.add(lease)
            try:
                lease.renew()
                self.on_beat()
            except Exception:  # the rim: the leases of all questions depend on these threads
                log.exception("heartbeat_failed", extra={"fields": {"key": lease.claim.key}})
            with self._changed:
                self._renewing.discard(lease)
            if lease.over:
                self.remove(lease)
