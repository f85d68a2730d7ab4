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
from typing import TYPE_CHECKING
from uuid import uuid4

from slackapp.listeners.incoming import Incoming, Kind, Stop, message_key
from slackapp.stores.contract import StoreRefused, StoreUnavailable
from slackapp.work.accepted_work import AcceptedWork
from slackapp.work.pursuit import Pursuit, RecentKeys

if TYPE_CHECKING:
    from slackapp.work.handler import QuestionHandler

log = logging.getLogger(__name__)

CLAIM_THREADS = 32
MOST_WAITING = 160
"""Requests that wait for a decision at a time; the next ones are undecided at once. `run/socket_mode.py` has
more threads, so that other requests are always acknowledged."""
MOST_UNDER_WAY = 500
"""Requests whose claim is not written yet; the next ones are not begun."""


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
