"""What a workspace, and all of them together, may ask and spend in a day (S4).

A day is a date in Japan. Questions are counted before they are answered. What an answer costs in tokens is
known only afterwards, so the last one of a day may go over the limit. A limit of 0 is none, and costs no
request to the store.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta, timezone

from fetcher.clock import Clock
from slackapp.codes import RefusalCode
from slackapp.listeners.incoming import Incoming
from slackapp.settings import SlackSettings
from slackapp.stores.contract import UsageCounters

JAPAN = timezone(timedelta(hours=9))
"""Without daylight saving time, so no time zone data is needed."""
KEPT = timedelta(days=3)


class Budget:
    """Daily counters, named by the date."""

    def __init__(self, store: UsageCounters, settings: SlackSettings, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._questions = (settings.daily_questions_per_team, settings.daily_questions_total)
        self._tokens = (settings.daily_tokens_per_team, settings.daily_tokens_total)

    def refusal(self, incoming: Incoming) -> RefusalCode | None:
        """Counts the question, unless the day's budget is spent. Raises StoreUnavailable."""
        today = self._clock.now().astimezone(JAPAN)
        tokens = _counters("tokens", incoming, today, self._tokens)
        if not all(self._spend(name, 0, limit, today) for name, limit in tokens):
            return RefusalCode.DAILY_TOKENS
        questions = tuple(_counters("questions", incoming, today, self._questions))
        for place, (name, limit) in enumerate(questions):
            if not self._spend(name, 1, limit, today):
                for earlier, _ in questions[:place]:  # a question that is refused costs nothing
                    self._spend(earlier, -1, None, today)
                return RefusalCode.DAILY_QUESTIONS
        return None

    def spent(self, incoming: Incoming, tokens: int) -> None:
        """Adds what an answer has cost. Raises StoreUnavailable."""
        today = self._clock.now().astimezone(JAPAN)
        if tokens > 0:
            for name, _ in _counters("tokens", incoming, today, self._tokens):
                self._spend(name, tokens, None, today)

    def _spend(self, name: str, amount: int, limit: int | None, today: datetime) -> bool:
        return self._store.add_usage(name, amount, limit=limit, expires_at=(today + KEPT).timestamp())


def _counters(
    what: str, incoming: Incoming, today: datetime, limits: tuple[int, int]
) -> Iterable[tuple[str, int]]:
    """The counters that have a limit: the workspace's, then everybody's."""
    names = (f"{what}:{today.date()}:{incoming.team}", f"{what}:{today.date()}:all")
    return ((name, limit) for name, limit in zip(names, limits, strict=True) if limit)
