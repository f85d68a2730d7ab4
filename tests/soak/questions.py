"""The questions, each drawn from the seed by its number: who asks what, where, and with what ill luck."""

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

T = TypeVar("T")

HOST = "site.example"
NUMBER = re.compile(rf"{re.escape(HOST)}/\w+\?q=(\d+)")
HASTY = 0
"""The place among the people of whoever asks too much."""
PEOPLE = 80
GONE = PEOPLE
"""The place of whoever has left the company."""
TOO_LONG = 40_001
OPENING = 105
"""So many go to every kind of page in turn: what reading them needs is there before it is weighed."""


class Way(StrEnum):
    """How a question is asked."""

    MENTION = "mention"
    DIRECT = "direct"
    COMMAND = "command"
    SHORTCUT = "shortcut"
    FOLLOW_UP = "follow_up"
    OUTSIDE = "outside"
    """A command where the bot is no member: only the asker sees the answer."""
    EMPTY = "empty"
    LENGTHY = "lengthy"
    SHARED = "shared"
    """A mention in a channel that is shared with another company."""
    LEFT = "left"
    """A mention by somebody who was deactivated."""


REFUSED = frozenset({Way.EMPTY, Way.LENGTHY, Way.SHARED, Way.LEFT})
"""What must never be answered."""

WAYS: Mapping[Way, int] = {
    Way.MENTION: 34,
    Way.DIRECT: 20,
    Way.COMMAND: 12,
    Way.SHORTCUT: 8,
    Way.FOLLOW_UP: 12,
    Way.OUTSIDE: 4,
    Way.EMPTY: 3,
    Way.LENGTHY: 1,
    Way.SHARED: 3,
    Way.LEFT: 3,
}
PAGES: Mapping[str, int] = {
    "article": 44,
    "table": 30,
    "report": 6,
    "workbook": 6,
    "moved": 4,
    "brotli_bomb": 2,
    "gzip_bomb": 2,
    "endless": 2,
    "resets": 2,
    "cut_short": 2,
    "garbage": 2,
    "missing": 2,
    "broken": 2,
    "slow": 4,
    "stalls": 2,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question, before anybody has asked it."""

    number: int
    team: int
    way: Way
    person: int
    page: str
    wants_file: bool
    """Not in threads: where the model fails, the offline reader exports earlier tables of the thread too."""
    wants_much: bool
    """Whether the answer is longer than a message; a whisper is one in the books."""
    drops_file: bool
    """Whether a document comes with the message."""
    stopped_after: float | None
    """Seconds until the asker changes their mind."""

    @property
    def url(self) -> str:
        return f"http://{HOST}/{self.page}?q={self.number}"

    @property
    def text(self) -> str:
        """As Slack keeps it, without the mention."""
        if self.way is Way.EMPTY:
            return ""
        wish = "表をCSVにしてください" if self.wants_file else "要点を教えてください"
        return f"<{self.url}> {wish}" + ("あ" * TOO_LONG if self.way is Way.LENGTHY else "")


def draw(seed: int, number: int, teams: int) -> Question:
    """The question of that number; the same for the same seed."""
    chance = random.Random(f"{seed}/question/{number}")
    way = weighted(chance, WAYS)
    page = weighted(chance, PAGES) if number > OPENING else list(PAGES)[number % len(PAGES)]
    return Question(
        number=number,
        team=chance.randrange(teams),
        way=way,
        person=GONE if way is Way.LEFT else HASTY if chance.random() < 0.1 else chance.randrange(1, PEOPLE),
        page=page,
        wants_file=page == "table" and chance.random() < 0.7 and way is not Way.FOLLOW_UP,
        wants_much=chance.random() < 0.05 and way is not Way.OUTSIDE,
        drops_file=chance.random() < 0.08 and way in (Way.MENTION, Way.DIRECT),
        stopped_after=chance.uniform(0, 4) if chance.random() < 0.04 else None,
    )


def weighted(chance: random.Random, table: Mapping[T, int]) -> T:
    return chance.choices(list(table), weights=list(table.values()))[0]


def number_in(text: str) -> int | None:
    """The number of the youngest question that a text has a link of."""
    return max(map(int, NUMBER.findall(text)), default=None)
