"""The workers' reader processes, seen from outside: killed at random moments, and gone at the end."""

import os
import random
import signal
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

PROGRAM = b"fetcher.web.sandbox.child"
"""What the command line of a reader says."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A process, and when it began: its number may be another's later."""

    pid: int
    began: str


@dataclass(slots=True, kw_only=True)
class Readers:
    """Knows every reader that it has ever seen."""

    chance: random.Random
    kills: Counter[str]
    _seen: set[Reader] = field(default_factory=set)

    def strike(self, workers: Collection[int]) -> None:
        """Kills one of the workers' readers, whatever it does."""
        readers = sorted(_children(workers), key=lambda reader: reader.pid)
        self._seen.update(readers)
        if readers:
            with suppress(ProcessLookupError):
                os.kill(self.chance.choice(readers).pid, signal.SIGKILL)
                self.kills["a reader, SIGKILL"] += 1

    def left(self) -> list[str]:
        """Those that still live."""
        return [
            f"reader process {reader.pid}"
            for reader in sorted(self._seen, key=lambda one: one.pid)
            if _lives(reader)
        ]


def _children(parents: Collection[int]) -> Iterator[Reader]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and (facts := _facts(entry)) and int(facts[1]) in parents:
            with suppress(OSError):
                if PROGRAM in (entry / "cmdline").read_bytes():
                    yield Reader(int(entry.name), facts[19])


def _lives(reader: Reader) -> bool:
    facts = _facts(Path(f"/proc/{reader.pid}"))
    return bool(facts) and facts[19] == reader.began and facts[0] not in "ZX"


def _facts(entry: Path) -> list[str]:
    """State, parent and what else proc(5) lists behind a process's name; nothing of one that has ended."""
    try:
        return (entry / "stat").read_text("utf-8", "replace").rpartition(") ")[2].split()
    except OSError:
        return []
