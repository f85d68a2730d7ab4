"""How much memory processes have, minute by minute."""

import os
import statistics
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

MOST_GROWTH = 1.1
SETTLING = 1
"""The first minute (from 0) with which the last one is compared: before it, modules are loaded and caches
fill. In a long run it is the one in the middle: what leaks, grows in the second half too."""
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """A process in the minute after it had settled, and in the last one; in megabytes."""

    name: str
    settled: float
    last: float
    minutes: tuple[float, ...] = ()
    """All of them, from the first."""

    @property
    def ratio(self) -> float:
        return self.last / self.settled

    @property
    def leaks(self) -> bool:
        return self.ratio > MOST_GROWTH


class Scales:
    """Weighs processes whenever it is asked to."""

    def __init__(self) -> None:
        self._weights: dict[str, list[tuple[float, float]]] = defaultdict(list)

    def weigh(self, name: str, pid: int, second: float) -> None:
        self.note(name, second, resident(pid))

    def note(self, name: str, second: float, megabytes: float) -> None:
        self._weights[name].append((second, megabytes))

    def growth(self, whole: float) -> list[Growth]:
        """Of each process, when so many seconds are over; nothing when they were less than three minutes."""
        if whole < (SETTLING + 2) * 60:
            return []
        settled = max(SETTLING, int(whole / 60 / 2))
        return [
            Growth(
                name=name,
                settled=_median(weights, settled * 60, (settled + 1) * 60),
                last=_median(weights, whole - 60, whole),
                minutes=tuple(_median(weights, end - 60, end) for end in range(60, int(whole) + 1, 60)),
            )
            for name, weights in self._weights.items()
        ]


def _median(weights: list[tuple[float, float]], begin: float, end: float) -> float:
    return statistics.median(weight for second, weight in weights if begin <= second < end)


def resident(pid: int) -> float:
    """What a process has in memory, in megabytes."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE / (1 << 20)
