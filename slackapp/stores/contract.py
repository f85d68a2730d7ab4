"""The values and errors of the store.

StoreError
├── StoreUnavailable    not reached or not answered: undecided, a write may have been made
│   └── StoreRefused    refused: decided, nothing was written
└── StoreMismatch       a table has other keys than ours, or a file belongs to another application
"""

from dataclasses import dataclass
from enum import StrEnum


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
