"""How much the channels of a workspace use the app: answered questions and their tokens, by day."""

from collections import Counter
from datetime import datetime, timedelta
from typing import NamedTuple

from fetcher.clock import Clock, zone_named
from slackapp.listeners.incoming import Incoming
from slackapp.settings import SlackSettings
from slackapp.stores.contract import UsageCounters

DAYS = 7
KEPT = timedelta(days=DAYS + 1)
DIRECT = "direct"
"""Stands for all direct conversations: the usage shows no single person."""


class Used(NamedTuple):
    """What a channel has used."""

    questions: int
    tokens: int


class ChannelUsage:
    """Counts answers in `TIMEZONE`'s days; no text of a question is stored."""

    def __init__(self, store: UsageCounters, settings: SlackSettings, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._zone = zone_named(settings.timezone)

    def add_answer(self, incoming: Incoming, tokens: int) -> None:
        """Count an answer. Raises StoreUnavailable."""
        channel = DIRECT if incoming.channel.startswith("D") else incoming.channel
        amounts = {f"{channel}_questions": 1, f"{channel}_tokens": tokens}
        today = self._clock.now().astimezone(self._zone)
        expires_at = (today + KEPT).timestamp()
        self._store.add_tally(_name(incoming.team, today), amounts, expires_at=expires_at)

    def week(self, team: str) -> dict[str, Used]:
        """What the channels have used in the last seven days, most first. Raises StoreUnavailable."""
        now = self._clock.now()
        today, sums = now.astimezone(self._zone), Counter[str]()
        for days in range(DAYS):
            day = today - timedelta(days=days)
            sums.update(self._store.tally(_name(team, day), now=now.timestamp()))
        channels = [name.removesuffix("_questions") for name in sums if name.endswith("_questions")]
        used = {each: Used(sums[f"{each}_questions"], sums[f"{each}_tokens"]) for each in channels}
        return dict(sorted(used.items(), key=lambda pair: (-pair[1].questions, pair[0])))


def _name(team: str, day: datetime) -> str:
    return f"usage:{day.date()}:{team}"
