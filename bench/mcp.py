"""The tools over MCP beside mcp-server-fetch: what each refuses, how well it reads, and how soon it answers.

Both run as programs of their own, and the official SDK's client calls them over standard input and output.
Only the peer's guard is asked as a function: nothing is connected to where it lets an address pass.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

from mcp import Client, StdioServerParameters, stdio_client
from mcp_types import CallToolResult, TextContent

from bench.figures import spread
from bench.reading import CORPUS, load_scorer, marked_pages, shares, verdict_on
from fetcher.loopback import LocalHandler, LocalServer
from tests.fetcher.mcp.tour import REFUSALS, SPELLINGS
from tests.fetcher.web.net.test_guard import HOSTILE, literal

ROOT = Path(__file__).parent.parent
EVERY = 28
"""One page of so many is read: the peer starts Node for each."""
STARTS = 5


class _Program(NamedTuple):
    """A server: how it is started, also for pages on loopback, and how a page is read with it."""

    name: str
    command: tuple[str, ...]
    reading: tuple[str, ...]
    environ: Callable[[int], Mapping[str, str]]
    read: Callable[[Client, str], Any]


def _text(result: CallToolResult) -> str:
    return next(block.text for block in result.content if isinstance(block, TextContent))


def _code(result: CallToolResult) -> str:
    return str(result.structured_content["code"]) if result.is_error else ""


async def _read_ours(client: Client, url: str) -> str:
    """The page's text in all of its parts, without its title and address."""
    parts, start = list[str](), 0
    while True:
        result = await client.call_tool("fetch_url", {"url": url, "start": start})
        parts.append(_text(result).split("\n\n", 1)[-1])
        texts = [block.text for block in result.content if isinstance(block, TextContent)]
        further = next((text for text in texts[1:] if " with start=" in text), None)
        if further is None or result.is_error:
            return "\n\n".join(parts)
        start = int(further.partition(" with start=")[2].partition(" ")[0])


async def _read_theirs(client: Client, url: str) -> str:
    return _text(await client.call_tool("fetch", {"url": url, "max_length": 999_999})).partition("\n")[2]


PROGRAMS = (
    _Program(
        name="this project",
        command=("-m", "fetcher", "mcp"),
        reading=(),
        environ=lambda port: {
            "WEBFETCH_SECURITY__ALLOW_INSECURE_OVERRIDES": "true",
            "WEBFETCH_SECURITY__BLOCK_LOOPBACK": "false",
            "WEBFETCH_SECURITY__ALLOWED_PORTS": f"[{port}]",
            "WEBFETCH_CACHE_DIR": "",
        },
        read=_read_ours,
    ),
    _Program(
        name="mcp-server-fetch",
        command=("-m", "mcp_server_fetch"),
        reading=("--allow-private-ips", "--ignore-robots-txt"),
        environ=lambda _: {},
        read=_read_theirs,
    ),
)


def report() -> str:
    """Markdown tables of addresses, of reading and of starts."""
    return "\n\n".join([_addresses(), _reading(), _starts()])


@asynccontextmanager
async def _client(
    program: _Program, options: Sequence[str] = (), environ: Mapping[str, str] | None = None
) -> AsyncIterator[Client]:
    server = StdioServerParameters(
        command=sys.executable, args=[*program.command, *options], cwd=ROOT, env=dict(environ or {})
    )
    async with Client(stdio_client(server)) as client:
        yield client


def _addresses() -> str:
    lists = ([literal(address) for address in HOSTILE], SPELLINGS)
    ours, theirs = ([f"{sum(each)} of {len(each)}" for each in side] for side in _verdicts(lists))
    head = "| refused before a connection | addresses that are not public | other spellings and schemes |"
    rows = [f"| {PROGRAMS[0].name} | {' | '.join(ours)} |", f"| {PROGRAMS[1].name} | {' | '.join(theirs)} |"]
    return "\n".join([head, "|---|--:|--:|", *rows])


def _verdicts(lists: Sequence[Sequence[str]]) -> tuple[list[list[bool]], list[list[bool]]]:
    """Which URLs our server refuses, and which the peer's guard does."""
    from httpx import Request
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp_server_fetch.server import _refuse_private_destination
    from pydantic import AnyUrl, ValidationError

    async def ours() -> list[list[bool]]:
        async with _client(PROGRAMS[0]) as client:
            results = [[await client.call_tool("fetch_url", {"url": url}) for url in each] for each in lists]
        return [[_code(result) in REFUSALS for result in each] for each in results]

    async def theirs(url: str) -> bool:
        try:
            request = Request("GET", str(AnyUrl(url)))
            await _refuse_private_destination(request)
        except (ToolError, ValidationError):
            return True
        return request.url.scheme not in ("http", "https")  # which its HTTP client refuses

    return asyncio.run(ours()), [[asyncio.run(theirs(url)) for url in each] for each in lists]


def _reading() -> str:
    if not CORPUS.exists():
        return f"The pages of {CORPUS.name} are not here: nothing was read."
    chosen = [page for number, page in enumerate(marked_pages(CORPUS)) if number % EVERY == 0]
    scorer = load_scorer()

    async def read(program: _Program, port: int) -> str:
        verdicts, times = [], []
        async with _client(program, program.reading, program.environ(port)) as client:
            await program.read(client, f"http://127.0.0.1:{port}/0")  # readers, and Node's packages
            for number, (_, facts) in enumerate(chosen):
                started = perf_counter()
                found = await program.read(client, f"http://127.0.0.1:{port}/{number}")
                times.append(perf_counter() - started)
                verdicts.append(verdict_on(scorer, scorer.plain(found), facts))
        precision, recall, f1 = shares(verdicts)
        return f"| {program.name} | {f1:.3f} | {precision:.3f} | {recall:.3f} | {median(times) * 1000:.0f} |"

    with _serving([html for html, _ in chosen]) as port:
        rows = [asyncio.run(read(program, port)) for program in PROGRAMS]
    head = f"| {len(chosen)} pages of {CORPUS.name}, from loopback | F1 | precision | recall | ms (median) |"
    return "\n".join([head, "|---|--:|--:|--:|--:|", *rows])


@contextmanager
def _serving(bodies: Sequence[bytes]) -> Iterator[int]:
    class Pages(LocalHandler):
        def do_GET(self) -> None:  # noqa: N802  # the base class has it so
            known = self.path[1:].isdigit()
            body = bodies[int(self.path[1:])] if known else b""
            self.reply(200 if known else 404, {"Content-Type": "text/html; charset=utf-8"}, body)

    with LocalServer(Pages, name="pages") as server:
        yield server.port


def _starts() -> str:
    async def start(program: _Program) -> float:
        started = perf_counter()
        async with _client(program) as client:
            await client.list_tools()
            return perf_counter() - started

    runs = [tuple(asyncio.run(start(program)) for program in PROGRAMS) for _ in range(STARTS)]
    ours, theirs = (median(run[side] for run in runs) for side in (0, 1))
    ratios = [run[0] / run[1] for run in runs]
    return "\n".join(
        [
            "| from start to the list of tools | s (median) | ours / theirs | spread |",
            "|---|--:|--:|---|",
            f"| {PROGRAMS[0].name} | {ours:.2f} | {median(ratios):.2f} | {spread(ratios)} |",
            f"| {PROGRAMS[1].name} | {theirs:.2f} | 1.00 | |",
        ]
    )


if __name__ == "__main__":
    print(report())
