"""`python -m fetcher mcp` and what keeps it from starting."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fetcher.__main__ import main
from fetcher.mcp import command
from tests.fetcher.mcp.serving import post

ROOT = Path(__file__).parent.parent.parent.parent


@pytest.fixture(autouse=True)
def nothing_is_served(monkeypatch):
    for name in os.environ:
        if name.startswith(("MCP_", "WEBFETCH_", "AGENT_")):
            monkeypatch.delenv(name)


def test_missing_packages_are_said_in_one_sentence(capsys, monkeypatch):
    monkeypatch.setattr(command, "EXTRA", ("no_such_package", "starlette"))
    assert main(["mcp"]) == 2
    assert "(no_such_package): install the project with its mcp extra" in capsys.readouterr().err


def test_another_address_than_loopback_needs_a_key(capsys):
    assert main(["mcp", "--http", "--host", "0.0.0.0"]) == 2
    assert "set MCP_SERVER_KEY" in capsys.readouterr().err


def test_settings_that_want_a_person_to_approve_each_page_keep_it_from_starting(capsys, monkeypatch):
    monkeypatch.setenv("WEBFETCH_ALLOW_AUTO_EXECUTION", "false")
    assert main(["mcp"]) == 2
    assert "wants a person to approve each page" in capsys.readouterr().err


def test_over_http_it_serves_until_a_signal_comes():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which tests in the background are born without
    running = subprocess.Popen(
        [sys.executable, "-m", "fetcher", "mcp", "--http", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PATH": os.environ["PATH"]},
    )
    assert running.stderr
    said = running.stderr.readline()
    assert said.startswith("Listening on http://127.0.0.1:")
    port = int(said.rpartition(":")[2].partition("/")[0])
    assert post(port, {}) == 200
    assert post(port, {}, host="evil.example") == 421
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert (running.returncode, out) == (130, "")
    assert err == "Stopped.\n"


@pytest.mark.parametrize("page", ["README.md", "README.ja.md", "docs/mcp.md"])
def test_the_documentation_starts_it_without_the_directorys_modules(page):
    """`python -m` imports from the directory in which it is started, which is any project of the client."""
    text = (ROOT / page).read_text("utf-8")
    assert "-P -m fetcher mcp" in text
    assert text.count('"-P", "-m", "fetcher", "mcp"') == text.count('"fetcher", "mcp"')
    assert all("-P -m" in line for line in text.splitlines() if "claude mcp add" in line and "-m" in line)
