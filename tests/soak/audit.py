"""What the stores know at the end: claims that are not done."""

import time
from collections.abc import Iterable

from slackapp.stores.store import Store

LATER = 12 * 3600


def leases(stores: Iterable[Store]) -> list[str]:
    """Keys of claims that are not done: each has run out by tomorrow."""
    later = time.time() + LATER
    return [claim.key for store in stores for claim in store.expired_claims(now=later, limit=100)]
