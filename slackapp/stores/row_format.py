"""The format of times, amounts and records in both stores. Pure."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from fetcher.text import well_formed
from slackapp.stores.contract import Rating, ReplyRecord

MICROS = 1_000_000
MOST_SKEW = 60 * MICROS
"""How much the clocks of two workers may differ before their counters are not compared any more."""
MOST_URLS = 50
"""URLs that are stored for one thread."""
MOST_URL_CHARS = 100_000
"""Their bytes in all; a row of DynamoDB has at most 400 KB."""


def expiry(moment: float) -> int:
    """The second from which a row counts as gone; DynamoDB's TTL takes whole seconds only."""
    return math.ceil(moment)


def reply_record_json(reply_record: ReplyRecord) -> str:
    return json.dumps(asdict(reply_record))


def reply_record_from(text: str | None) -> ReplyRecord:
    """The record, as this or another version of the app has written it.

    Unknown fields, and those with a value of another type, are left out: one row that cannot be read must
    not keep a sweeper from the others. The messages of the reply are then found by their marks.
    """
    try:
        written = json.loads(text or "{}")
    except ValueError:
        written = {}
    readable: dict[str, Any] = {}
    for field in fields(ReplyRecord):
        value = written.get(field.name) if isinstance(written, dict) else None
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            value = tuple(value)
        if type(value) is type(field.default):
            readable[field.name] = value
    return ReplyRecord(**readable)


def urls_json(urls: Iterable[str]) -> str:
    """The URLs that are stored for a thread: the first ones, each once, within the limits."""
    fitting: list[str] = []
    room = MOST_URL_CHARS
    for url in dict.fromkeys(well_formed(url, "?") for url in urls):
        room -= len(url.encode())
        if room < 0 or len(fitting) == MOST_URLS:
            break
        fitting.append(url)
    return json.dumps(fitting, ensure_ascii=False)


def urls_from(text: str | None) -> tuple[str, ...]:
    return tuple(json.loads(text)) if text else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RateStep:
    """One request under the generic cell rate algorithm (GCRA), in microseconds.

    A counter stores one number: the time at which it will be empty again. A request adds `interval` to it,
    or to the present time if the counter is empty. It is allowed if the counter then holds at most `burst`
    intervals.
    """

    now: int
    interval: int
    burst: int

    @property
    def latest(self) -> int:
        """A counter that is empty by this time has room for one more."""
        return self.now + (self.burst - 1) * self.interval

    @property
    def impossible(self) -> int:
        """A counter that is empty only after this time was filled by a wrong clock; it counts as empty."""
        return self.now + self.burst * self.interval + MOST_SKEW

    def wait(self, empty_at: int) -> float:
        """The seconds until a full counter will have room."""
        return (empty_at - self.latest) / MICROS


def rate_step(*, now: float, interval: float, burst: int) -> RateStep:
    """In whole microseconds: sums of them are exact, in a database and in Python."""
    return RateStep(now=round(now * MICROS), interval=round(interval * MICROS), burst=burst)


def rating_after(row: Mapping[str, Any], value: str, press: str) -> Rating:
    """The rating after a press. Slack does not say that a press deselects: the same value again does."""
    before, is_repeated = str(row.get("feedback") or ""), bool(row) and row.get("press") == press
    after = before if is_repeated else "" if before == value else value
    return Rating(value=after, is_first=not row, is_repeated=is_repeated)
