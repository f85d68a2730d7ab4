"""What it costs to read a page in a process of its own instead of in a thread of ours, and to start one.

Pages of about 100 KB, each read by both in turns; a reader process may cost 1.15 times as much. On a machine
with other things to do, waiting for processors is most of what a clock shows: processor time, of both
processes together, is what the reading takes.
"""

import asyncio
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter, process_time

from bench.reading import CORPUS, pages
from fetcher.codes import ReadingMode
from fetcher.web.net.deadline import Deadline
from fetcher.web.reading import readers
from fetcher.web.sandbox.limits import ReaderLimits
from fetcher.web.sandbox.pool import ReaderPool
from fetcher.web.sandbox.process import ReaderProcess
from fetcher.web.values import ReadingContext

SIZES = range(80_000, 125_000)
ROUNDS = 15
STARTS = 7
MOST = 1.15

Cost = tuple[float, float]
"""Seconds of a clock, and of processors."""
Pair = tuple[Cost, Cost]
"""In a reader, and in a thread."""


def report() -> str:
    """A Markdown table."""
    if not CORPUS.exists():
        return f"The pages of {CORPUS.name} are not here: nothing was measured."
    rows = asyncio.run(_measured())
    head = f"{len(rows[ReadingMode.SRD])} pages of about 100 KB"
    start = median(_start() for _ in range(STARTS)) * 1000
    return "\n".join(
        [
            f"| {head} | in a reader, ms | in a thread, ms | ratio (at most {MOST}) | middle half |",
            "|---|--:|--:|--:|---|",
            *(
                _row(f"`{mode}`, {name}", rows[mode], at)
                for mode in ReadingMode
                for at, name in enumerate(NAMES)
            ),
            "",
            f"A reader process is ready in {start:.0f} ms (median), while the first page is on its way.",
        ]
    )


NAMES = ("by the clock", "processor time")


def _row(name: str, pairs: list[Pair], kind: int) -> str:
    child, own = (median(pair[side][kind] for pair in pairs) * 1000 for side in (0, 1))
    ratios = sorted(there[kind] / here[kind] for there, here in pairs)
    spread = f"{ratios[len(ratios) // 4]:.2f} to {ratios[len(ratios) * 3 // 4]:.2f}"
    return f"| {name} | {child:.1f} | {own:.1f} | {median(ratios):.2f} | {spread} |"


async def _measured() -> dict[ReadingMode, list[Pair]]:
    chosen = [(html, url) for html, url in pages() if len(html) in SIZES]
    pool = ReaderPool(ReaderLimits())
    try:
        return {mode: [await _both(pool, html, url, mode) for html, url in chosen] for mode in ReadingMode}
    finally:
        pool.close()


async def _both(pool: ReaderPool, html: bytes, url: str, mode: ReadingMode) -> Pair:
    """The medians of some rounds, in which both take turns."""
    context = ReadingContext(url=url, mode=mode, content_type="text/html")
    rounds: list[Pair] = []
    for _ in range(ROUNDS):
        started = perf_counter(), _processors(pool)
        there = await pool.read(html, context, Deadline(60))
        between = perf_counter(), _processors(pool)
        here = await asyncio.to_thread(readers.read, html, context)
        ended = perf_counter(), _processors(pool)
        assert here == there
        rounds.append((_difference(started, between), _difference(between, ended)))
    child, own = (
        (median(each[side][0] for each in rounds), median(each[side][1] for each in rounds))
        for side in (0, 1)
    )
    return child, own


def _difference(before: Cost, after: Cost) -> Cost:
    return after[0] - before[0], after[1] - before[1]


def _processors(pool: ReaderPool) -> float:
    """Processor seconds of this process and its readers; of this one alone where the kernel does not tell."""
    files = (Path(f"/proc/{pid}/schedstat") for pid in pool.pids)
    return process_time() + sum(int(file.read_text().split()[0]) / 1e9 for file in files if file.exists())


def _start() -> float:
    started = monotonic()
    reader = ReaderProcess(ReaderLimits().memory_mb)
    try:
        reader.wait_until_ready(60)
        return monotonic() - started
    finally:
        reader.close()


if __name__ == "__main__":
    print(report())
