"""What a line above a story says: its day, who wrote it, or more than that."""

import re

from fetcher.web.reading.extract import japanese
from fetcher.web.reading.extract.facts import has_fact
from fetcher.web.reading.extract.stories.body import DATE

_TIME = re.compile(rf"(?i)\d\d?:\d\d(?::\d\d)?|\d{{1,3}}\s?min(?:ute)?s?\b|{japanese.TIME_OF_STORY}")
"""The time of day, and how long reading takes."""
_WORD = re.compile(r"[^\W\d_]+")
_PUBLISHED = japanese.PUBLISHED.union(
    """
    published posted updated modified stand publiziert veröffentlicht erstellt aktualisiert publié mis jour
    publicado actualizado
    """.split()  # noqa: SIM905 - a table of words reads better
)
"""What says that a day is that of a story."""
_BESIDE_DAY = _PUBLISHED.union(
    "uhr a p m am pm cet cest gmt utc um at on last first zuletzt le el à".split()  # noqa: SIM905 - as above
)
"""What can stand beside the day of a story, if nothing else is told."""
_BY = frozenset("von by par por door di af av text".split())  # noqa: SIM905 - as above
_AMONG_NAMES = frozenset(
    "und and et y e en och og mit with von van de der den la | &".split()  # noqa: SIM905 - as above
)
"""How lines begin that tell who wrote a story, and what stands among the names."""
_MOST_NAMES = 12
"""The words of such a line."""


def is_only_day(line: str) -> bool:
    """Whether a line with a day tells nothing else."""
    return _BESIDE_DAY.issuperset(_WORD.findall(DATE.sub(" ", line).lower()))


def says_published(line: str) -> bool:
    """Whether a line is a day and a word such as published or updated."""
    return is_only_day(line) and not _PUBLISHED.isdisjoint(_WORD.findall(line.lower()))


def is_byline(line: str) -> bool:
    """Whether a line tells who wrote a story, and nothing else."""
    by, *names = line.replace(",", " ").replace(":", " ").split()[: _MOST_NAMES + 1] or [""]
    return (
        by.lower() in _BY
        and 2 <= len(names) < _MOST_NAMES
        and all(name[0].isupper() or name in _AMONG_NAMES for name in names)
    )


def tells_more(line: str) -> bool:
    """Whether a line with a day tells of an event, or another fact: a price, a number of people."""
    return japanese.tells_of_event(line) or has_fact(_TIME.sub(" ", DATE.sub(" ", line)))
