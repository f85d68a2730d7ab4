"""`python -m fetcher mcp` on standard input and output, as Claude Code starts it."""

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters, stdio_client

from tests.fakes import answers
from tests.fakes.gate import Gate
from tests.fetcher.mcp.tour import PAGE, call_every_tool, make_mistakes, try_hostile_addresses

ROOT = Path(__file__).parent.parent.parent.parent
COMMAND = [sys.executable, "-m", "fetcher", "mcp"]
PATIENCE = 30


@pytest.fixture
def url(internet):
    url = f"http://127.0.0.1:{internet.web.port}/price"
    internet.web.page(url, PAGE)
    return url


def test_a_client_lists_and_calls_every_tool(url, reach, tmp_path):
    """From the directory of a hostile project, as Claude Code starts it, with MCP_TIMEOUT set."""
    (tmp_path / ".env").write_text("WEBFETCH_ENABLED=false\n")
    for name in ("fetcher", "mcp", "json"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a module of the project was imported')\n")

    async def story():
        environ = reach | {"MCP_TIMEOUT": "9", "PYTHONPATH": str(ROOT)}
        command, *options = COMMAND
        server = StdioServerParameters(command=command, args=["-P", *options], cwd=tmp_path, env=environ)
        with (tmp_path / "stderr").open("w+") as stderr:
            async with Client(stdio_client(server, errlog=stderr)) as client:
                await call_every_tool(client, url)
                await make_mistakes(client, url)
                await try_hostile_addresses(client, every=5)
            stderr.seek(0)
            return stderr.read()

    # The one warning: this test lets pages on loopback be read.
    [line] = asyncio.run(story()).splitlines()
    assert json.loads(line)["event"] == "ssrf_protection_disabled"


def _message(identity, method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": identity, "method": method, "params": params}) + "\n"


def _children(pid):
    """The processes that a process has started, in any of its threads."""
    started = [path.read_text("ascii") for path in Path(f"/proc/{pid}/task").glob("*/children")]
    return [int(child) for text in started for child in text.split()]


def _start(reach, *options):
    return subprocess.Popen(
        [*COMMAND, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=reach,
    )


INITIALIZE = _message(
    0,
    "initialize",
    protocolVersion="2025-06-18",
    capabilities={},
    clientInfo={"name": "test", "version": "1"},
)


@pytest.mark.parametrize("way", ["closing", "kill"])
def test_when_the_client_leaves_the_server_and_its_readers_end(internet, url, reach, way):
    """Also while a call waits for a page; standard output has held nothing but the protocol."""
    gate = Gate()
    slow = f"http://127.0.0.1:{internet.web.port}/slow"
    internet.web.route(slow, gate.before(answers.answer("<p>x</p>")))
    running = _start(reach, "--verbose")
    call = {"name": "fetch_url", "arguments": {"url": url}}
    running.stdin.write(INITIALIZE + "this is no JSON\n" + _message(1, "tools/call", **call))
    running.stdin.flush()
    lines = [json.loads(running.stdout.readline())]
    while lines[-1].get("id") != 1:
        lines.append(json.loads(running.stdout.readline()))
    assert "解約" in lines[-1]["result"]["content"][0]["text"]
    readers = _children(running.pid)
    assert readers
    running.stdin.write(_message(2, "tools/call", name="fetch_url", arguments={"url": slow}))
    running.stdin.flush()
    assert gate.wait_until_held(1, within=PATIENCE)
    if way == "kill":
        running.send_signal(signal.SIGTERM)
    out, err = running.communicate(timeout=PATIENCE)  # closes its input
    assert running.returncode == (0 if way == "closing" else -signal.SIGTERM)
    lines += map(json.loads, out.splitlines())
    assert {line["jsonrpc"] for line in lines} == {"2.0"}
    assert [json.loads(line)["event"] for line in err.splitlines()].count("fetch_start") == 2
    assert "Traceback" not in err
    assert all(map(_ends, readers))


def _ends(pid):
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], PATIENCE)[0])
    finally:
        os.close(descriptor)


def test_a_client_that_reads_no_more_ends_the_server_without_a_trace(reach):
    running = _start(reach)
    running.stdout.close()
    running.stdin.write(INITIALIZE)
    running.stdin.close()
    with running.stderr:
        lines = running.stderr.readlines()
    assert running.wait(PATIENCE) == 0
    assert [json.loads(line)["event"] for line in lines] == ["ssrf_protection_disabled", "client_left"]
