"""What a soak prints at its end."""

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.soak.books import Entry, seconds
from tests.soak.memory import Growth


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The numbers, and what does not agree."""

    seed: int
    store: str
    minutes: float
    entries: Sequence[Entry]
    whispers: int
    untold: int
    faults: Mapping[str, int]
    kills: Mapping[str, int]
    warnings: Mapping[str, int]
    growth: Sequence[Growth]
    discrepancies: Sequence[str]

    @property
    def balanced(self) -> bool:
        return not self.discrepancies

    def text(self) -> str:
        return "\n".join(
            [
                f"Soak of {self.minutes:g} minutes on {self.store}, seed {self.seed}",
                *self._questions(),
                *_counted("Faults", self.faults),
                *_counted("Workers and readers ended", self.kills),
                *_counted("Warnings in the logs", self.warnings),
                *self._memory(),
                *self._verdict(),
            ]
        )

    def _questions(self) -> list[str]:
        answered = sum(entry.answered for entry in self.entries)
        noticed = sum(entry.told and not entry.answered for entry in self.entries)
        files = sum(len(entry.files) for entry in self.entries)
        ways = Counter(entry.question.way.value for entry in self.entries)
        given_up = sum(not entry.acknowledged and not entry.told for entry in self.entries)
        times = seconds(self.entries)
        lines = [
            f"Questions: {len(self.entries)} ({_listed(ways)})",
            f"Answers in threads: {answered}, with {files} files",
            f"Failures and refusals told in threads: {noticed}",
            f"Answers and refusals told to one person alone: {self.whispers}",
            f"Nobody could be told, as the log says: {self.untold}",
            f"Slack gave up, as no delivery was acknowledged: {given_up}",
        ]
        if len(times) > 1:
            whole = statistics.quantiles(times, n=100)
            lines.append(f"Seconds to answer: p50 {whole[49]:.1f}, p99 {whole[98]:.1f}, most {times[-1]:.1f}")
        return lines

    def _memory(self) -> list[str]:
        if not self.growth:
            return ["Memory: not judged in less than three minutes"]
        return ["Memory once settled and in the last minute, and in each:", *map(_grown, self.growth)]

    def _verdict(self) -> list[str]:
        if self.balanced:
            return ["The books balance."]
        lines = (f"  {each}" for each in self.discrepancies)
        return [f"The books do not balance, {len(self.discrepancies)} discrepancies:", *lines]


def _grown(growth: Growth) -> str:
    minutes = " ".join(f"{megabytes:.0f}" for megabytes in growth.minutes)
    return f"  {growth.name}: {growth.settled:.0f} → {growth.last:.0f} MB ({growth.ratio:.2f}): {minutes}"


def _counted(title: str, counts: Mapping[str, int]) -> list[str]:
    total = sum(counts.values())
    return [f"{title}: {total}", *(f"  {name}: {counts[name]}" for name in sorted(counts))]


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{counts[name]} {name}" for name in sorted(counts))
