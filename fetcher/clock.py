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
    """A time zone; raises ValueError if the zone is unknown, or has no data here.

    Japan has no daylight saving time, so that its zone needs no data.
    """
    if name == JAPAN:
        return timezone(timedelta(hours=9), name)
    try:
        return ZoneInfo(name)
    except (OSError, LookupError, ValueError) as error:  # an unknown zone, or text that is not a name
        raise ValueError(f"no such time zone: {name!r}") from error
