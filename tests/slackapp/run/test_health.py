"""What a process says of itself, and when it says that it works."""

import http.client
import json
import logging
import threading
from datetime import timedelta
from typing import Any, cast

import pytest

from fetcher.settings import ConfigurationError
from slackapp.health import Health
from slackapp.playground.server import LocalSlack
from slackapp.playground.values import App
from slackapp.run import health, socket_mode
from slackapp.run.health import HealthCheck, HealthServer, browser_of, model_of
from slackapp.settings import SlackSettings
from slackapp.stores.contract import StoreUnavailable
from slackapp.stores.sqlite import SQLiteStore
from tests.fakes.clock import NOON, FakeClock
from tests.fetcher.web.browser.programs import program, until
from tests.slackapp.sdk_sockets import UNCLOSED
from tests.slackapp.stage import OPEN

ENVIRON = {"WEBFETCH_BROWSER__ENABLED": "false"}
LATEST = 15 + 300
"""Seconds after which a round of the sweeper is missed."""

ARN = "arn:aws:bedrock-agentcore:ap-northeast-1:123456789012:runtime/reader"


class Store:
    """Answers, or not; counts how often it was asked."""

    def __init__(self):
        self.asked, self.is_away = 0, False

    def cached_values(self, names, *, now):
        self.asked += 1
        if self.is_away:
            raise StoreUnavailable("away")
        return {}


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def check(clock):
    made = HealthCheck(SlackSettings(), ENVIRON, clock=clock)
    made.store = cast("Any", Store())
    return made


def test_a_process_is_ready_when_store_and_socket_are(check, clock):
    assert check.now().is_ready  # Slack reaches it without a socket
    check.is_connected = lambda: False
    assert (check.now().is_ready, check.now().is_live) == (False, True)
    check.is_connected = lambda: True
    assert check.now().is_ready
    check.store.is_away = True
    clock.advance(2)
    assert (check.now().is_ready, check.now().is_live) == (False, True)
    check.store = None
    assert not check.now().store_answers


def test_many_callers_ask_the_store_once(check, clock):
    for _ in range(5):
        check.now()
    assert check.store.asked == 1
    clock.advance(-3600)  # a clock that was put back does not keep an old answer
    check.now()
    assert check.store.asked == 2


def test_a_sweeper_that_fails_is_not_ready_and_one_that_hangs_is_not_alive(check, clock):
    clock.advance(10 * LATEST)
    assert check.now().is_ready  # on Lambda another function sweeps
    check.note_start_of_sweeps()
    clock.advance(LATEST)
    assert check.now().is_ready
    check.note_sweep(False)
    clock.advance(1)
    assert (check.now().is_ready, check.now().is_live) == (False, True)
    check.note_sweep(True)
    assert check.now().is_ready
    clock.advance(LATEST + 1)
    assert (check.now().is_ready, check.now().is_live) == (False, False)


def test_the_last_error_is_the_name_of_an_event(check):
    """Bolt logs sentences, with texts of exceptions in them."""
    check.errors.attach()
    try:
        logging.getLogger("slackapp.work").warning("not_yet")
        assert (check.now().last_error, check.now().last_error_at) == ("", None)
        logging.getLogger("slackapp.work").error("question_failed")
        assert check.now().last_error == "question_failed"
        logging.getLogger("slackapp.bolt").error("Failed: xoxb-secret")
    finally:
        check.errors.detach()
    logging.getLogger("fetcher").error("after_the_end")
    assert check.now().last_error == "slackapp.bolt"
    assert check.now().last_error_at is not None


@pytest.mark.parametrize(
    ("environ", "model"),
    [
        ({}, "offline"),
        ({"ANTHROPIC_API_KEY": "sk-1", "ANTHROPIC_MODEL": "claude-x"}, "anthropic:claude-x"),
        ({"BEDROCK_MODEL_ID": "jp.x"}, "bedrock:jp.x"),
        ({"MODEL_PROVIDER": "bedrock"}, "bedrock:jp.anthropic.claude-sonnet-5-5"),
        ({"AGENT_REMOTE": "true", "EXECUTION_AGENT_ARNS": f'{{"web-fetch": "{ARN}"}}'}, "agentcore"),
    ],
)
def test_who_answers_is_told(environ, model):
    assert model_of(environ) == model


def test_the_browser_is_told(tmp_path):
    path = program(tmp_path, "")
    assert browser_of({"WEBFETCH_BROWSER__CHROMIUM_PATH": path}) == path
    assert browser_of({"WEBFETCH_BROWSER__CHROMIUM_PATH": path, "WEBFETCH_BROWSER__ENABLED": "false"}) == ""
    assert browser_of({"WEBFETCH_BROWSER__CHROMIUM_PATH": str(tmp_path / "none")}) == ""


def test_times_are_told_in_utc():
    told = Health(at=NOON, store="sqlite", store_answers=True, swept_at=NOON, model="offline", browser="")
    assert told.as_json()["swept_at"] == "2026-01-10T12:00:00+00:00"
    assert told.as_json()["last_error_at"] is None


def get(port, path, method="GET"):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, body


def test_whether_it_is_alive_does_not_wait_for_the_store(check):
    """A store that hangs would let the probe time out, and a supervisor restart the process in vain."""
    with HealthServer("127.0.0.1:0", check) as server:
        assert get(server.port, "/healthz/live")[0] == 200
        assert check.store.asked == 0
        assert get(server.port, "/healthz")[0] == 200
        assert check.store.asked == 1


def test_a_port_that_is_taken_is_named(check):
    with HealthServer("127.0.0.1:0", check) as first:
        assert get(first.port, "/metrics")[0] == 404
        assert get(first.port, "/healthz", "POST")[0] == 501
        assert get(first.port, "/healthz?x", "HEAD") == (200, b"")
        address = f"127.0.0.1:{first.port}"
        with pytest.raises(ConfigurationError, match=f"HEALTH_ADDRESS: {address}"):
            HealthServer(address, check).__enter__()
    with pytest.raises(ConfigurationError, match="HEALTH_ADDRESS"):
        HealthServer("127.0.0.1:70000", check).__enter__()


@UNCLOSED
def test_the_app_over_socket_mode_tells_how_it_is(tmp_path, monkeypatch):
    """Slack away: alive and not ready. The store away: the same, and the same process recovers."""
    monkeypatch.setattr(health, "FRESH", timedelta(0))
    monkeypatch.setattr(socket_mode, "PING_SECONDS", 0.2)  # a lost connection is noticed by its pings
    servers, over = [], threading.Event()
    start = HealthServer.start

    def record_and_start(self):
        servers.append(self)
        return start(self)

    monkeypatch.setattr(HealthServer, "start", record_and_start)
    with LocalSlack() as slack:
        slack.install(App(bot_token="xoxb-1", app_token="xapp-1"))
        settings = SlackSettings.model_validate(
            {
                "slack_bot_token": "xoxb-1",
                "slack_app_token": "xapp-1",
                "slack_api_url": slack.api_url,
                "sqlite_path": str(tmp_path / "s.sqlite3"),
                "health_address": "127.0.0.1:0",
                "sweep_seconds": 0.05,
                **OPEN,
            }
        )
        thread = threading.Thread(target=socket_mode.serve, args=(settings, ENVIRON), kwargs={"until": over})
        thread.start()
        try:
            until(lambda: bool(servers) and get(servers[0].port, "/healthz")[0] == 200)
            port = servers[0].port
            until(lambda: json.loads(get(port, "/healthz")[1])["swept_at"])
            told = json.loads(get(port, "/healthz")[1])
            assert (told["store"], told["store_answers"], told["socket_connected"]) == ("sqlite", True, True)
            assert (told["model"], told["browser"], told["last_error"]) == ("offline", "", "")
            slack.sockets.refusing = True
            slack.disconnect_sockets(abruptly=True)
            until(lambda: get(port, "/healthz")[0] == 503)
            assert get(port, "/healthz/live")[0] == 200
            slack.sockets.refusing = False
            until(lambda: get(port, "/healthz")[0] == 200)

            def fail(*_, **__):
                raise StoreUnavailable("away")

            with monkeypatch.context() as away:
                away.setattr(SQLiteStore, "cached_values", fail)
                status, body = get(port, "/healthz")
            assert (status, json.loads(body)["store_answers"]) == (503, False)
            assert get(port, "/healthz")[0] == 200
            assert b"xoxb" not in body
            assert b"xapp" not in body
        finally:
            over.set()
            thread.join(60)
    assert not thread.is_alive()
