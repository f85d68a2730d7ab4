"""The doctor on the Socket Mode connection."""

import pytest

from slackapp.doctor.socket_connection import check_socket
from slackapp.doctor.tokens import check_token
from slackapp.playground.values import App
from slackapp.playground.webapi.faults import Fault
from tests.slackapp.doctor.conftest import APP, BOT
from tests.slackapp.sdk_sockets import UNCLOSED


def test_a_connection_is_opened_and_closed_again(slack, findings):
    found = findings(check_token, check_socket)
    assert [sign for sign, *_ in found] == ["✓", "✓", "✓"]
    assert found[1][1] == "Socket Mode connects; other open connections of the app: 0"
    assert found[2][1] == "both tokens are of the app A0READER"
    assert slack.wait_until(lambda: slack.sockets.count("A0READER") == 0)


@pytest.mark.parametrize(
    ("token", "said"),
    [
        ("", "SLACK_APP_TOKEN is not set"),
        (BOT, "SLACK_APP_TOKEN does not begin with xapp-"),
        ("xapp-of-another", "Slack refuses: invalid_auth"),
    ],
)
def test_a_wrong_token_is_told_with_its_menu(findings, token, said):
    [(sign, told, advice)] = findings(check_socket, SLACK_APP_TOKEN=token)
    assert (sign, told) == ("✗", said)
    assert "App-Level Tokens" in advice


def test_without_socket_mode_the_check_is_left_out(findings):
    [(sign, *_)] = findings(check_socket, SLACK_APP_TOKEN="", SLACK_SIGNING_SECRET="s")
    assert sign == "–"


@UNCLOSED
def test_a_connection_that_is_refused_is_told(slack, findings):
    slack.sockets.refusing = True
    [(sign, said, advice)] = findings(check_socket)
    assert (sign, "cannot be opened" in said) == ("✗", True)
    assert "wss://" in advice


@UNCLOSED
def test_a_proxy_that_refuses_is_told_without_its_password(slack, findings, monkeypatch):
    """The local Slack takes calls through itself as a proxy, and refuses CONNECT."""
    monkeypatch.setenv("HTTP_PROXY", slack.base_url.replace("//", "//taro:s3cret@"))
    [(sign, said, advice)] = findings(check_socket)
    assert (sign, said) == ("✗", "the Socket Mode connection cannot be opened: the proxy answered 501")
    assert "s3cret" not in said + advice


def test_tokens_of_two_apps_are_told(slack, findings):
    slack.install(App(bot_token="xoxb-two", app_token="xapp-two", app_id="A0TWO", bot_id="B0TWO"))
    *_, (sign, said, _) = findings(check_token, check_socket, SLACK_APP_TOKEN="xapp-two")
    slack.install(App(bot_token=BOT, app_token=APP))
    assert (sign, said) == ("✗", "SLACK_BOT_TOKEN is of the app A0READER, SLACK_APP_TOKEN of A0TWO")


def test_a_slack_without_an_answer_is_told(slack, findings):
    slack.faults.next("apps.connections.open", Fault(drop=True))
    [(sign, said, _)] = findings(check_socket)
    assert (sign, "cannot be reached" in said) == ("✗", True)


def test_a_token_without_its_scope_is_told_with_its_menu(slack, findings):
    """No manifest gives this scope: it is chosen when the token is made."""
    slack.faults.next("apps.connections.open", Fault(error="missing_scope"))
    [(sign, said, advice)] = findings(check_socket)
    assert (sign, said) == ("✗", "Slack refuses: missing_scope")
    assert "connections:write" in advice
    assert "manifest" not in advice.lower()
