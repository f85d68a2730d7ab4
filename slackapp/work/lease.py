"""Claims a request, and renews the claim while it is being answered.

A claim is a lease: a heartbeat renews it, and when the worker dies it expires and another worker continues.
If the store fails for a while, the worker keeps its claim. Only when the lease would have expired must it
assume that another worker has it. Before every write to Slack the worker asks its lease (`require`). Another
worker takes a claim over only when the lease has been over for as long as two clocks may differ
(docs/protocol.md).
"""

import logging
import threading
import time
from collections.abc import Callable
from uuid import uuid4

from fetcher.clock import Clock
from slackapp.listeners.incoming import Incoming
from slackapp.settings import SlackSettings
from slackapp.stores.claims import Claims
from slackapp.stores.contract import Claim, Renewal, ReplyRecord, StoreUnavailable
from slackapp.work.held_leases import HeldLeases

log = logging.getLogger(__name__)

CLAIMED_SECONDS = 24 * 3600
"""How long a request cannot be claimed again; Slack's retries end after some minutes."""

Sleep = Callable[[float], object]


class ClaimLost(Exception):
    """Another worker has the claim now; this one must stop at once and post nothing more."""


class ClaimKeeper:
    """Claims new requests, and takes over claims that others have left."""

    def __init__(
        self,
        store: Claims,
        settings: SlackSettings,
        clock: Clock,
        *,
        held: HeldLeases | None = None,
        sleep: Sleep = time.sleep,
    ) -> None:
        self._store = store
        self._settings = settings
        self._clock = clock
        self._sleep = sleep
        self.held = held or HeldLeases(settings.heartbeat_seconds)

    def claim(self, incoming: Incoming, *, owner: str = "", link: str = "") -> "Lease | None":
        """Claim a request, linked to a name; None if it was claimed or stopped before.

        Raises StoreUnavailable. The same owner may try again: a first try that was made is its own.
        """
        now = self._clock.now().timestamp()
        claim = self._store.claim(
            incoming.key,
            incoming.to_json(),
            owner=owner or uuid4().hex,
            now=now,
            lease_until=now + self._settings.lease_seconds,
            expires_at=self.expiry(),
            asker=incoming.user,
            link=link,
        )
        return self._lease(claim, resumed=False)

    def expiry(self) -> float:
        """The time until which a message that is claimed or stopped now cannot be claimed again."""
        attempts = self._settings.lease_seconds * self._settings.max_attempts
        return self._clock.now().timestamp() + attempts + CLAIMED_SECONDS

    def take_over(self, claim: Claim) -> "Lease | None":
        """Take an expired claim over; None if it is not expired any more. Raises StoreUnavailable."""
        lease_until = self._clock.now().timestamp() + self._settings.lease_seconds
        taken = self._store.take_over(
            claim, owner=uuid4().hex, now=self._free_since(), lease_until=lease_until
        )
        return self._lease(taken, resumed=True)

    def expired_claims(self, limit: int) -> tuple[Claim, ...]:
        """Claims that a sweeper should take over. Raises StoreUnavailable.

        A claim that this process holds is left out: after a pause of the machine the sweeper may be faster
        than the heartbeat.
        """
        expired = self._store.expired_claims(now=self._free_since(), limit=limit)
        return tuple(claim for claim in expired if not self.held.holds(claim.owner))

    def _free_since(self) -> float:
        """A claim whose lease ended at this time or before may be taken over by any worker."""
        return self._clock.now().timestamp() - self._settings.clock_skew_seconds

    def _lease(self, claim: Claim | None, *, resumed: bool) -> "Lease | None":
        if claim is None:
            return None
        return Lease(
            claim, self._store, self._settings, self._clock, self._sleep, resumed=resumed, held=self.held
        )


class NoLease:
    """Used for a request that could not be claimed: there is nothing to store its reply in."""

    resumed = False
    reply_record = ReplyRecord()
    run = ""

    def require(self) -> None:
        """Allow every write: no other worker has the request."""

    def record(self, reply_record: ReplyRecord) -> None:
        """Store nothing."""


class Lease:
    """A claim of this worker.

    It is renewed from `hold` on, or from entering it as a context manager. Leaving the context does not
    finish it, so that a failed run is run again.
    """

    def __init__(
        self,
        claim: Claim,
        store: Claims,
        settings: SlackSettings,
        clock: Clock,
        sleep: Sleep = time.sleep,
        *,
        resumed: bool,
        held: HeldLeases,
    ) -> None:
        self.claim = claim
        self.reply_record = claim.reply_record
        """What an earlier worker has recorded."""
        self.resumed = resumed
        """Whether another worker had the claim before."""
        self.run = claim.owner[:8]
        """Names this worker's run in the marks of its messages."""
        self.lost = self.stopped = False
        self.on_lost: Callable[[], object] = lambda: None
        """Called once, from the heartbeat's thread, when another worker has the claim."""
        self.on_stop: Callable[[], object] = lambda: None
        """Called once, from any thread, when a user asked to stop the run."""
        self._store = store
        self._settings = settings
        self._clock = clock
        self._sleep = sleep
        self._lease_until = claim.lease_until
        self._renewed = time.monotonic()
        self._over = threading.Event()
        self._writing = threading.Lock()
        self._held = held

    @property
    def incoming(self) -> Incoming:
        return Incoming.from_json(self.claim.incoming)

    @property
    def over(self) -> bool:
        """Whether it needs no renewal any more."""
        return self.lost or self._over.is_set()

    def hold(self) -> None:
        """Renew the lease regularly from now on."""
        self._held.add(self)

    def __enter__(self) -> "Lease":
        if self.claim.stopped:
            self.note_stop()
        self.hold()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._held.remove(self)

    def require(self) -> None:
        """Raise ClaimLost unless this worker may write to Slack now.

        The wall clock counts through the sleep of a machine, the monotonic one through a wall clock that was
        set back. A lease that is over may still be ours: then it is renewed first.
        """
        if not self._is_in_time():
            self.renew()
        if not self._is_in_time():
            self.note_loss("lease_ran_out")
        if self.lost:
            raise ClaimLost(self.claim.key)

    def _is_in_time(self) -> bool:
        seconds = self._settings.lease_seconds
        return self._now() < self._lease_until and time.monotonic() - self._renewed < seconds

    def renew(self) -> None:
        """Extend the lease once, and note if the claim was lost or a stop was requested."""
        try:
            with self._writing:
                if self._over.is_set():
                    return
                began, lease_until = time.monotonic(), self._now() + self._settings.lease_seconds
                renewal = self._store.renew(self.claim.key, owner=self.claim.owner, lease_until=lease_until)
                if renewal is not Renewal.LOST:
                    self._lease_until, self._renewed = lease_until, began
        except StoreUnavailable as error:
            self._note_failure(error)
            return
        if renewal is Renewal.LOST:
            self.note_loss("taken_over")
        elif renewal is Renewal.STOPPED:
            self.note_stop()

    def record(self, reply_record: ReplyRecord) -> None:
        """Store what was posted. Raises ClaimLost."""
        key, owner = self.claim.key, self.claim.owner
        self._write(lambda: self._store.record_reply(key, owner=owner, reply_record=reply_record))

    def finish(self, *, after: float | None = None) -> None:
        """Mark the request as answered; after so many seconds, if given, it can be claimed again.

        Raises ClaimLost.
        """
        expires_at = None if after is None else self._now() + after

        def finish() -> bool:
            with self._writing:
                done = self._store.finish(self.claim.key, owner=self.claim.owner, expires_at=expires_at)
                if done:  # no heartbeat after this: it would find the claim done, and call it lost
                    self._over.set()
                return done

        self._write(finish)

    def release(self, *, after: float = 0.0) -> None:
        """Let another worker continue after so many seconds; at once, if there are none."""
        self._held.remove(self)
        with self._writing:
            self._over.set()
            try:
                over = self._now() - self._settings.clock_skew_seconds + after
                self._store.release(self.claim.key, owner=self.claim.owner, now=over)
            except StoreUnavailable as error:
                fields = {"key": self.claim.key, "error": str(error)}
                log.warning("claim_not_released", extra={"fields": fields})

    def _write(self, write: Callable[[], bool]) -> None:
        """Try until the store answers, or the claim is lost."""
        while not self.lost:
            try:
                if write():
                    return
                self.note_loss("taken_over")
            except StoreUnavailable as error:
                self._note_failure(error)
                if not self.lost:
                    self._sleep(self._settings.heartbeat_seconds)
        raise ClaimLost(self.claim.key)

    def _note_failure(self, error: StoreUnavailable) -> None:
        log.warning("claim_not_renewed", extra={"fields": {"key": self.claim.key, "error": str(error)}})
        if self._now() >= self._lease_until:
            self.note_loss("lease_ran_out")

    def note_loss(self, reason: str) -> None:
        """Note that this worker may not go on: another one has the claim, or it is gone."""
        if not self.lost:
            self.lost = True
            log.warning("claim_lost", extra={"fields": {"key": self.claim.key, "reason": reason}})
            self.on_lost()

    def note_stop(self) -> None:
        """Note that a user asked to stop the run."""
        if not self.stopped:
            self.stopped = True
            log.info("stop_heard", extra={"fields": {"key": self.claim.key}})
            self.on_stop()

    def _now(self) -> float:
        return self._clock.now().timestamp()
