"""`python -m slackapp playground`: its port, its messages, and the settings it does not use."""

import argparse
import os
import signal
import socket
import threading
import webbrowser
from pathlib import Path

import pytest

from fetcher.settings import ConfigurationError
from slackapp.commands.terminal import FAILED
from slackapp.playground import command, playground
from slackapp.playground.errors import PortTaken
from slackapp.playground.page.page import AgentDescription, Page
from slackapp.playground.playground import agent_description, local_settings, start_slack
from slackapp.stores.contract import StoreUnavailable


def _parsed(*words):
    parser = argparse.ArgumentParser()
    parser.set_defaults(port=None)
    command.add_to(parser.add_subparsers())
    return parser.parse_args(["playground", *words])


@pytest.fixture
def taken():
    """A port that another program uses."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


def test_a_port_that_is_taken_is_passed_over(taken):
    slack = start_slack(Page(), (taken, 0))
    assert f":{taken}/" not in slack.base_url
    slack.stop()


def test_a_second_instance_finds_a_port_of_its_own():
    first = start_slack(Page(), (0,))
    port = int(first.base_url.rsplit(":", 1)[1].strip("/"))
    second = start_slack(Page(), (port, 0))
    assert second.base_url != first.base_url
    first.stop()
    second.stop()


def test_a_port_that_was_named_is_the_only_one(taken):
    with pytest.raises(PortTaken):
        start_slack(Page(), (taken,))


def test_a_named_port_that_is_taken_is_said(taken, capsys):
    """And nothing is left running, or lying about."""
    assert command.run(_parsed("--port", str(taken), "--no-browser"), {}) == FAILED
    assert capsys.readouterr().err == (
        f"Port {taken} cannot be listened on: name another (--port, or make run PORT=…), or none.\n"
    )


@pytest.mark.parametrize("port", ["0", "65536", "x", "-1", ""])
def test_a_port_is_a_number(port, capsys):
    with pytest.raises(SystemExit):
        _parsed("--port", port)
    assert "a port is a number from 1 to 65535" in capsys.readouterr().err


def test_only_the_stores_that_there_are_can_be_named(capsys):
    with pytest.raises(SystemExit):
        _parsed("--store", "redis")
    assert "sqlite" in capsys.readouterr().err


class _FakePlayground:
    """Takes the place of the playground, and ends itself."""

    url = "http://127.0.0.1:3001/"
    agent = AgentDescription(kind="offline")

    def __init__(self, *_, **__):
        pass

    def __enter__(self):
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGTERM)).start()
        return self

    def __exit__(self, *_):
        pass


@pytest.fixture
def opened(monkeypatch):
    """What was opened in a browser."""
    addresses: list[str] = []
    monkeypatch.setattr(playground, "Playground", _FakePlayground)
    monkeypatch.setattr(webbrowser, "open", addresses.append)
    return addresses


def test_it_says_where_it_is_and_who_answers(opened, capsys):
    """Also that the usual port was taken; it ends in peace when it is told to."""
    before = signal.getsignal(signal.SIGTERM)
    assert command.run(_parsed("--no-browser"), {"DISPLAY": ":0"}) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Port 3000 is taken.",
        "The playground is open: http://127.0.0.1:3001/",
        "The offline reader answers; set ANTHROPIC_API_KEY to let Claude answer.",
        "Ctrl+C stops it.",
    ]
    assert opened == []
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize(
    ("environ", "platform", "addresses"),
    [
        ({}, "linux", []),
        ({"DISPLAY": ""}, "linux", []),
        ({"DISPLAY": ":0"}, "linux", [_FakePlayground.url]),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", [_FakePlayground.url]),
        ({}, "darwin", [_FakePlayground.url]),
        ({}, "win32", [_FakePlayground.url]),
    ],
)
def test_a_browser_is_opened_where_there_is_a_desktop(opened, monkeypatch, environ, platform, addresses):
    monkeypatch.setattr("sys.platform", platform)
    command.run(_parsed(), environ)
    assert opened == addresses


def test_with_a_model_it_is_named(opened, monkeypatch, capsys):
    monkeypatch.setattr(_FakePlayground, "agent", AgentDescription(kind="anthropic", model="claude-x"))
    command.run(_parsed("--port", "3001"), {})
    assert "Claude answers (claude-x).\n" in capsys.readouterr().out


def test_a_store_that_cannot_be_used_is_said(monkeypatch, capsys):
    def down(*_):
        raise StoreUnavailable("nobody answers")

    monkeypatch.setattr(playground, "open_store", down)
    assert command.run(_parsed("--no-browser", "--store", "dynamodb"), {}) == FAILED
    assert capsys.readouterr().err == "The store cannot be used: nobody answers\n"


def _local(environ, store="sqlite"):
    return local_settings(
        environ,
        api_url="http://127.0.0.1:1/api/",
        token="xoxb-1",
        secret="s",
        home=Path("/home"),
        store=store,
    )


def test_nothing_of_a_real_workspace_is_used():
    """Neither its tokens nor its list, nor the file in which it keeps its questions."""
    environ = {
        "SLACK_BOT_TOKEN": "xoxb-real",
        "SLACK_API_URL": "https://slack.com/api/",
        "STORE": "dynamodb",
        "SQLITE_PATH": "/real",
        "ACCESS_MODE": "open",
        "WHITELIST_TEAM_IDS": "T0REAL",
        "DEDUPE_TABLE": "real",
        "RATE_LIMIT_PER_MINUTE": "3",
    }
    local = _local(environ)
    assert local.slack_bot_token.get_secret_value() == "xoxb-1"
    assert local.slack_api_url == "http://127.0.0.1:1/api/"
    assert (local.store_kind, local.sqlite_path) == ("sqlite", str(Path("/home/store.sqlite3")))
    assert (local.access_mode, local.whitelist_team_ids) == ("whitelist", ())
    assert local.rate_limit_per_minute == 3


def test_the_tables_of_a_real_workspace_are_left_alone():
    """The whitelist above all: a row for the sample company would shut others out."""
    environ = {
        "DYNAMODB_TABLE_PREFIX": "prod-",
        "DYNAMODB_ENDPOINT_URL": "http://127.0.0.1:8000",
        "WHITELIST_TABLE": "whitelist",
    }
    local = _local(environ, store="dynamodb")
    assert (local.store_kind, local.dynamodb_endpoint_url) == ("dynamodb", "http://127.0.0.1:8000")
    assert local.table_name("whitelist") == "prod-playground-whitelist"


@pytest.mark.parametrize(
    ("environ", "kind", "model"),
    [
        ({}, "offline", ""),
        ({"ANTHROPIC_API_KEY": "k"}, "anthropic", "claude-sonnet-5-5"),
        ({"ANTHROPIC_API_KEY": "k", "ANTHROPIC_MODEL": "claude-x"}, "anthropic", "claude-x"),
        ({"ANTHROPIC_API_KEY": "k", "MODEL_PROVIDER": "offline"}, "offline", ""),
        ({"BEDROCK_MODEL_ID": "jp.x"}, "bedrock", "jp.x"),
    ],
)
def test_the_settings_say_who_answers(environ, kind, model):
    assert agent_description(environ) == AgentDescription(kind=kind, model=model)


def test_settings_that_are_wrong_are_said():
    """The command line prints what is wrong with them."""
    with pytest.raises(ConfigurationError, match=r"(?i)rate_limit_per_minute"):
        _local({"RATE_LIMIT_PER_MINUTE": "none"})
    with pytest.raises(ConfigurationError, match=r"(?i)model_provider"):
        agent_description({"MODEL_PROVIDER": "none"})
