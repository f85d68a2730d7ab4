"""Time as an argument, so that tests can set it."""

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """The present moment, in UTC."""


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)
