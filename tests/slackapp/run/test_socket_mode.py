"""The app over Socket Mode, and what it says where that cannot be."""

import logging
import threading
from contextlib import contextmanager

import pytest
from slack_bolt import App as AnyApp

from fetcher.settings import ConfigurationError
from slackapp import wording
from slackapp.codes import RefusalCode
from slackapp.playground.events import dispatcher
from slackapp.playground.server import LocalSlack
from slackapp.playground.values import App
from slackapp.playground.webapi.faults import Fault
from slackapp.run import socket_mode
from slackapp.settings import SlackSettings
from slackapp.stores.contract import StoreRefused
from slackapp.stores.sqlite import SQLiteStore
from tests.fetcher.web.browser.programs import until
from tests.slackapp.sdk_sockets import UNCLOSED
from tests.slackapp.stage import OPEN, is_answered, ours

TOKENS = {"slack_bot_token": "xoxb-1", "slack_app_token": "xapp-1"}
ENVIRON = {"WEBFETCH_CACHE_DIR": ""}


@pytest.fixture
def slack():
    with LocalSlack() as running:
        running.install(App(bot_token="xoxb-1", app_token="xapp-1"))
        yield running


@pytest.fixture
def settings(slack, tmp_path):
    def made(**fields):
        usual = {"slack_api_url": slack.api_url, "sqlite_path": str(tmp_path / "s.sqlite3"), **TOKENS}
        return SlackSettings.model_validate({**usual, **OPEN, **fields})

    return made


@contextmanager
def serving(chosen):
    """The app with the offline reader, in a thread."""
    over = threading.Event()
    thread = threading.Thread(
        target=socket_mode.serve, args=(chosen, ENVIRON), kwargs={"until": over}, daemon=True
    )
    thread.start()
    yield
    over.set()
    thread.join(10)
    assert not thread.is_alive()


@pytest.fixture
def served(slack, settings, monkeypatch):
    """The app, connected. Its pings are frequent, so that it soon notices a lost connection."""
    monkeypatch.setattr(socket_mode, "PING_SECONDS", 0.2)
    monkeypatch.setattr(socket_mode, "CHECK_SECONDS", 0.01)
    with serving(settings()):
        assert slack.wait_until(lambda: slack.sockets.count(slack.app.app_id) == 1)
        yield slack


def test_a_mention_is_answered_once(served):
    """Both of its events come over the socket."""
    ts = served.say("U0TANAKA", "general", f"<@{served.app.bot_user}> おすすめは何ですか？")
    assert served.wait_until(lambda: is_answered(served, "general", ts))
    assert served.wait_until(lambda: {d.type for d in served.deliveries} >= {"app_mention", "message"})
    assert len(ours(served, "general", ts)) == 1
    assert {(delivery.transport, delivery.error) for delivery in served.deliveries} == {("socket", "")}


def test_a_first_delivery_over_the_socket_is_no_repetition(served, monkeypatch):
    """It carries `retry_attempt: 0`. The asker is told of a gone store with the last one only."""

    def fail(*_, **__):
        raise StoreRefused("away")

    monkeypatch.setattr(SQLiteStore, "claim", fail)
    monkeypatch.setattr(dispatcher, "RETRY_DELAYS", (0.0, 0.0, 0.0))
    served.say("U0TANAKA", "general", f"<@{served.app.bot_user}> おすすめは何ですか？")
    assert served.wait_until(lambda: served.ephemerals("U0TANAKA"), 20)
    assert served.wait_until(lambda: len(served.deliveries) == 8, 20)
    assert sorted(delivery.attempt for delivery in served.deliveries) == [0, 0, 1, 1, 2, 2, 3, 3]
    [told] = served.ephemerals("U0TANAKA")
    assert told["text"] == wording.refusal(RefusalCode.STORE_UNAVAILABLE)


def test_the_command_alone_shows_help(served):
    served.command("U0TANAKA", "general", "/fetch")
    [told] = served.wait_until(lambda: served.ephemerals("U0TANAKA"), 20)
    assert told["text"] == wording.help_text()


def test_a_connection_that_slack_replaces_loses_nothing(served):
    served.refresh_sockets()
    ts = served.say("U0TANAKA", "general", f"<@{served.app.bot_user}> おすすめは何ですか？")
    assert served.wait_until(lambda: is_answered(served, "general", ts), 20)
    assert len(ours(served, "general", ts)) == 1


def events_of(caplog, *names):
    """The lines with these names; they are sentences, and their names are fields."""
    told = (getattr(record, "fields", {}).get("event", record.message) for record in caplog.records)
    return [event for event in told if event in names]


def is_connected(slack):
    return slack.sockets.count(slack.app.app_id) == 1


def fields_of(caplog, event):
    [record] = [each for each in caplog.records if getattr(each, "fields", {}).get("event") == event]
    return record


@UNCLOSED
def test_the_start_line_comes_after_connecting_and_says_for_whom_and_from_where(
    slack, settings, caplog, tmp_path
):
    """Until then the log says why there is no connection. An empty whitelist is told with what opens it."""
    caplog.set_level(logging.INFO)
    slack.sockets.refusing = True
    with serving(settings(access_mode="whitelist")):
        until(lambda: bool(events_of(caplog, "socket_lost")))
        assert events_of(caplog, "started") == []
        slack.sockets.refusing = False
        until(lambda: bool(events_of(caplog, "whitelist_refuses_all")), 10)
        ts = slack.say("U0TANAKA", "general", f"<@{slack.app.bot_user}> おすすめは何ですか？")
        assert slack.wait_until(lambda: slack.ephemerals("U0TANAKA"))
    started = fields_of(caplog, "started")
    name = socket_mode.identify(settings()).bot_name
    said = f"Answering in Slack as {name} in サンプル株式会社 (T0LOCAL), over Socket Mode."
    assert (started.levelname, started.getMessage()) == ("INFO", said)
    assert {name: started.fields[name] for name in ("access", "store", "model")} == {
        "access": "whitelist (nothing is listed)",
        "store": f"sqlite, {tmp_path / 's.sqlite3'}",
        "model": "offline",
    }
    warning = fields_of(caplog, "whitelist_refuses_all")
    assert warning.levelname == "WARNING"
    assert "the whitelist is empty" in warning.getMessage()
    assert warning.getMessage().endswith(" -m slackapp whitelist add team T0LOCAL")
    [refused] = [record for record in caplog.records if record.message == "refused"]
    assert {name: refused.fields[name] for name in ("code", "user", "channel", "team")} == {
        "code": "team_not_allowed",
        "user": "U0TANAKA",
        "channel": slack.workspace.channel("general").id,
        "team": "T0LOCAL",
    }
    assert ts in refused.fields["key"]


@UNCLOSED
def test_a_proxy_that_refuses_is_told_by_its_answer_without_its_password(slack, settings, caplog):
    """The proxy here is the local Slack itself, which answers CONNECT with an error."""
    client = socket_mode.make_socket(settings(), AnyApp(token="xoxb-1", token_verification_enabled=False))
    client.proxy = slack.base_url.replace("//", "//taro:s3cret@")
    client.connect()
    client.close()
    reasons = {record.fields["reason"] for record in caplog.records if hasattr(record, "fields")}
    assert reasons == {"the proxy answered 501"}
    assert "s3cret" not in caplog.text


LOSSES = {
    "closed": lambda slack: slack.disconnect_sockets(),
    "gone without a word": lambda slack: slack.disconnect_sockets(abruptly=True),
}


@pytest.mark.parametrize("lose", LOSSES.values(), ids=LOSSES)
def test_a_lost_connection_is_opened_again_once_slack_is_back(served, caplog, lose):
    """The first try fails. The log says when the connection is lost, and when it is open again."""
    served.faults.next("apps.connections.open", Fault(status=503))
    lose(served)
    until(lambda: bool(events_of(caplog, "socket_reopened")), 60)
    assert events_of(caplog, "socket_lost", "socket_reopened") == ["socket_lost", "socket_reopened"]
    assert "xapp-1" not in caplog.text
    ts = served.say("U0TANAKA", "general", f"<@{served.app.bot_user}> おすすめは何ですか？")
    assert served.wait_until(lambda: is_answered(served, "general", ts))


@UNCLOSED
def test_what_was_asked_meanwhile_is_answered_when_slack_sends_it_again(served):
    """A first try and its repetition find no connection; the next one comes a minute later."""
    served.sockets.refusing = True
    served.disconnect_sockets(abruptly=True)
    assert served.wait_until(lambda: not is_connected(served), 5)
    ts = served.say("U0TANAKA", "general", f"<@{served.app.bot_user}> おすすめは何ですか？")
    assert served.wait_until(lambda: served.retries_waiting == 2)
    served.sockets.refusing = False
    assert served.wait_until(lambda: is_connected(served), 15)
    bodies = [delivery.body for delivery in served.deliveries if delivery.attempt == 0]
    for body in bodies:
        served.deliver(body, retry_num=2)
    assert served.wait_until(lambda: is_answered(served, "general", ts))
    assert len(ours(served, "general", ts)) == 1


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"slack_bot_token": ""}, "SLACK_BOT_TOKEN is not set"),
        ({"slack_app_token": ""}, "SLACK_APP_TOKEN is not set"),
        ({"slack_bot_token": "xapp-1"}, "SLACK_BOT_TOKEN should begin with xoxb-"),
        ({"slack_app_token": "xoxb-1"}, "SLACK_APP_TOKEN should begin with xapp-"),
    ],
)
def test_a_missing_or_mistaken_token_is_named(settings, fields, named):
    with pytest.raises(ConfigurationError, match=named):
        socket_mode.check_tokens(settings(**fields))


def test_the_app_says_who_it_is(settings):
    identity = socket_mode.identify(settings())
    assert (identity.team_name, identity.team_id) == ("サンプル株式会社", "T0LOCAL")


def test_a_token_that_slack_does_not_take_is_named_without_being_shown(settings):
    with pytest.raises(ConfigurationError, match="invalid_auth") as raised:
        socket_mode.identify(settings(slack_bot_token="xoxb-stolen"))
    assert "xoxb-stolen" not in str(raised.value)


def test_a_slack_that_cannot_be_reached_is_named(settings, monkeypatch):
    monkeypatch.setattr("slack_sdk.http_retry.handler.time.sleep", lambda _: None)
    with pytest.raises(ConfigurationError, match="cannot be reached"):
        socket_mode.identify(settings(slack_api_url="http://127.0.0.1:1/api/"))


@pytest.mark.parametrize(
    ("method", "start"),
    [
        ("auth.test", socket_mode.identify),
        ("apps.connections.open", lambda settings: socket_mode.serve(settings, ENVIRON)),
    ],
)
def test_a_slack_that_is_down_says_nothing_about_the_tokens(slack, settings, monkeypatch, method, start):
    """If Slack does not answer, the error does not blame the token."""
    monkeypatch.setattr("slack_sdk.http_retry.handler.time.sleep", lambda _: None)
    slack.faults.next(method, Fault(status=503), times=3)
    with pytest.raises(ConfigurationError, match="cannot be reached"):
        start(settings())


def test_an_app_token_that_slack_does_not_take_is_named(settings):
    with pytest.raises(ConfigurationError, match="SLACK_APP_TOKEN"):
        socket_mode.serve(settings(slack_app_token="xapp-stolen"), ENVIRON)


def test_a_store_that_cannot_be_opened_is_told_before_anybody_listens(slack, settings, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match="store"):
        socket_mode.serve(settings(sqlite_path=str(tmp_path / "file" / "s.sqlite3")), ENVIRON)
    assert slack.calls == ()


def test_wrong_settings_of_the_agent_are_told_before_anybody_listens(slack, settings):
    chosen = settings()
    with pytest.raises(ConfigurationError):
        socket_mode.serve(chosen, {**ENVIRON, "AGENT_TIMEOUT_SECONDS": "many"})
    assert slack.calls == ()
    assert not chosen.sqlite_file.exists(), "no store is left open"
