"""Claims questions before Slack is acknowledged, within a bounded time.

The bound is ours, outside the store's own retries. Claims are written in threads of their own, and only some
requests may wait for them at a time, so a store that does not answer delays no other acknowledgement.

Undecided is not "not written": a claim that is written late is queued by its owner like any other. An
undecided event is not acknowledged, and nothing is said; Slack delivers it again. What Slack does not
deliver again is pursued here with the same owner until it is decided. The asker is told only if the store
has refused, and no other delivery of the question may have been claimed.
"""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import uuid4

from slackapp.listeners.incoming import Incoming, Kind, Stop, message_key
from slackapp.stores.contract import StoreRefused, StoreUnavailable

if TYPE_CHECKING:
    from slackapp.work.handler import QuestionHandler
    from slackapp.work.lease import Lease

log = logging.getLogger(__name__)

CLAIM_THREADS = 32
MOST_WAITING = 160
"""Requests that wait for a decision at a time; the next ones are undecided at once. `run/socket_mode.py` has
more threads, so that other requests are always acknowledged."""
MOST_UNDER_WAY = 500
"""Requests whose claim is not written yet; the next ones are not begun."""
LONGEST_QUEUE = 200
OLDEST_SECONDS = 60.0
CLOSE_SECONDS = 5.0
"""How long a process that closes goes on releasing; the leases that are left run out by themselves."""
PATIENCE_SECONDS = 25 * 60.0
"""A response URL is good for half an hour."""
MOST_PURSUED = 500
RECENT_SECONDS = 15 * 60.0
"""Longer than Slack's repetitions of an event take."""
MOST_RECENT = 10_000

Run = Callable[["Lease", Incoming], None]
Claim = Callable[[Incoming, str], bool]
"""Claims and queues a question under this owner; whether that is decided. Raises StoreUnavailable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Waiting:
    lease: "Lease"
    incoming: Incoming
    run: Run
    since: float


@dataclass(slots=True)
class AcceptedWork:
    """Claimed questions that wait for a thread of the executor; the oldest runs first.

    Their leases are renewed while they wait. The queue has a longest length and a greatest age; what exceeds
    them is released: it stays in the store, and a process with a free thread takes it over. A process that
    closes releases what waits.
    """

    executor: Executor
    longest: int = LONGEST_QUEUE
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pursued:
    incoming: Incoming
    owner: str
    until: float


class Pursuit:
    """Claims that Slack does not deliver again, and that the store has not decided yet.

    They are tried again with the same owner, in one thread, until the store answers.
    """

    def __init__(self, claim: Claim, *, every: float) -> None:
        self._claim = claim
        self._every = every
        self._changed = threading.Condition()
        self._pursued: list[_Pursued] = []
        self._closed = False
        self._thread: threading.Thread | None = None

    def add(self, incoming: Incoming, owner: str) -> None:
        with self._changed:
            if self._closed or len(self._pursued) >= MOST_PURSUED:
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


class ClaimFirst:
    """Implements `Acceptance` for the listeners, outside Lambda."""

    def __init__(
        self,
        get_handler: "Callable[[], QuestionHandler]",
        executor: Executor,
        *,
        decide_seconds: float,
        pursue_seconds: float,
    ) -> None:
        self._get_handler = get_handler
        self._executor = executor
        self._decide_seconds = decide_seconds
        self.queue = AcceptedWork(executor)
        self._claimers = ThreadPoolExecutor(CLAIM_THREADS, thread_name_prefix="claim")
        self._pursuit = Pursuit(self._claim, every=pursue_seconds)
        self._waiting = threading.BoundedSemaphore(MOST_WAITING)
        self._lock = threading.Lock()
        self._under_way: dict[tuple[str, str], Future[bool]] = {}
        self._undecided = RecentKeys()
        """Claims of which this process does not know whether they were written."""
        self._claimed = RecentKeys()

    def accept(self, incoming: Incoming, last: bool) -> bool:
        owner = uuid4().hex
        kind = "echo" if incoming.echo else incoming.kind.value
        # The last delivery shares no work with those before it: they are not pursued if they fail.
        name = (incoming.key, f"last {kind}" if last else kind)
        return self._decide(name, lambda: self._accept(incoming, owner, last, name), is_wanted_later=last)

    def stop(self, stop: Stop, last: bool) -> bool:
        def store_stop() -> bool:
            try:
                self._get_handler().stop_run(stop)
            except StoreUnavailable as error:
                log.error("not_stopped", extra={"fields": {"channel": stop.channel, "error": str(error)}})
                return False
            return True

        name = (stop.key or " ".join(stop.names), f"stop {stop.user}")
        return self._decide(name, store_stop, is_wanted_later=last)

    def close(self) -> None:
        """Release what is queued, and end the threads; a claim that is written now is released too."""
        self.queue.close()
        self._pursuit.close()
        self._claimers.shutdown(cancel_futures=True)

    def _decide(self, name: tuple[str, str], work: Callable[[], bool], *, is_wanted_later: bool) -> bool:
        """The result of `work`, if it comes in time; other deliveries of the same request share it."""
        until = time.monotonic() + self._decide_seconds
        with self._lock:
            future = self._under_way.get(name)
            if future is None:
                if len(self._under_way) >= MOST_UNDER_WAY and not is_wanted_later:
                    return False
                future = self._under_way[name] = self._claimers.submit(work)
                future.add_done_callback(lambda _: self._under_way.pop(name))  # at once, if it is done
        if not self._waiting.acquire(blocking=False):
            return future.done() and future.result()
        try:
            return future.result(until - time.monotonic())
        except TimeoutError:
            if not is_wanted_later:
                future.cancel()  # only if it has not begun: then nothing was written
            log.warning("undecided", extra={"fields": {"key": name[0]}})
            return False
        except CancelledError:
            return False
        finally:
            self._waiting.release()

    def _accept(self, incoming: Incoming, owner: str, last: bool, name: tuple[str, str]) -> bool:
        """Claim and queue a question; whether that is decided."""
        try:
            is_decided = self._claim(incoming, owner)
            if last and not is_decided:
                self._pursuit.add(incoming, owner)
            return is_decided
        except StoreUnavailable as error:
            fields = {"key": incoming.key, "error": str(error), "last": last}
            log.error("store_unavailable", extra={"fields": fields})
            if last:
                with self._lock:
                    under_way = self._under_way.copy()
                before = list(under_way)[: list(under_way).index(name)]
                # They have begun before; one of them may still be written.
                wait([under_way[each] for each in before if each[0] == name[0]])
            is_refused = isinstance(error, StoreRefused) and incoming.key not in self._undecided
            if not isinstance(error, StoreRefused):
                self._undecided.add(incoming.key)
            if last and is_refused and incoming.key not in self._claimed:
                self._executor.submit(self._get_handler().refuse_unclaimed, incoming)
            elif last:
                self._pursuit.add(incoming, owner)
            return False

    def _claim(self, incoming: Incoming, owner: str) -> bool:
        """Claim and queue a question; False if its thread is not ours, but may become so. Raises
        StoreUnavailable."""
        handler = self._get_handler()
        lease = handler.claim(incoming, owner=owner)
        if lease is not None:
            self.queue.put(lease, incoming, handler.run)
        elif incoming.kind is Kind.FOLLOW_UP:
            root = message_key(incoming.team, incoming.channel, incoming.thread_ts)
            return root not in self._undecided
        self._undecided.discard(incoming.key)
        self._claimed.add(incoming.key)
        return True
