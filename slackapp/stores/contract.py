"""What the app keeps between requests, and the decisions it takes on it.

A decision is one conditional write, never a read followed by a write: two workers that ask at the same
moment get two different answers. Expired rows may still be there; they count as gone. The caller says what
time it is. Every method raises StoreUnavailable when the store cannot be asked or does not answer.

    StoreError
    ├── StoreUnavailable    not asked, not answered or refused: undecided
    └── StoreMisbuilt       a table of that name has other keys than ours, or a file is something else
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class StoreError(Exception):
    """Something is wrong with the store."""


class StoreUnavailable(StoreError):
    """The store did not answer, or refused; whatever was asked is undecided."""


class StoreMisbuilt(StoreError):
    """There is a table or a file of that name, but it is not ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyRecord:
    """What of a reply stands in Slack already, so that another worker goes on from there."""

    root: str = ""
    """The message that a command's thread hangs on."""
    replies: tuple[str, ...] = ()
    """The timestamps of the reply's messages, in order; the first one is the placeholder."""
    stream_since: str = ""
    """Set before a stream is opened: an own message without a mark, later than this, is that stream."""
    uploads: tuple[str, ...] = ()
    """The ids of files whose upload was begun, in the order of the answer's files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The right to answer one message, held by one worker until the lease runs out."""

    key: str
    owner: str
    """Names the worker's run; a claim that was taken over has another."""
    incoming: str
    """The request as JSON, for whoever must run it again."""
    lease_until: float
    attempt: int = 1
    delivery: ReplyRecord = ReplyRecord()
    stopped: bool = False
    """Whether somebody wants it stopped."""


class Renewal(StrEnum):
    """What a heartbeat hears."""

    HELD = "held"
    LOST = "lost"
    """Somebody else runs it now, or it is over."""
    STOPPED = "stopped"
    """Somebody wants it stopped; the lease is renewed all the same."""


class Entity(StrEnum):
    """What a row of the whitelist may name."""

    TEAM = "team"
    CHANNEL = "channel"
    USER = "user"


class ListedEntities(StrEnum):
    """How an id stands with the whitelist."""

    LISTED = "listed"
    UNLISTED = "unlisted"
    """Others of its type are listed; this one is not."""
    NO_ROWS = "no_rows"
    """Nothing of its type is listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WhitelistEntry:
    """A row of the whitelist."""

    entity: Entity
    id: str
    label: str = ""


class Claims(Protocol):
    """The `dedupe` table: who answers what, and what belongs to an answer."""

    def claim(
        self, key: str, incoming: str, *, owner: str, now: float, lease_until: float, expires_at: float
    ) -> Claim | None:
        """The claim, or None when the message has been claimed before, whatever became of it."""

    def renew(self, key: str, *, owner: str, lease_until: float) -> Renewal:
        """The heartbeat."""

    def release(self, key: str, *, owner: str, now: float) -> None:
        """Ends the owner's lease and takes its attempt back: it was cut off, and did not fail."""

    def record(self, key: str, *, owner: str, delivery: ReplyRecord) -> bool:
        """Keeps what stands in Slack; False when the claim is no longer the owner's."""

    def finish(self, key: str, *, owner: str) -> bool:
        """Marks the claim as done and forgets the request; False when it is no longer the owner's."""

    def expired(self, *, now: float, limit: int) -> tuple[Claim, ...]:
        """Claims that are not done and whose lease has run out, the oldest first."""

    def take_over(self, claim: Claim, *, owner: str, now: float, lease_until: float) -> Claim | None:
        """The claim in new hands, its attempt counted; None when somebody was faster or it lives."""

    def stop(self, key: str, *, now: float) -> bool:
        """Asks whoever works on this, now or after a take-over, to stop; False when it is over."""

    def working(self, key: str, *, now: float) -> Claim | None:
        """The claim, unless it is done; its lease may have run out."""

    def link(self, name: str, key: str, *, expires_at: float) -> None:
        """Lets a claim be found by another name: its thread, or a message of its reply."""

    def linked(self, name: str, *, now: float) -> str | None:
        """The key of the claim last linked to this name."""

    def learn(self, name: str, urls: Sequence[str], *, now: float, expires_at: float) -> None:
        """Puts URLs before those that a thread's record holds, as many as it has room for.

        Two answers in one thread at the same moment both stay in it.
        """

    def learned(self, name: str, *, now: float) -> tuple[str, ...]:
        """The URLs of a thread's record; none where there is no record."""

    def keep_feedback(self, name: str, value: str, *, now: float, expires_at: float) -> None:
        """Remembers what a user thought of an answer; the last word counts."""


class Whitelist(Protocol):
    """The `whitelist` table."""

    def standing(self, ids: Mapping[Entity, str]) -> Mapping[Entity, ListedEntities]:
        """How each of these ids stands; always fresh."""

    def listings(self) -> tuple[WhitelistEntry, ...]:
        """Every row, ordered by type and id."""

    def enlist(self, listing: WhitelistEntry) -> None:
        """Adds a row, or changes its label."""

    def delist(self, entity: Entity, entity_id: str) -> bool:
        """Removes a row; False when there was none."""


class UsageCounters(Protocol):
    """The `rate_limit` table."""

    def take(self, name: str, *, now: float, interval: float, burst: int, expires_after: float) -> float:
        """One more under GCRA: 0.0 when it fits, else the seconds until it would; nothing is taken then.

        `interval` seconds are earned back between two; `burst` of them may come at once. At most two
        conditional writes and no read.
        """

    def spend(self, name: str, amount: int, *, limit: int | None, expires_at: float) -> bool:
        """Adds to a counter unless it has reached the limit already (None: adds anyway).

        The last one may go over the limit, by its amount less one. Nothing is added by 0, which asks whether
        there is room; a negative amount gives back.
        """


class LookupCache(Protocol):
    """The `existence_check_cache` table."""

    def recall(self, name: str, *, now: float) -> str | None:
        """What was remembered, unless it has expired."""

    def remember(self, name: str, value: str, *, expires_at: float) -> None:
        """Keeps a value until it expires."""

    def recall_all(self, names: Collection[str], *, now: float) -> Mapping[str, str]:
        """What was remembered of these, in as few requests as can be; the rest is unknown or expired."""

    def remember_all(self, values: Mapping[str, str], *, expires_at: float) -> None:
        """Keeps several values, in as few requests as can be."""


class Store(Claims, Whitelist, UsageCounters, LookupCache, Protocol):
    """All four tables."""

    def create(self) -> tuple[str, ...]:
        """Makes the tables that are missing; returns their names. Raises StoreMisbuilt."""

    def close(self) -> None:
        """Lets go of connections."""
