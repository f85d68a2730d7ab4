"""What the stores know at the end: claims that are not done, and questions that nobody ever claimed."""

import time
from collections.abc import Iterable, Sequence

from slackapp.stores.contract import Store
from tests.soak.books import Books, Entry, unheard

SOON = 5.0
"""Seconds after an acknowledgement within which a claim should stand."""
LATER = 12 * 3600
Killed = tuple[str, float]
"""Of which team a worker was killed, and when."""


def leases(stores: Iterable[Store]) -> list[str]:
    """Keys of claims that are not done: each has run out by tomorrow."""
    later = time.time() + LATER
    return [claim.key for store in stores for claim in store.expired_claims(now=later, limit=100)]


def lost(books: Books, killed: Sequence[Killed], stores: Sequence[Store]) -> list[str]:
    """Questions that a worker acknowledged and did not live to claim: Slack sends them no more."""
    silent = unheard(books.entries, books.whispers)
    orphans = [entry for entry in silent if _was_orphaned(entry, killed)]
    return [entry.key for entry in orphans if _never_claimed(stores[entry.question.team], entry.key)]


def _was_orphaned(entry: Entry, killed: Iterable[Killed]) -> bool:
    heard = entry.heard_at
    return heard is not None and any(
        entry.key.startswith(f"{team}:") and 0 <= at - heard < SOON for team, at in killed
    )


def _never_claimed(store: Store, key: str) -> bool:
    now = time.time()
    made = store.claim(key, "{}", owner="books", now=now, lease_until=now, expires_at=now + LATER)
    if made:
        store.finish(key, owner="books")
    return made is not None
