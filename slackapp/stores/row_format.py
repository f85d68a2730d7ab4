"""How both stores write moments, amounts and deliveries down. Pure."""

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields

from fetcher.text import well_formed
from slackapp.stores.contract import ReplyRecord

MICROS = 1_000_000
MOST_URLS = 50
"""What a thread's record holds."""
MOST_URL_CHARS = 100_000
"""Bytes of them; DynamoDB's rows have at most 400 KB."""


def expiry(moment: float) -> int:
    """The second from which a row counts as gone: DynamoDB's TTL knows whole ones only."""
    return math.ceil(moment)


def micros(seconds: float) -> int:
    """Whole microseconds: sums of them are exact, in a database as in here."""
    return round(seconds * MICROS)


def clean(text: str) -> str:
    """Text that is UTF-8: half a surrogate pair, which JSON lets through, can be stored nowhere."""
    return well_formed(text, "?")


def delivery_json(delivery: ReplyRecord) -> str:
    return json.dumps(asdict(delivery))


def delivery_of(text: str) -> ReplyRecord:
    """What was written, by this version of the app or another; what this one does not know is left out."""
    known = {field.name for field in fields(ReplyRecord)}
    written = {name: value for name, value in json.loads(text).items() if name in known}
    tuples = {name: tuple(value) for name, value in written.items() if isinstance(value, list)}
    return ReplyRecord(**written | tuples)


def urls_json(urls: Iterable[str]) -> str:
    """A thread's record: the first of the URLs, each once, within its bounds."""
    kept: list[str] = []
    room = MOST_URL_CHARS
    for url in dict.fromkeys(map(clean, urls)):
        room -= len(url.encode())
        if room < 0 or len(kept) == MOST_URLS:
            break
        kept.append(url)
    return json.dumps(kept, ensure_ascii=False)


def urls_of(text: str | None) -> tuple[str, ...]:
    return tuple(json.loads(text)) if text else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RateStep:
    """One request under GCRA, in microseconds.

    A meter holds one number, the moment at which it will be empty again. A request adds `interval` to it,
    from now on if it is empty, and fits while the meter then holds no more than `burst` intervals.
    """

    now: int
    interval: int
    burst: int

    @property
    def latest(self) -> int:
        """A meter that is empty by then has room for one more."""
        return self.now + (self.burst - 1) * self.interval

    def wait(self, empty_at: int) -> float:
        """The seconds until a meter that is full will have room."""
        return (empty_at - self.latest) / MICROS


def turn(*, now: float, interval: float, burst: int) -> RateStep:
    return RateStep(now=micros(now), interval=micros(interval), burst=burst)
