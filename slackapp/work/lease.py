"""Claims a request, and keeps the claim alive while it is being answered.

A claim is a lease: a heartbeat renews it, and when the worker dies it runs out and somebody else goes on.
A store that fails for a while is no reason to let go: only when the lease would have run out must we
suppose that somebody else has it.
"""

import logging
import threading
import time
from collections.abc import Callable
from uuid import uuid4

from fetcher.clock import Clock
from slackapp.listeners.incoming import Incoming
from slackapp.settings import SlackSettings
from slackapp.stores.contract import Claim, Claims, Renewal, ReplyRecord, StoreUnavailable

log = logging.getLogger(__name__)

REMEMBERED_SECONDS = 24 * 3600
"""How long a request cannot be claimed again; Slack's retries end after some minutes."""

Sleep = Callable[[float], object]


class ClaimLost(Exception):
    """Somebody else answers this now; whoever hears it stops at once and posts nothing more."""


class ClaimKeeper:
    """Takes claims, new ones and those that others have left."""

    def __init__(
        self, store: Claims, settings: SlackSettings, clock: Clock, *, sleep: Sleep = time.sleep
    ) -> None:
        self._store = store
        self._settings = settings
        self._clock = clock
        self._sleep = sleep

    def claim(self, incoming: Incoming) -> "Lease | None":
        """None when the request was claimed before. Raises StoreUnavailable."""
        now, lease = self._now(), self._settings.lease_seconds
        claim = self._store.claim(
            incoming.key,
            incoming.to_json(),
            owner=uuid4().hex,
            now=now,
            lease_until=now + lease,
            expires_at=now + lease * self._settings.max_attempts + REMEMBERED_SECONDS,
        )
        return self._lease(claim, resumed=False)

    def take_over(self, claim: Claim) -> "Lease | None":
        """None when somebody was faster, or the claim lives. Raises StoreUnavailable."""
        now = self._now()
        lease_until = now + self._settings.lease_seconds
        taken = self._store.take_over(claim, owner=uuid4().hex, now=now, lease_until=lease_until)
        return self._lease(taken, resumed=True)

    def expired_claims(self, limit: int) -> tuple[Claim, ...]:
        """What a sweeper should take over. Raises StoreUnavailable."""
        return self._store.expired_claims(now=self._now(), limit=limit)

    def _lease(self, claim: Claim | None, *, resumed: bool) -> "Lease | None":
        if claim is None:
            return None
        return Lease(claim, self._store, self._settings, self._clock, self._sleep, resumed=resumed)

    def _now(self) -> float:
        return self._clock.now().timestamp()


class Lease:
    """A claim that is ours. As a context manager it beats; leaving does not finish it, so that a run that
    failed is run again."""

    def __init__(
        self,
        claim: Claim,
        store: Claims,
        settings: SlackSettings,
        clock: Clock,
        sleep: Sleep = time.sleep,
        *,
        resumed: bool,
    ) -> None:
        self.claim = claim
        self.resumed = resumed
        """Whether another worker has had it before."""
        self.on_lost: Callable[[], None] = lambda: None
        """Called once, from the heart's thread, when the claim is somebody else's."""
        self.on_stop: Callable[[], None] = lambda: None
        """Called once, from the heart's thread or on entering, when somebody wants the run stopped."""
        self._store = store
        self._settings = settings
        self._clock = clock
        self._sleep = sleep
        self._lease_until = claim.lease_until
        self._lost = threading.Event()
        self._stopped = threading.Event()
        self._over = threading.Event()
        self._turn = threading.Lock()
        self._heart = threading.Thread(target=self._beat_on, name="heartbeat", daemon=True)

    @property
    def incoming(self) -> Incoming:
        return Incoming.from_json(self.claim.incoming)

    @property
    def lost(self) -> bool:
        return self._lost.is_set()

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()

    def __enter__(self) -> "Lease":
        if self.claim.stopped:
            self._hear_stop()
        self._heart.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._heart.join()

    def beat(self) -> None:
        """One heartbeat."""
        try:
            renewal = self._renewed()
        except StoreUnavailable as error:
            self._doubt(error)
            return
        if renewal is Renewal.LOST:
            self._lose("taken_over")
        elif renewal is Renewal.STOPPED:
            self._hear_stop()

    def _renewed(self) -> Renewal:
        with self._turn:
            if self._over.is_set():
                return Renewal.HELD
            lease_until = self._now() + self._settings.lease_seconds
            renewal = self._store.renew(self.claim.key, owner=self.claim.owner, lease_until=lease_until)
            if renewal is not Renewal.LOST:
                self._lease_until = lease_until
            return renewal

    def record(self, delivery: ReplyRecord) -> None:
        """Keeps what stands in Slack. Raises ClaimLost."""
        self._insist(
            lambda: self._store.record_reply(self.claim.key, owner=self.claim.owner, reply_record=delivery)
        )

    def finish(self) -> None:
        """Marks the request as answered. Raises ClaimLost."""
        self._insist(self._finished)

    def release(self) -> None:
        """Lets somebody else go on at once, where the lease would let them wait; no attempt has failed."""
        with self._turn:
            self._over.set()
            try:
                self._store.release(self.claim.key, owner=self.claim.owner, now=self._now())
            except StoreUnavailable as error:
                fields = {"key": self.claim.key, "error": str(error)}
                log.warning("claim_not_released", extra={"fields": fields})

    def _finished(self) -> bool:
        """What is done beats no more: the heart would hear that the claim is over, and call it lost."""
        with self._turn:
            done = self._store.finish(self.claim.key, owner=self.claim.owner)
            if done:
                self._over.set()
            return done

    def _insist(self, write: Callable[[], bool]) -> None:
        """Tries until the store answers, or the claim is lost."""
        while not self.lost:
            try:
                if write():
                    return
                self._lose("taken_over")
            except StoreUnavailable as error:
                self._doubt(error)
                if not self.lost:
                    self._sleep(self._settings.heartbeat_seconds)
        raise ClaimLost(self.claim.key)

    def _beat_on(self) -> None:
        while not self._over.wait(self._settings.heartbeat_seconds) and not self.lost:
            self.beat()

    def _doubt(self, error: StoreUnavailable) -> None:
        log.warning("claim_not_renewed", extra={"fields": {"key": self.claim.key, "error": str(error)}})
        if self._now() >= self._lease_until:
            self._lose("lease_ran_out")

    def _lose(self, reason: str) -> None:
        if self.lost:
            return
        self._lost.set()
        log.warning("claim_lost", extra={"fields": {"key": self.claim.key, "reason": reason}})
        self.on_lost()

    def _hear_stop(self) -> None:
        if not self.stopped:
            self._stopped.set()
            log.info("stop_heard", extra={"fields": {"key": self.claim.key}})
            self.on_stop()

    def _now(self) -> float:
        return self._clock.now().timestamp()
