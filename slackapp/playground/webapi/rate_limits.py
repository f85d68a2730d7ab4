"""Slack's rate limits: calls per minute of a method, or of a method in one channel."""

import math
from collections import deque
from dataclasses import dataclass, field

from fetcher.clock import Clock
from slackapp.playground.values import Json
from slackapp.playground.webapi.methods.context import Method

WINDOW = 60.0


@dataclass(slots=True)
class RateLimits:
    """Counts the calls of the last minute, for each app, method and (where it matters) channel."""

    clock: Clock
    enabled: bool
    _calls: dict[tuple[str, ...], deque[float]] = field(default_factory=dict, init=False)

    def count_call(self, app_id: str, name: str, method: Method, arguments: Json) -> int:
        """Counts a call that is allowed; returns 0 for it, else the seconds to wait."""
        if not self.enabled:
            return 0
        key = app_id, name, str(arguments.get("channel", "")) if method.per_channel else ""
        calls = self._calls.setdefault(key, deque())
        now = self.clock.now().timestamp()
        while calls and calls[0] <= now - WINDOW:
            calls.popleft()
        if len(calls) >= method.per_minute:
            return max(1, math.ceil(calls[0] + WINDOW - now))
        calls.append(now)
        return 0
