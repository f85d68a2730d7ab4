"""How often a user may ask: a steady rate with bursts (GCRA, S4)."""

import math

from fetcher.clock import Clock
from slackapp.listeners.incoming import Incoming
from slackapp.settings import SlackSettings
from slackapp.stores.contract import UsageCounters

KEPT_SECONDS = 3600.0
"""How long a counter is stored after its last request has lost its effect."""


class RateLimit:
    """One counter for each user of each workspace."""

    def __init__(self, store: UsageCounters, settings: SlackSettings, clock: Clock) -> None:
        self._store = store
        self._interval = 60 / settings.rate_limit_per_minute
        self._burst = settings.rate_limit_burst
        self._clock = clock

    def count_request(self, incoming: Incoming) -> int:
        """Count a request: 0 if it is allowed, else the seconds to wait. Raises StoreUnavailable."""
        seconds = self._store.take_rate_slot(
            f"rate:{incoming.team}:{incoming.user}",
            now=self._clock.now().timestamp(),
            interval=self._interval,
            burst=self._burst,
            expires_after=self._interval * self._burst + KEPT_SECONDS,
        )
        return math.ceil(seconds)
