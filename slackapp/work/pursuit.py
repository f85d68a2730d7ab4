"""Claims that Slack does not deliver again, and that the store has not decided yet."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from slackapp.listeners.incoming import Incoming
from slackapp.stores.contract import StoreUnavailable

log = logging.getLogger(__name__)

PATIENCE_SECONDS = 25 * 60.0
"""A response URL is good for half an hour."""
MOST = 500
RECENT_SECONDS = 15 * 60.0
"""Longer than Slack's repetitions of an event take."""
MOST_RECENT = 10_000

Claim = Callable[[Incoming, str], bool]
"""Claims and queues a question under this owner; whether that is decided. Raises StoreUnavailable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pursued:
    incoming: Incoming
    owner: str
    until: float


class Pursuit:
    """Tries claims again with the same owner, in one thread, until the store answers."""

    def __init__(self, claim: Claim, *, every: float) -> None:
        self._claim = claim
        self._every = every
        self._changed = threading.Condition()
        self._pursued: list[_Pursued] = []
        self._closed = False
        self._thread: threading.Thread | None = None

    def add(self, incoming: Incoming, owner: str) -> None:
        with self._changed:
            if self._closed or len(self._pursued) >= MOST:
                self._give_up(incoming)
                return
            until = time.monotonic() + PATIENCE_SECONDS
            self._pursued.append(_Pursued(incoming=incoming, owner=owner, until=until))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="pursuit", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """End the thread. What is left is in the log; if it was written, another process answers it."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join()
        for pursued in self._pursued:
            self._give_up(pursued.incoming)

    def _run(self) -> None:
        wait = self._every
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed, wait)
                if self._closed or not self._pursued:
                    self._thread = None
                    return
                pursued = self._pursued.pop(0)
            is_decided = False
            try:
                is_decided = self._claim(pursued.incoming, pursued.owner)
            except StoreUnavailable:
                pass
            except Exception:  # the rim: the others still wait
                log.exception("question_not_claimed", extra={"fields": {"key": pursued.incoming.key}})
            wait = 0.0 if is_decided else self._every
            if not is_decided and time.monotonic() >= pursued.until:
                self._give_up(pursued.incoming)
            elif not is_decided:
                with self._changed:
                    self._pursued.append(pursued)

    def _give_up(self, incoming: Incoming) -> None:
        log.error("question_undecided", extra={"fields": {"key": incoming.key}})


@dataclass(slots=True)
class RecentKeys:
    """Keys that were added in the last minutes."""

    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _added: dict[str, float] = field(default_factory=dict, init=False)

    def add(self, key: str) -> None:
        with self._lock:
            self._added.pop(key, None)
            self._added[key] = time.monotonic()
            oldest = time.monotonic() - RECENT_SECONDS
            while len(self._added) > MOST_RECENT or self._added[next(iter(self._added))] < oldest:
                del self._added[next(iter(self._added))]

    def discard(self, key: str) -> None:
        with self._lock:
            self._added.pop(key, None)

    def __contains__(self, key: str) -> bool:
        with self._lock:
            return key in self._added and self._added[key] > time.monotonic() - RECENT_SECONDS
