"""How much hostile pages, one after the other, delay the loop, a second user and Slack.

The pages are those of the tests, each within the limits and as hard to read as a page can be made; they come
from a server in a process of its own.
"""

import asyncio
from contextlib import suppress
from statistics import median
from time import perf_counter

from bench import acknowledging
from bench.fetching import HOST, Loopback, serve_pages
from bench.figures import quantile
from fetcher.codes import ReadingMode
from fetcher.settings import Settings, WebFetchSettings
from fetcher.web.errors import FetchError
from fetcher.web.fetch_job import FetchOptions
from fetcher.web.pipeline import Pipeline

OPTIONS = FetchOptions(mode=ReadingMode.ARTICLE, timeout_seconds=20, max_bytes=5 * 2**20, no_cache=True)
PARAGRAPH = "<p>川のほとりの町に、古い水車小屋がありました。水は絶えず流れ、車は休まず回りました。</p>"
USUAL = f"<title>t</title><main><h1>水車</h1>{PARAGRAPH * 700}</main>".encode()
"""About 100 KB."""
ALONE = 40
TICK = 0.005
MOST_LATE, MOST_TIMES, MOST_ACKNOWLEDGING = 0.1, 1.5, 0.3


def hostile_pages() -> list[bytes]:
    from tests.fetcher.web.reading.test_html_limits import HOSTILE, LIMIT
    from tests.scenarios.test_stall import PAGES

    return [html.encode(errors="ignore")[:LIMIT] for html in (*HOSTILE.values(), *PAGES.values())]


def report() -> str:
    """A Markdown table."""
    bodies = [USUAL, *hostile_pages()]
    with serve_pages(bodies) as port:
        late, alone, together = asyncio.run(_measure(port, len(bodies) - 1))
        slack = sorted(acknowledging.while_reading(port, len(bodies) - 1))
    return "\n".join(
        [
            f"| while {len(bodies) - 1} hostile pages are read, one after the other | | wanted |",
            "|---|--:|--:|",
            f"| the loop is late, ms: p99 | {quantile(late, 0.99) * 1000:.0f} | |",
            f"| the loop is late, ms: at worst | {max(late) * 1000:.0f} | {MOST_LATE * 1000:.0f} |",
            f"| a second user's page of 100 KB, ms (median) | {median(together) * 1000:.0f} | |",
            f"| as a multiple of when it is alone | {median(together) / median(alone):.2f} | {MOST_TIMES} |",
            f"| Slack's acknowledgement, s: median | {median(slack):.3f} | |",
            f"| Slack's acknowledgement, s: at worst | {slack[-1]:.3f} | {MOST_ACKNOWLEDGING} |",
        ]
    )


async def _measure(port: int, number: int) -> tuple[list[float], list[float], list[float]]:
    """The loop's lateness, and seconds for a page, alone and together with hostile ones."""
    pipeline = pipeline_at(port)
    usual = f"http://{HOST}/0"
    await pipeline.fetch(usual, OPTIONS)
    alone = [await _time_fetch(pipeline, usual) for _ in range(ALONE)]
    together: list[float] = []
    late: list[float] = []

    async def tick() -> None:
        while True:
            due = perf_counter() + TICK
            await asyncio.sleep(TICK)
            late.append(max(0.0, perf_counter() - due))

    reading = asyncio.ensure_future(read_hostile(pipeline, number))
    ticking = asyncio.ensure_future(tick())
    while not reading.done():
        together.append(await _time_fetch(pipeline, usual))
        await asyncio.sleep(TICK)
    await reading
    ticking.cancel()
    return late, alone, together


def pipeline_at(port: int) -> Pipeline:
    network = Loopback(port)
    return Pipeline(
        Settings(webfetch=WebFetchSettings(enabled=True, cache_dir="")), resolver=network, dialer=network
    )


async def read_hostile(pipeline: Pipeline, number: int) -> None:
    for page in range(1, number + 1):
        with suppress(FetchError):
            await pipeline.fetch(f"http://{HOST}/{page}", OPTIONS)


async def _time_fetch(pipeline: Pipeline, url: str) -> float:
    started = perf_counter()
    await pipeline.fetch(url, OPTIONS)
    return perf_counter() - started


if __name__ == "__main__":
    print(report())
