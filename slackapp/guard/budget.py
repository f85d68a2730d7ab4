"""How many questions and tokens a workspace, and all of them together, may use in a day (S4).

A day is a date in `TIMEZONE`. Questions are counted before they are answered. The tokens of an answer are
known only afterwards, so the last answer of a day may pass the limit. 0 means no limit, and no request to the
store.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from fetcher.clock import Clock, zone_named
from slackapp.codes import RefusalCode
from slackapp.listeners.incoming import Incoming
from slackapp.settings import SlackSettings
from slackapp.stores.contract import UsageCounters

COUNTER_LIFE = timedelta(days=3)


class Budget:
    """Daily counters, named by the date."""

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
