"""What it costs to read a page in a process of its own instead of in a thread of ours, and to start one.

Pages of about 100 KB, each read by both in turns; a reader process may cost 1.15 times as much. On a machine
with other things to do, waiting for processors is most of what a clock shows: processor time, of both
processes together, is what the reading takes.
"""

import asyncio
from itertools import pairwise, product
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from bench.reading import CORPUS, pages
from fetcher.codes import ReadingMode
from fetcher.web.net.deadline import Deadline
from fetcher.web.reading import readers
from fetcher.web.sandbox.limits import ReaderLimits
from fetcher.web.sandbox.pool import ReaderPool
from fetcher.web.values import ReadingContext

SIZES = range(80_000, 125_000)
ROUNDS = 15
MOST = 1.15

Cost = tuple[float, float]
"""Seconds of a clock, and of processors."""
Pair = tuple[Cost, Cost]
"""In a reader, and in a thread."""


def report() -> str:
    """A Markdown table."""
    if not CORPUS.exists():
        return f"The pages of {CORPUS.name} are not here: nothing was measured."
    rows = asyncio.run(_measure())
    head = f"{len(rows[ReadingMode.SRD])} pages of about 100 KB"
    return "\n".join(
        [
            f"| {head} | in a reader, ms | in a thread, ms | ratio (at most {MOST}) | middle half |",
            "|---|--:|--:|--:|---|",
            *(
                _row(f"`{mode}`, {name}", rows[mode], at)
                for mode in ReadingMode
                for at, name in enumerate(NAMES)
            ),
        ]
    )


NAMES = ("by the clock", "processor time")


def _row(name: str, pairs: list[Pair], kind: int) -> str:
    child, own = (median(pair[side][kind] for pair in pairs) * 1000 for side in (0, 1))
    ratios = sorted(there[kind] / here[kind] for there, here in pairs)
    spread = f"{ratios[len(ratios) // 4]:.2f} to {ratios[len(ratios) * 3 // 4]:.2f}"
    return f"| {name} | {child:.1f} | {own:.1f} | {median(ratios):.2f} | {spread} |"


async def _measure() -> dict[ReadingMode, list[Pair]]:
    """For each page the medians of some rounds, in which both take turns."""
    chosen = [(html, url) for html, url in pages() if len(html) in SIZES]
    pool = ReaderPool(ReaderLimits())
    pairs: dict[ReadingMode, list[Pair]] = {mode: [] for mode in ReadingMode}
    try:
        for mode, (html, url) in product(ReadingMode, chosen):
            context = ReadingContext(url=url, mode=mode, content_type="text/html")
            rounds: list[tuple[float, ...]] = []
            for _ in range(ROUNDS):
                started = perf_counter(), _processors(pool)
                there = await pool.read(html, context, Deadline(60))
                between = perf_counter(), _processors(pool)
                here = await asyncio.to_thread(readers.read, html, context)
                ended = perf_counter(), _processors(pool)
                assert here == there
                moments = (started, between, ended)
                rounds.append(
                    tuple(
                        after[kind] - before[kind] for before, after in pairwise(moments) for kind in (0, 1)
                    )
                )
            clock, processors, own_clock, own_processors = (
                median(costs) for costs in zip(*rounds, strict=True)
            )
            pairs[mode].append(((clock, processors), (own_clock, own_processors)))
        return pairs
    finally:
        pool.close()


def _processors(pool: ReaderPool) -> float:
    """Processor seconds of this process and its readers; of this one alone where the kernel does not tell."""
    files = (Path(f"/proc/{pid}/schedstat") for pid in pool.pids)
    return process_time() + sum(int(file.read_text().split()[0]) / 1e9 for file in files if file.exists())


if __name__ == "__main__":
    print(report())
