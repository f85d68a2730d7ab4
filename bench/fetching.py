"""A page read from a server on loopback, compared with a bare client and with the cache."""

import asyncio
import multiprocessing
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from ipaddress import ip_address
from multiprocessing.connection import Connection
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import httpx2

from bench.reading import CORPUS, pages
from fetcher.codes import Note, ReadingMode
from fetcher.settings import Settings, WebFetchSettings
from fetcher.web.fetch_job import FetchOptions
from fetcher.web.net.network import Connection as Stream
from fetcher.web.net.network import SystemDialer
from fetcher.web.pipeline import Pipeline
from fetcher.web.values import IPAddress
from tests.fakes.web import FakeWeb

HOST, ADDRESS = "bench.example", ip_address("93.184.216.34")
PAGES = 20
ROUNDS = 5
"""Each page is read and found so many times; the median counts."""

READ = FetchOptions(mode=ReadingMode.SRD, timeout_seconds=20, max_bytes=5 * 2**20, no_cache=True)
FIND = FetchOptions(mode=ReadingMode.SRD, timeout_seconds=20, max_bytes=5 * 2**20)


class Loopback:
    """A resolver and a dialer that know one host."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._dialer = SystemDialer()

    async def resolve(self, host: str) -> list[IPAddress]:
        if host != HOST:
            raise socket.gaierror(socket.EAI_NONAME, host)
        return [ADDRESS]

    async def dial(self, address: IPAddress, port: int) -> Stream:
        return await self._dialer.dial(ip_address("127.0.0.1"), self._port)


def report() -> str:
    """A Markdown table: what a read and a hit take, and the one as a part of the other."""
    if not CORPUS.exists():
        return f"The pages of {CORPUS.name} are not here: nothing was measured."
    rows = list(measure())
    reads, hits, bares = (median(row[number] for row in rows) for number in range(3))
    return "\n".join(
        [
            f"| {PAGES} pages | ms (median) | part of a read | spread over pages |",
            "|---|--:|--:|---|",
            f"| fetched and read, `srd` mode, no cache | {reads * 1000:.1f} | 1 | |",
            f"| a bare httpx2 client: the bytes alone | {bares * 1000:.2f} | {_part(rows, 2)} |",
            f"| cache hit | {hits * 1000:.2f} | {_part(rows, 1)} |",
        ]
    )


def _part(rows: list[tuple[float, float, float]], number: int) -> str:
    parts = sorted(row[number] / row[0] for row in rows)
    return f"{median(parts):.3f} | {parts[0]:.3f} to {parts[-1]:.3f}"


def measure() -> Iterator[tuple[float, float, float]]:
    """Seconds for a read, for a hit, and for the bytes alone, page by page."""
    chosen = [html for number, (html, _) in enumerate(pages()) if number % (420 // PAGES) == 0]
    with serve_pages(chosen) as port, TemporaryDirectory() as directory:
        yield from asyncio.run(_measure(port, directory, len(chosen)))


async def _measure(port: int, directory: str, number: int) -> list[tuple[float, float, float]]:
    network = Loopback(port)
    pipeline = Pipeline(
        Settings(webfetch=WebFetchSettings(enabled=True, cache_dir=directory)),
        resolver=network,
        dialer=network,
    )
    await pipeline.fetch(f"http://{HOST}/0", READ)  # robots.txt and lazy imports are behind us
    rows = []
    async with httpx2.AsyncClient(headers={"Host": HOST}, trust_env=False) as client:
        for page in range(number):
            url = f"http://{HOST}/{page}"
            same = f"http://127.0.0.1:{port}/{page}"
            times = []
            for _ in range(ROUNDS):
                read, found = [await _time_fetch(pipeline, url, options) for options in (READ, FIND)]
                started = perf_counter()
                response = await client.get(same)  # on a connection that may be open already
                times.append((read, found, perf_counter() - started))
                assert response.status_code == 200
            rows.append(tuple(median(each[side] for each in times) for side in (0, 1, 2)))
    return rows  # type: ignore[return-value]  # three of each


async def _time_fetch(pipeline: Pipeline, url: str, options: FetchOptions) -> float:
    started = perf_counter()
    page = await pipeline.fetch(url, options)
    taken = perf_counter() - started
    assert (Note.CACHE_HIT in page.notes) is not options.no_cache
    return taken


def serve_pages(bodies: list[bytes]) -> AbstractContextManager[int]:
    """The port of a web server with these pages at /0, /1 and so on."""
    return in_a_process(_serve, bodies)


@contextmanager
def in_a_process(serve: Callable[..., None], *arguments: object) -> Iterator[Any]:
    """What `serve` sends first from a process of its own; it gets a pipe, and ends when the block ends."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs, *arguments))
    process.start()
    try:
        yield ours.recv()
    finally:
        ours.send("stop")
        process.join()


def _serve(pipe: Connection, bodies: list[bytes]) -> None:
    with FakeWeb() as web:
        for number, body in enumerate(bodies):
            web.page(f"http://{HOST}/{number}", body, headers={"Content-Type": "text/html"})
        pipe.send(web.port)
        pipe.recv()


if __name__ == "__main__":
    print(report())
