"""The data that the app stores between requests, and the decisions that depend on it.

A decision is one conditional write, never a read followed by a write: two workers that ask at the same
moment get two different answers. Expired rows may still exist; they count as gone. The caller passes the
time. Every method raises StoreUnavailable when the store cannot be reached or does not answer.

    StoreError
    ├── StoreUnavailable    not reached or not answered: undecided, a write may have been made
    │   └── StoreRefused    refused: decided, nothing was written
    └── StoreMismatch       a table has other keys than ours, or a file belongs to another application
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class StoreError(Exception):
    """Something is wrong with the store."""


class StoreUnavailable(StoreError):
    """The store did not answer; the request is undecided: a write may have been made, or be made later."""


class StoreRefused(StoreUnavailable):
    """The store refused; nothing was written, and nothing will be."""


class StoreMismatch(StoreError):
    """A table or a file of that name exists, but it is not ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyRecord:
    """The messages and files that were posted for a claim, so that another worker can continue."""

    root: str = ""
    """The first message of a command's thread."""
    replies: tuple[str, ...] = ()
    """The timestamps of the reply's messages, in order; the first one is the placeholder."""
    stream_since: str = ""
    """Set before a stream is opened: an own message without a mark, later than this, is that stream."""
    uploads: tuple[str, ...] = ()
    """The ids of files whose upload was begun, in the order of the answer's files."""
    contents: tuple[str, ...] = ()
    """The digests of the contents of these files."""
    abandoned: tuple[str, ...] = ()
    """The ids of uploads that others have replaced; Slack may still share them."""
    uncertain: tuple[str, ...] = ()
    """Calls to Slack whose outcome is unknown."""
    wanted: tuple[str, ...] = ()
    """The digests of the messages of an answer that was posted completely; empty before that."""
    runs: int = 0
    """How many runs have begun; those that were interrupted, or that Slack refused, are not counted."""
    charged: bool = False
    """Whether the question has been counted against the limits of its asker."""
    language: str = ""
    """In which the asker is spoken to, from the first run on; a later worker speaks the same."""
    revision: int = 0
    """How often the record was changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The right to answer one message, held by one worker until the lease expires."""

    key: str
    owner: str
    """Names the worker's run; a claim that was taken over has another owner."""
    incoming: str
    """The request as JSON, for a worker that must run it again."""
    lease_until: float
    attempt: int = 1
    reply_record: ReplyRecord = ReplyRecord()
    stopped: bool = False
    """Whether a user asked to stop it."""


class Renewal(StrEnum):
    """The result of a heartbeat."""

    HELD = "held"
    LOST = "lost"
    """Another worker has the claim now, or it is done."""
    STOPPED = "stopped"
    """A user asked to stop it; the lease is renewed all the same."""


class Entity(StrEnum):
    """The types of a whitelist row."""

    TEAM = "team"
    CHANNEL = "channel"
    USER = "user"


class WhitelistStatus(StrEnum):
    """Whether an id is on the whitelist."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """A user's rating of an answer, after a press of a button."""

    value: str
    """Empty if the user has withdrawn it."""
    is_first: bool
    """Whether the user had not rated this answer before."""
    is_repeated: bool
    """Whether this press was stored before."""


class Claims(Protocol):
    """The `dedupe` table: which worker answers which message, and the data of an answer."""

    def claim(
        self,
        key: str,
        incoming: str,
        *,
        owner: str,
        now: float,
        lease_until: float,
        expires_at: float,
        asker: str = "",
        link: str = "",
    ) -> Claim | None:
        """Claim a message, and link the claim to a name in the same write.

        None if another owner has claimed it before, also if that claim failed; or if a tombstone says that it
        was deleted, or that `asker` has stopped it.
        """

    def renew(self, key: str, *, owner: str, lease_until: float) -> Renewal:
        """Extend the lease (the heartbeat)."""

    def release(self, key: str, *, owner: str, now: float) -> None:
        """End the owner's lease and do not count its attempt: it was cut off, and did not fail."""

    def record_reply(self, key: str, *, owner: str, reply_record: ReplyRecord) -> bool:
        """Store what was posted; False when the owner has lost the claim.

        An earlier revision that arrives late changes nothing.
        """

    def finish(self, key: str, *, owner: str, expires_at: float | None = None) -> bool:
        """Mark the claim as done and delete the request; False when the owner has lost it.

        From `expires_at` on, if it is given, the message can be claimed again.
        """

    def expired_claims(self, *, now: float, limit: int) -> tuple[Claim, ...]:
        """Claims that are not done and whose lease has expired, the oldest first."""

    def take_over(self, claim: Claim, *, owner: str, now: float, lease_until: float) -> Claim | None:
        """Give an expired claim to a new owner and count the attempt; None if it is not expired any more."""

    def request_stop(self, key: str, *, now: float) -> bool:
        """Ask the worker of a claim, now or after a take-over, to stop; False when the claim is done."""

    def write_tombstone(self, key: str, *, user: str, now: float, expires_at: float) -> bool:
        """Stop a message that has no claim yet; False if it has one, done or not.

        An empty user stands for a deleted message.
        """

    def unfinished_claim(self, key: str, *, now: float) -> Claim | None:
        """The claim, unless it is done; its lease may have expired."""

    def link_claim(self, name: str, key: str, *, expires_at: float) -> None:
        """Make a claim findable by another name: its thread, or a message of its reply."""

    def linked_claim_key(self, name: str, *, now: float) -> str | None:
        """The key of the claim last linked to this name."""

    def is_thread_ours(self, thread: str, *, asked: str, root: str, now: float) -> bool:
        """Whether the app takes part in a thread, in as few requests as possible.

        It does if a claim is linked to `thread`, or if a claim is not done: that of the first message
        (`root`), or the one that is linked to `asked`.
        """

    def add_known_urls(self, name: str, urls: Sequence[str], *, now: float, expires_at: float) -> None:
        """Put URLs before those that are stored under a name, such as a thread's, as many as fit.

        Two writers of one name at the same moment both add theirs.
        """

    def known_urls(self, name: str, *, now: float) -> tuple[str, ...]:
        """The URLs that are stored under a name."""


class FeedbackRows(Protocol):
    """Users' ratings of answers, in the `dedupe` table."""

    def toggle_feedback(self, name: str, value: str, *, press: str, now: float, expires_at: float) -> Rating:
        """Store a press of a feedback button: another value replaces the rating, the same one withdraws it.

        `press` identifies the press; one that is delivered again changes nothing. A change removes the
        reason.
        """

    def add_feedback_reason(self, name: str, reason: str, *, now: float) -> bool:
        """Store why an answer got its rating; False if it has none any more."""


class Marks(Protocol):
    """Marks in the `dedupe` table: small facts that are written once."""

    def mark_once(self, name: str, mark: str, *, now: float, expires_at: float) -> bool:
        """Write a mark; False if the name has another one. The same mark again is True, as after a retry."""


class Workspaces(Protocol):
    """The rows of one workspace, in all tables but the whitelist."""

    def delete_workspace(self, team: str) -> int:
        """Delete a workspace's claims, marks, feedback, counters and cached values; return their number."""


class Whitelist(Protocol):
    """The `whitelist` table."""

    def whitelist_status(self, ids: Mapping[Entity, str]) -> Mapping[Entity, WhitelistStatus]:
        """The status of each id; never cached."""

    def whitelist_entries(self) -> tuple[WhitelistEntry, ...]:
        """Every row, ordered by type and id."""

    def add_to_whitelist(self, entry: WhitelistEntry) -> None:
        """Add a row, or change its label."""

    def remove_from_whitelist(self, entity: Entity, entity_id: str) -> bool:
        """Remove a row; False if it did not exist."""


class UsageCounters(Protocol):
    """The `rate_limit` table."""

    def take_rate_slot(
        self, name: str, *, now: float, interval: float, burst: int, expires_after: float
    ) -> float:
        """Count one request (GCRA). 0.0 if it is allowed, else the seconds to wait; then it is not counted.

        One request per `interval` seconds is allowed, and `burst` of them at once. At most two conditional
        writes and no read.
        """

    def add_usage(self, name: str, amount: int, *, limit: int | None, expires_at: float) -> bool:
        """Add to a counter unless it has reached the limit already (None: no limit).

        The last addition may pass the limit, by its amount less one. An amount of 0 asks whether the limit
        is reached; a negative amount gives back.
        """

    def used(self, name: str, *, now: float) -> int:
        """How much was added to a counter."""

    def add_tally(self, name: str, amounts: Mapping[str, int], *, expires_at: float) -> None:
        """Add to the amounts that are stored under a name; their own names are letters, digits and `_`.

        For statistics: an addition whose answer is lost may count twice.
        """

    def tally(self, name: str, *, now: float) -> Mapping[str, int]:
        """The amounts that are stored under a name."""


class LookupCache(Protocol):
    """The `existence_check_cache` table."""

    def cached_values(self, names: Collection[str], *, now: float) -> Mapping[str, str]:
        """The stored values of these names, in as few requests as possible; expired ones are left out."""

    def cache_values(self, values: Mapping[str, str], *, expires_at: float) -> None:
        """Store values until they expire, in as few requests as possible."""


class Store(Claims, FeedbackRows, Marks, Workspaces, Whitelist, UsageCounters, LookupCache, Protocol):
    """All four tables."""

    def create_tables(self) -> tuple[str, ...]:
        """Create the tables that are missing; return their names. Raises StoreMismatch."""

    def close(self) -> None:
        """Close the connections."""
