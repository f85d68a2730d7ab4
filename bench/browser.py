"""A small page in the browser, from start to Markdown, and what the same Chromium needs to dump it.

Both start a browser and end it. The half second for which SRD FR-WF-11e wants the network to be idle is taken
off ours; `--dump-dom` waits for the page's load and no longer.
"""

import asyncio
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from bench.fetching import HOST, Loopback, serve_pages
from bench.figures import spread
from fetcher.codes import ReadingMode
from fetcher.settings import Settings, WebFetchSettings
from fetcher.web.browser import command_line, process
from fetcher.web.browser.page_activity import QUIET_SECONDS
from fetcher.web.errors import BrowserUnavailable
from fetcher.web.fetch_job import FetchOptions
from fetcher.web.pipeline import Pipeline

RUNS = 9
PAGE = (
    "<!doctype html><html lang=ja><meta charset=utf-8><title>店</title><body><div id=root></div><script>"
    "document.getElementById('root').innerHTML = '<main><h1>品書き</h1>' +"
    " Array.from({length: 30}, (_, n) => `<p>${n + 1}. 本日の魚</p>`).join('') + '</main>'</script>"
)
OPTIONS = FetchOptions(
    mode=ReadingMode.SRD, timeout_seconds=20, max_bytes=5 * 2**20, no_cache=True, force_browser=True
)


@dataclass
class Usage:
    """The most that one of our Chromium processes used."""

    memory: int = 0
    processes: int = 0
    started: list[process.Chromium] = field(default_factory=list)

    async def watch(self) -> None:
        while True:
            for group in self.started[-1:]:
                members = group.members
                self.processes = max(self.processes, len(members))
                self.memory = max(self.memory, sum(member.resident for member in members))
            await asyncio.sleep(0.05)


def report() -> str:
    """A Markdown table: seconds, their ratio, and what a browser takes of the machine."""
    try:
        chromium = command_line.find("")
    except BrowserUnavailable as missing:
        return f"{missing.details['error']}: nothing was measured."
    with serve_pages([PAGE.encode()]) as port:
        pairs, usage = asyncio.run(_measure(chromium, port))
    ours, dump = (median(pair[side] for pair in pairs) for side in (0, 1))
    ratios = [first / second for first, second in pairs]
    rendering = f"| start to Markdown, less {QUIET_SECONDS} s of idle"
    left = sum(len(group.members) for group in usage.started)
    used = f"Each rendering: {usage.processes} processes, {usage.memory >> 20} MiB resident at most"
    return "\n".join(
        [
            f"| {RUNS} runs in turns | s (median) | of the dump's | spread |",
            "|---|--:|--:|---|",
            f"{rendering} | {ours:.3f} | {median(ratios):.2f} | {spread(ratios)} |",
            f"| `--dump-dom` | {dump:.3f} | 1.00 | |",
            "",
            f"{used} (shared pages counted for each process); left afterwards: {left}.",
        ]
    )


async def _measure(chromium: str, port: int) -> tuple[list[tuple[float, float]], Usage]:
    network, usage = Loopback(port), Usage()
    settings = Settings(webfetch=WebFetchSettings(enabled=True, cache_dir=""))
    pipeline = Pipeline(settings, resolver=network, dialer=network)
    start = process.start

    def start_and_record(*arguments: Any) -> process.Chromium:
        usage.started.append(start(*arguments))
        return usage.started[-1]

    recording: Callable[..., process.Chromium] = start_and_record
    process.start = recording
    await pipeline.fetch(f"http://{HOST}/0", OPTIONS)  # robots.txt and lazy imports are behind us
    pairs = []
    for _ in range(RUNS):
        started = perf_counter()
        page = await pipeline.fetch(f"http://{HOST}/0", OPTIONS)
        ours = perf_counter() - started - QUIET_SECONDS
        assert page.document.markdown.startswith("# 品書き")
        pairs.append((ours, _time_dump(chromium, port)))
    watch = asyncio.create_task(usage.watch())
    await pipeline.fetch(f"http://{HOST}/0", OPTIONS)  # watched apart: looking takes time
    watch.cancel()
    with suppress(asyncio.CancelledError):
        await watch
    return pairs, usage


def _time_dump(chromium: str, port: int) -> float:
    with tempfile.TemporaryDirectory() as profile:
        root = ["--no-sandbox"] if command_line.is_root() else []
        resolve = [f"--host-resolver-rules=MAP {HOST}:80 127.0.0.1:{port}"]
        url = f"http://{HOST}/0"
        command = [chromium, "--headless", *root, *resolve, f"--user-data-dir={profile}", "--dump-dom", url]
        started = perf_counter()
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, env=command_line.environment(Path(profile))
        )
        taken = perf_counter() - started
    assert "30. 本日の魚" in done.stdout
    return taken


if __name__ == "__main__":
    print(report())
