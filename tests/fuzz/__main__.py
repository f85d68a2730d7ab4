"""Fuzzes the targets, several at a time: `python -m tests.fuzz [--seconds N] [--jobs N] [TARGET ...]`.

Bytes that reach new code are gathered in `build/fuzz/<target>/gathered/`, where the next run begins; bytes
that break a promise lie beside it as `crash-…`, `timeout-…` or `oom-…`, and the command fails.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.fuzz.targets import CORPUS, TARGETS, WORDS

ROOT = Path(__file__).parents[2]
LONGEST_INPUT = 2_048
SLOWEST_SECONDS = 120
"""For one input; the checks have finer bounds, this one ends what never returns."""
MOST_MEMORY_MB = 1_500
GRACE_SECONDS = 240
"""For starting, for reading what earlier runs gathered, and for a last slow input."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a target fared."""

    target: str
    seconds: float
    inputs: int
    coverage: int
    broken: bool
    log: Path

    def __str__(self) -> str:
        verdict = f"BROKEN, see {self.log}" if self.broken else "held"
        return (
            f"{self.target:15} {self.inputs:>9,} inputs in {self.seconds:5.0f} s, "
            f"{self.coverage:>5,} places reached: {verdict}"
        )


def main(arguments: Sequence[str]) -> int:
    """Runs all targets that are named, or all; 1 where a promise was broken."""
    options = _parser().parse_args(arguments)
    run = partial(fuzz, seconds=options.seconds, seed=options.seed, into=options.into)
    with ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(map(_told, pool.map(run, options.targets or TARGETS)))
    return int(any(outcome.broken for outcome in outcomes))


def fuzz(target: str, *, seconds: int, seed: int, into: Path) -> Outcome:
    """One target, in a process of its own; libFuzzer ends it."""
    room = into.absolute() / target
    (room / "gathered").mkdir(parents=True, exist_ok=True)
    log = room / "log"
    command = [sys.executable, "-m", "tests.fuzz.run", target, *_options(seconds, seed)]
    command += [f"-dict={words}"] if (words := WORDS / target).exists() else []
    command += [f"-artifact_prefix={room}/", str(room / "gathered"), str(CORPUS / target)]
    started = time.monotonic()
    with log.open("wb") as output:
        done = _ended(command, output.fileno(), seconds + GRACE_SECONDS)
    inputs, coverage = figures(log.read_text("utf-8", "replace"))
    return Outcome(
        target=target,
        seconds=time.monotonic() - started,
        inputs=inputs,
        coverage=coverage,
        broken=done != 0,
        log=log,
    )


def _ended(command: Sequence[str], output: int, seconds: float) -> int:
    try:
        return subprocess.run(
            command, cwd=ROOT, stdout=output, stderr=output, timeout=seconds, check=False
        ).returncode
    except subprocess.TimeoutExpired:
        return -1


def _options(seconds: int, seed: int) -> Iterator[str]:
    yield f"-max_total_time={seconds}"
    yield f"-seed={seed}"
    yield f"-max_len={LONGEST_INPUT}"
    yield f"-timeout={SLOWEST_SECONDS}"
    yield f"-rss_limit_mb={MOST_MEMORY_MB}"


def figures(log: str) -> tuple[int, int]:
    """Inputs tried and places reached, from libFuzzer's last line that has them."""
    lines = re.findall(r"^#(\d+)\s.*? cov: (\d+) ", log, re.MULTILINE)
    return (int(lines[-1][0]), int(lines[-1][1])) if lines else (0, 0)


def _told(outcome: Outcome) -> Outcome:
    sys.stdout.write(f"{outcome}\n")
    sys.stdout.flush()
    return outcome


def _target(name: str) -> str:
    if name not in TARGETS:
        raise argparse.ArgumentTypeError(f"{name} is none of {', '.join(TARGETS)}")
    return name


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="for each target; default 60")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="targets at a time")
    parser.add_argument("--seed", type=int, default=0, help="of chance; 0, the default, is another each time")
    parser.add_argument(
        "--into", type=Path, default=ROOT / "build" / "fuzz", help="where to keep what is found"
    )
    parser.add_argument("targets", nargs="*", metavar="TARGET", type=_target, help=", ".join(TARGETS))
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
