"""Socket Mode with Bolt's own handler; one connection serves all tests, since the SDK closes slowly."""

import logging
import threading

import pytest
from slack_bolt.adapter.socket_mode import SocketModeHandler
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from slackapp.playground.server import LocalSlack
from slackapp.playground.values import Json
from tests.fakes.clock import FakeClock
from tests.slackapp.playground.apps import APP_TOKEN, bolt_for, install_app


@pytest.fixture(scope="module")
def slack():
    with LocalSlack(clock=FakeClock(), own_events=False, ack_timeout=2.0) as running:
        install_app(running)
        yield running


@pytest.fixture(scope="module")
def received():
    """Values that the app's listeners got."""
    return []


@pytest.fixture(scope="module")
def bolt(slack, received):
    app = bolt_for(slack)

    @app.event("app_mention")
    def mention(event, say):
        say(text="はい", thread_ts=event["ts"])

    @app.event("message")
    def message(event):
        pass

    @app.event("app_home_opened")
    def home(request):
        received.append((request.headers["x-slack-retry-num"], request.headers["x-slack-retry-reason"]))
        home_opened.set()

    @app.command("/fetch")
    def fetch(ack, command):
        ack(f"受け付けました：{command['text']}")

    @app.shortcut("read_link")
    def shortcut(ack, shortcut):
        received.append(shortcut["message_ts"])
        ack()

    return app


home_opened = threading.Event()


@pytest.fixture(scope="module", autouse=True)
def handler(slack, bolt):
    logger = logging.getLogger("tests.socket_mode")
    logger.setLevel(logging.CRITICAL)
    running = SocketModeHandler(bolt, APP_TOKEN, logger=logger)
    running.connect()
    assert slack.wait_until(lambda: slack.sockets.count("A0READER") == 1)
    yield running
    running.close()


def test_an_event_is_answered_over_the_socket(slack):
    """Both events of a mention are acknowledged."""
    ts = slack.say("U0TANAKA", "general", "<@U0READER> こんにちは")
    assert slack.wait_until(lambda: len(slack.thread("general", ts)) == 2 and len(slack.deliveries) >= 2)
    assert {(each.transport, each.status) for each in slack.deliveries} == {("socket", 200)}


def test_a_command_is_acknowledged_over_the_socket(slack):
    """The user sees the acknowledgement's text as an ephemeral message."""
    done = slack.command("U0SATO", "general", "/fetch", "これ")
    assert (done.ok, done.text) == (True, "受け付けました：これ")
    assert [each["text"] for each in slack.ephemerals("U0SATO")] == [done.text]


def test_a_shortcut_comes_over_the_socket(slack, received):
    ts = slack.say("U0TANAKA", "general", "リンク", deliver=False)
    assert slack.shortcut("U0SATO", "general", ts, "read_link").ok
    assert ts in received


def test_a_retry_says_so_over_the_socket(slack, received):
    """The envelope's attempt and reason reach Bolt as the headers of HTTP do."""
    event = {"type": "app_home_opened", "user": "U0SATO"}
    body = {"type": "event_callback", "team_id": "T0LOCAL", "event": event}
    assert slack.deliver(body, retry_num=1, retry_reason="timeout")[0].result().status == 200
    assert home_opened.wait(5)
    assert (["1"], ["timeout"]) in received


def test_a_refreshed_connection_comes_back(slack):
    """Slack asks for a new connection; what follows goes over it."""
    records: list[Json] = []
    stop = slack.subscribe(records.append)
    slack.refresh_sockets()
    assert slack.wait_until(lambda: [each["links"] for each in records if each["type"] == "socket"] == [2, 1])
    stop()
    assert slack.command("U0SATO", "general", "/fetch", "続き").ok


def test_an_address_works_once_and_a_guess_never(slack, bolt):
    """The first message over a new connection is a greeting."""
    url = bolt.client.apps_connections_open(app_token=APP_TOKEN)["url"]
    with connect(url) as connection:
        assert '"type": "hello"' in connection.recv(5)
    for refused in (url, url.partition("ticket=")[0] + "ticket=guess"):
        with pytest.raises(InvalidStatus):
            connect(refused)
    assert slack.wait_until(lambda: slack.sockets.count("A0READER") == 1)


def test_without_a_connection_an_event_waits_for_its_retry(clock):
    """An app that is not connected is tried again, like any other."""
    with LocalSlack(clock=clock) as alone:
        install_app(alone)
        alone.open_home("U0SATO")
        assert alone.wait_until(lambda: alone.retries_waiting == 1)
        assert {each.error for each in alone.deliveries} == {"connection_failed"}


@pytest.fixture
def silent(clock):
    """A local Slack with an app that is connected and never acknowledges anything."""
    with LocalSlack(clock=clock, ack_timeout=0.1) as slack:
        app = install_app(slack)
        url = bolt_for(slack).client.apps_connections_open(app_token=APP_TOKEN)["url"]
        with connect(url) as connection:
            connection.recv(5)
            assert slack.wait_until(lambda: slack.sockets.count(app.app_id) == 1)
            yield slack


def test_a_command_without_acknowledgement_fails(silent):
    """The user waits as long as Slack does, and then sees the error."""
    done = silent.command("U0SATO", "general", "/fetch")
    assert (done.ok, done.error) == (False, "operation_timeout")


def test_a_closed_connection_is_noticed(silent):
    """A command without a connection is not acknowledged."""
    silent.disconnect_sockets()
    assert silent.wait_until(lambda: silent.sockets.count(silent.app.app_id) == 0)
    assert silent.command("U0SATO", "general", "/fetch").error == "dispatch_failed"
