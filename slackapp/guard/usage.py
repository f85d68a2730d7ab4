"""How much the app may be used, and is used (S4): a user's rate, a day's budget, the channels of a workspace.

A day is a date in `TIMEZONE`. Questions are counted before they are answered. The tokens of an answer are
known only afterwards, so the last answer of a day may pass the limit. 0 means no limit, and no request to the
store.
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from fetcher.clock import Clock, zone_named
from slackapp.codes import RefusalCode
from slackapp.listeners.incoming import Incoming
from slackapp.settings import SlackSettings
from slackapp.stores.usage_counters import UsageCounters

RATE_SECONDS = 3600.0
"""How long a user's counter is stored after its last request has lost its effect."""
COUNTER_LIFE = timedelta(days=3)
DAYS = 7
USAGE_LIFE = timedelta(days=DAYS + 1)
DIRECT = "direct"
"""Stands for all direct conversations: the usage shows no single person."""


@dataclass(frozen=True, slots=True)
class RateLimit:
    """How often a user may ask: a steady rate with bursts (GCRA), counted for each user of each workspace."""

    store: UsageCounters
    settings: SlackSettings
    clock: Clock

    def count_request(self, incoming: Incoming) -> int:
        """Count a request: 0 if it is allowed, else the seconds to wait. Raises StoreUnavailable."""
        interval, burst = 60 / self.settings.rate_limit_per_minute, self.settings.rate_limit_burst
        seconds = self.store.take_rate_slot(
            f"rate:{incoming.team}:{incoming.user}",
            now=self.clock.now().timestamp(),
            interval=interval,
            burst=burst,
            expires_after=interval * burst + RATE_SECONDS,
        )
        return math.ceil(seconds)


class Budget:
    """How many questions and tokens a workspace, and all together, may use in a day: counters by date."""

    def __init__(self, store: UsageCounters, settings: SlackSettings, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._zone = zone_named(settings.timezone)
        self._questions = (settings.daily_questions_per_team, settings.daily_questions_total)
        self._tokens = (settings.daily_tokens_per_team, settings.daily_tokens_total)

    def count_question(self, incoming: Incoming) -> RefusalCode | None:
        """Count a question, or refuse it if the day's budget is used up. Raises StoreUnavailable."""
        today = self._clock.now().astimezone(self._zone)
        tokens = _counters("tokens", incoming.team, today, self._tokens)
        if not all(self._add(name, 0, limit, today) for name, limit in tokens):
            return RefusalCode.DAILY_TOKENS
        questions = tuple(_counters("questions", incoming.team, today, self._questions))
        for index, (name, limit) in enumerate(questions):
            if not self._add(name, 1, limit, today):
                for earlier, _ in questions[:index]:  # a refused question is not counted
                    self._add(earlier, -1, None, today)
                return RefusalCode.DAILY_QUESTIONS
        return None

    def add_tokens(self, incoming: Incoming, tokens: int) -> None:
        """Add the tokens of an answer. Raises StoreUnavailable."""
        today = self._clock.now().astimezone(self._zone)
        if tokens > 0:
            for name, _ in _counters("tokens", incoming.team, today, self._tokens):
                self._add(name, tokens, None, today)

    def left(self, team: str) -> tuple[int | None, int | None]:
        """The questions and the tokens that a workspace may still use today; None without a limit.

        Raises StoreUnavailable.
        """
        today, now = self._clock.now().astimezone(self._zone), self._clock.now().timestamp()
        left: list[int | None] = []
        for unit, limits in (("questions", self._questions), ("tokens", self._tokens)):
            counters = _counters(unit, team, today, limits)
            rests = [max(0, limit - self._store.used(name, now=now)) for name, limit in counters]
            left.append(min(rests, default=None))
        return left[0], left[1]

    def _add(self, name: str, amount: int, limit: int | None, today: datetime) -> bool:
        return self._store.add_usage(name, amount, limit=limit, expires_at=(today + COUNTER_LIFE).timestamp())


def _counters(unit: str, team: str, today: datetime, limits: tuple[int, int]) -> Iterable[tuple[str, int]]:
    """The counters that have a limit: that of the workspace, then the total."""
    names = (f"{unit}:{today.date()}:{team}", f"{unit}:{today.date()}:all")
    return ((name, limit) for name, limit in zip(names, limits, strict=True) if limit)


class Used(NamedTuple):
    """What a channel has used."""

    questions: int
    tokens: int


@dataclass(frozen=True, slots=True)
class ChannelUsage:
    """Counts answers by channel, in `TIMEZONE`'s days; no text of a question is stored."""

    store: UsageCounters
    settings: SlackSettings
    clock: Clock

    def add_answer(self, incoming: Incoming, tokens: int) -> None:
        """Count an answer. Raises StoreUnavailable."""
        channel = DIRECT if incoming.channel.startswith("D") else incoming.channel
        amounts = {f"{channel}_questions": 1, f"{channel}_tokens": tokens}
        today = self.clock.now().astimezone(zone_named(self.settings.timezone))
        expires_at = (today + USAGE_LIFE).timestamp()
        self.store.add_tally(f"usage:{today.date()}:{incoming.team}", amounts, expires_at=expires_at)

    def week(self, team: str) -> dict[str, Used]:
        """What the channels have used in the last seven days, most first. Raises StoreUnavailable."""
        now = self.clock.now()
        today, sums = now.astimezone(zone_named(self.settings.timezone)), Counter[str]()
        for days in range(DAYS):
            day = today - timedelta(days=days)
            sums.update(self.store.tally(f"usage:{day.date()}:{team}", now=now.timestamp()))
        channels = [name.removesuffix("_questions") for name in sums if name.endswith("_questions")]
        used = {each: Used(sums[f"{each}_questions"], sums[f"{each}_tokens"]) for each in channels}
        return dict(sorted(used.items(), key=lambda pair: (-pair[1].questions, pair[0])))
