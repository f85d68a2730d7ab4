"""What the page cache costs: whether a write grows with the cache, and what a hit takes.

Run it with `python -m bench.caching`; filling a cache with ten thousand pages takes most of its time.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from fetcher.clock import SystemClock
from fetcher.codes import RenderingMethod
from fetcher.web.cache import PageCache, open_cache
from fetcher.web.net.canonical import canonicalise
from fetcher.web.values import Document

FEW, MANY = 100, 10_000
PAGE_SIZES = (10_000, 100_000, 1_000_000)
ROUNDS = 100
LINE = "A line of text as it stands on a page, some eighty characters long, more or less.\n"


def report() -> str:
    """A Markdown table: writes by the number of entries, hits by the size of the page."""
    with TemporaryDirectory() as directory:
        few, many = (_filled_cache(Path(directory, str(count)), count) for count in (FEW, MANY))
        # Both are written in turns, so that a busy machine slows both alike.
        pairs = [
            (_timed(partial(_store, few, number, 10_000)), _timed(partial(_store, many, number, 10_000)))
            for number in range(MANY, MANY + ROUNDS)
        ]
        cheap, dear = (median(pair[side] for pair in pairs) for side in (0, 1))
        hits = []
        lookup = partial(few.lookup, canonicalise("https://example.com/0"), RenderingMethod.HTTP)
        for size in PAGE_SIZES:
            _store(few, 0, size)
            hits.append((f"hit, page of {size // 1000} KB", median(_timed(lookup) for _ in range(ROUNDS))))
    rows = [
        (f"write that evicts, {FEW:,} entries", cheap),
        (f"write that evicts, {MANY:,} entries", dear),
        *hits,
    ]
    lines = [f"| {name} | {taken * 1e6:,.0f} | {taken / cheap:.2f} |" for name, taken in rows]
    return "\n".join(["| Page cache | µs (median) | ratio |", "|---|--:|--:|", *lines])


def _filled_cache(directory: Path, entries: int) -> PageCache:
    cache = open_cache(
        directory=str(directory),
        clock=SystemClock(),
        ttl_days=7,
        query_ttl_hours=24,
        max_entries=entries,
        max_bytes=2**30,
    )
    assert cache is not None
    for number in range(entries):
        _store(cache, number, 1_000)
    return cache


def _store(cache: PageCache, number: int, size: int) -> None:
    url = canonicalise(f"https://example.com/{number}")
    document = Document(markdown=LINE * (size // len(LINE)))
    now = SystemClock().now()
    assert cache.store(
        requested=url, final=url, method=RenderingMethod.HTTP, fetched_at=now, document=document
    )


def _timed(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


if __name__ == "__main__":
    print(report())
