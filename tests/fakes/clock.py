"""A clock that stands still until a test moves it."""

from datetime import UTC, datetime, timedelta

NOON = datetime(2026, 1, 10, 12, 0, tzinfo=UTC)


class FakeClock:
    """Keeps the contract of `fetcher.clock.Clock`; time passes only by `advance` and `set`."""

    def __init__(self, now: datetime = NOON) -> None:
        self.set(now)

    def now(self) -> datetime:
        return self._now

    def advance(self, by: timedelta | float) -> None:
        """Moves on by a duration, or by seconds; a negative one is a clock that was put back."""
        self._now += by if isinstance(by, timedelta) else timedelta(seconds=by)

    def set(self, now: datetime) -> None:
        if now.tzinfo is None:
            raise ValueError("a moment needs its time zone")
        self._now = now.astimezone(UTC)
