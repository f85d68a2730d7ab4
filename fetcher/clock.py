"""Time as an argument, so that tests can set it."""

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Protocol
from zoneinfo import ZoneInfo

JAPAN = "Asia/Tokyo"


class Clock(Protocol):
    def now(self) -> datetime:
        """The present moment, in UTC."""


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


def zone_named(name: str) -> tzinfo:
    """A time zone; raises ValueError where there is no such zone, or no data about it.

    Japan has no daylight saving time, so that its zone needs no data.
    """
    if name == JAPAN:
        return timezone(timedelta(hours=9), name)
    try:
        return ZoneInfo(name)
    except (OSError, LookupError, ValueError) as error:  # no such zone, or a name that is no name at all
        raise ValueError(f"no such time zone: {name!r}") from error
