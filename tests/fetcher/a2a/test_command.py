"""`python -m fetcher serve` as its user types it."""

import argparse
import asyncio
import http.client
import json
import logging
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from fetcher.a2a import command
from fetcher.settings import ConfigurationError, Settings

PAGE = (
    "<title>料金</title><article><h1>料金</h1>"
    + "<p>豆は千円です。送料は無料です。</p>" * 5
    + "<table><caption>料金表</caption><tr><th>品<th>円<tr><td>豆<td>1,000</table></article>"
)


@contextmanager
def _serving(environ, *arguments):
    command = [sys.executable, "-m", "fetcher", "serve", "--port", "0", *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environ)
    try:
        assert process.stderr is not None
        assert "ssrf_protection_disabled" in process.stderr.readline()  # SRD FR-WF-05b: before all else
        line = process.stderr.readline()
        yield process, int(line.rpartition(":")[2])
    finally:
        process.kill()
        process.communicate()


def _call(port, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, path, body and json.dumps(body), {"Content-Type": "application/json"})
        return json.load(connection.getresponse())
    finally:
        connection.close()


def test_it_serves_ping_the_card_and_answers_and_stops_on_a_signal(reach, internet):
    url = f"http://127.0.0.1:{internet.web.port}/price"
    internet.web.page(url, PAGE)
    message = {"role": "user", "content": [{"type": "text", "text": f"{url} の料金表をCSVにして"}]}
    call = {"jsonrpc": "2.0", "id": "1", "method": "execute_task", "params": {"messages": [message]}}
    with _serving(reach) as (process, port):
        assert _call(port, "GET", "/ping")["status"] == "Healthy"
        assert _call(port, "GET", "/.well-known/agent-card.json")["url"] == f"http://localhost:{port}"
        result = _call(port, "POST", "/", call)["result"]
        assert result["artifacts"][1]["parts"][0]["fileName"] == "料金表.csv"
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert "Traceback" not in process.stderr.read()


def test_it_tells_what_of_a_page_was_not_read(reach, internet):
    url = f"http://127.0.0.1:{internet.web.port}/long"
    internet.web.page(url, "<title>長い頁</title>" + "<p>豆は千円です。送料は無料です。</p>" * 15_000)
    message = {"role": "user", "content": [{"type": "text", "text": f"{url} 豆はいくら？"}]}
    call = {"jsonrpc": "2.0", "id": "1", "method": "execute_task", "params": {"messages": [message]}}
    with _serving(reach) as (_, port):
        result = _call(port, "POST", "/", call)["result"]
    assert "先頭の512KBだけを読み取りました" in result["messages"][0]["content"][0]["text"]
    [details] = [part["data"] for part in result["artifacts"][0]["parts"] if part["kind"] == "data"]
    assert details["undone"][0].startswith("「長い頁」は大きなページのため")


def _refused(*arguments):
    parser = argparse.ArgumentParser()
    command.add_to(parser.add_subparsers())
    options = parser.parse_args(["serve", *arguments])
    with pytest.raises(ConfigurationError) as refused:
        asyncio.run(options.run(options, Settings()))
    return str(refused.value)


@pytest.mark.parametrize(
    ("arguments", "environ", "words"),
    [
        (["--host", "0.0.0.0"], {}, "can be reached from outside"),
        (["--port", "70000"], {}, "is no port"),
        ([], {"A2A_MAX_TASKS": "none"}, "\nA2A_MAX_TASKS: "),
        ([], {"A2A_MAXTASKS": "1"}, "unknown settings: A2A_MAXTASKS"),
        ([], {"AGENT_TIMEOUT_SECONDS": "none"}, "\nAGENT_TIMEOUT_SECONDS: "),
    ],
)
def test_what_keeps_it_from_starting_is_said(monkeypatch, arguments, environ, words):
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert words in _refused(*arguments)


def test_a_server_that_does_not_start_leaves_the_logs_alone():
    uvicorn, ours = logging.getLogger("uvicorn"), logging.getLogger("fetcher")
    before = (list(uvicorn.handlers), uvicorn.propagate)
    assert _refused("--port", "70000")
    assert (uvicorn.handlers, uvicorn.propagate) == before
    assert uvicorn.handlers is not ours.handlers


def test_without_the_extra_it_says_in_one_sentence_what_to_install(monkeypatch):
    monkeypatch.setattr("fetcher.serving.find_spec", lambda name: None)
    said = _refused()
    assert "install the project with its a2a extra" in said
    assert "\n" not in said


def test_the_other_commands_need_nothing_of_the_extra():
    code = "import fetcher.__main__, sys; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()).isdisjoint(command.EXTRA)


def test_its_secrets_may_only_be_named(monkeypatch):
    """On AgentCore, where a runtime's configuration shows its variables."""
    monkeypatch.setattr(command, "with_parameters", lambda environ: {**environ, "A2A_API_KEY": "鍵"})
    with pytest.raises(ConfigurationError, match="A2A_API_KEY"):
        asyncio.run(command.run(argparse.Namespace(host="127.0.0.1", port=0), Settings()))
