"""`python -m tests.soak`: prints one report, and fails when the books do not balance."""

import argparse
import os
import random
import shutil
import signal
import sys
from pathlib import Path

from tests.fakes.dynamodb import NotInstalled, jar
from tests.soak.run import Wanted, soak

LOGS = Path(__file__).parent.parent.parent / "build" / "soak"
UNBALANCED, UNPREPARED, TERMINATED = 1, 2, 143
THRIFT = {"MALLOC_ARENA_MAX": "2", "MALLOC_TRIM_THRESHOLD_": "131072", "MALLOC_MMAP_THRESHOLD_": "131072"}
"""How glibc is told so; set, the thresholds do not grow by themselves."""


def main() -> int:
    options = _parser().parse_args()
    _thrifty()
    if sys.platform != "linux":
        _say("The soak weighs processes as Linux shows them, and runs there only.")
        return UNPREPARED
    lacking = _lacking()
    if options.store == "dynamodb" and lacking:
        _say(lacking)
        return UNPREPARED
    if not options.store and lacking:
        _say(f"{lacking}: SQLite takes its place.")
    store = options.store or ("sqlite" if lacking else "dynamodb")
    signal.signal(
        signal.SIGTERM, lambda *_: sys.exit(TERMINATED)
    )  # whoever ends us early ends our workers too
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1_000_000)
    _say(f"Soaking for {options.minutes:g} minutes on {store}; --seed {seed} brings this weather back.")
    report = soak(
        Wanted(minutes=options.minutes, seed=seed, store=store, rate=options.rate, keep=options.logs)
    )
    _say(report.text())
    if report.balanced:
        return 0
    _say(f"The workers' logs are in {options.logs}.")
    return UNBALANCED


def _thrifty() -> None:
    """Begins again with an allocator that keeps little in reserve for each of many threads: what is weighed
    is what is used."""
    if not THRIFT.keys() <= os.environ.keys():
        os.execve(sys.executable, [*sys.orig_argv], {**os.environ, **THRIFT})


def _lacking() -> str:
    """What DynamoDB Local needs and is not there."""
    try:
        jar()
    except NotInstalled as reason:
        return str(reason)
    return "" if shutil.which("java") else "DynamoDB Local needs Java"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=3.0, help="how long questions are asked")
    parser.add_argument("--seed", type=int, help="of everything that is drawn; another one each time")
    parser.add_argument(
        "--store", choices=("dynamodb", "sqlite"), help="DynamoDB Local where it is installed"
    )
    parser.add_argument("--rate", type=float, default=2.0, help="questions a second")
    parser.add_argument("--logs", type=Path, default=LOGS, help="where logs go when the books do not balance")
    return parser


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
