"""The doctor on tokens, scopes, the clock, the whitelist and channels."""

import re
import ssl
from datetime import UTC, datetime, timedelta
from urllib.error import URLError

import pytest
from slack_sdk import WebClient

from slackapp.__main__ import main
from slackapp.commands.manifest import bot_scopes
from slackapp.doctor.machine_checks import check_store
from slackapp.doctor.slack_checks import check_app_token, check_bot_token, check_channel, check_whitelist
from slackapp.playground.values import App
from slackapp.playground.webapi.faults import Fault
from tests.fakes.clock import FakeClock
from tests.slackapp.doctor.conftest import APP, BOT


def test_a_token_that_slack_takes_says_whose_it_is_and_that_scopes_and_clock_are_right(findings):
    found = findings(check_bot_token)
    assert [sign for sign, *_ in found] == ["✓", "✓", "✓"]
    assert "サンプル株式会社 (T0LOCAL)" in found[0][1]


@pytest.mark.parametrize(
    ("token", "said"),
    [
        ("", "SLACK_BOT_TOKEN is not set"),
        (APP, "SLACK_BOT_TOKEN does not begin with xoxb-"),
        ("xoxb-of-another", "Slack refuses: invalid_auth"),
    ],
)
def test_a_wrong_token_is_told_with_the_menu_to_copy_it_from(findings, token, said):
    [(sign, told, advice)] = findings(check_bot_token, SLACK_BOT_TOKEN=token)
    assert (sign, told) == ("✗", said)
    assert "Bot User OAuth Token" in advice


def test_a_slack_out_of_reach_is_told_apart_from_a_wrong_token(findings, monkeypatch):
    """Also through a proxy, whose password stays out."""
    [(sign, said, advice)] = findings(check_bot_token, SLACK_API_URL="http://127.0.0.1:1/api/")
    assert (sign, "cannot be reached" in said, "SLACK_BOT_TOKEN" in said) == ("✗", True, False)
    assert "Outgoing HTTPS" in advice
    for proxy in ("http://taro:pw@127.0.0.1:1", "taro:pw@127.0.0.1:1", "socks5://127.0.0.1:1"):
        monkeypatch.setenv("HTTPS_PROXY", proxy)
        [(sign, said, advice)] = findings(check_bot_token)
        assert said.endswith("through the proxy 127.0.0.1:1")
        assert "http://host:port" in advice


def test_an_unknown_certificate_is_told_with_the_setting_for_it(findings, monkeypatch):
    def refuse(*_, **__):
        raise URLError(ssl.SSLCertVerificationError("self-signed certificate"))

    monkeypatch.setattr(WebClient, "auth_test", refuse)
    [(sign, said, advice)] = findings(check_bot_token)
    assert (sign, "SSLCertVerificationError" in said, "SSL_CERT_FILE" in advice) == ("✗", True, True)


@pytest.mark.parametrize(
    ("fault", "said", "advised"),
    [
        (Fault(error="account_inactive"), "Slack refuses: account_inactive", "install the app again"),
        (Fault(error="internal_error"), "answers internal_error", "status.slack.com"),
        (Fault(status=403, page="<html>Sign in</html>", content_type="text/html"), "http_403", "proxy"),
        (Fault(status=200, page="<html>Sign in</html>", content_type="text/html"), "http_200", "proxy"),
        (Fault(status=429, retry_after=7), "too many calls", "Try again in 7 s."),
    ],
)
def test_slacks_refusals_its_faults_and_a_page_in_its_place_are_told_apart(
    slack, findings, fault, said, advised
):
    """A proxy may ask to sign in, or block the address: another token does not help."""
    slack.faults.next("auth.test", fault)
    [(sign, told, advice)] = findings(check_bot_token)
    assert (sign, said in told, advised in advice, "SLACK_BOT_TOKEN" in advice) == ("✗", True, True, False)


def test_missing_scopes_are_named_with_the_way_to_get_them(slack, findings):
    """The header that Slack sends is compared with the manifest."""
    old = App(bot_token="xoxb-old", scopes=bot_scopes() - {"files:write", "mpim:read"}, app_id="A0OLD")
    slack.install(old)
    _, (sign, said, advice), _ = findings(check_bot_token, SLACK_BOT_TOKEN="xoxb-old")
    slack.install(App(bot_token=BOT, app_token=APP))
    assert (sign, said) == ("✗", "scopes are missing: files:write, mpim:read")
    assert "manifest --socket" in advice
    assert "Reinstall" in advice


@pytest.mark.parametrize(("seconds", "words"), [(3600, "ahead of"), (-600, "behind")])
def test_a_clock_that_is_off_is_told(findings, seconds, words):
    clock = FakeClock(datetime.now(UTC) + timedelta(seconds=seconds))
    *_, (sign, said, advice) = findings(check_bot_token, seams={"clock": clock})
    assert re.fullmatch(rf"this machine's clock is \d+ s {words} Slack's", said)
    assert (sign, "NTP" in advice) == ("✗", True)


def test_an_app_token_that_opens_connections_is_good(findings):
    assert findings(check_app_token) == [("✓", "Slack takes SLACK_APP_TOKEN: Socket Mode is on", "")]
    [(sign, *_)] = findings(check_app_token, SLACK_APP_TOKEN="", SLACK_SIGNING_SECRET="s")
    assert sign == "–"


@pytest.mark.parametrize(
    ("token", "said"),
    [
        ("", "SLACK_APP_TOKEN is not set"),
        (BOT, "SLACK_APP_TOKEN does not begin with xapp-"),
        ("xapp-of-another", "Slack refuses: invalid_auth"),
    ],
)
def test_a_wrong_app_token_is_told_with_its_menu(findings, token, said):
    [(sign, told, advice)] = findings(check_app_token, SLACK_APP_TOKEN=token)
    assert (sign, told) == ("✗", said)
    assert "App-Level Tokens" in advice


def test_an_app_token_without_its_scope_is_told_with_its_menu(slack, findings):
    """No manifest gives this scope: it is chosen when the token is made."""
    slack.faults.next("apps.connections.open", Fault(error="missing_scope"))
    [(sign, said, advice)] = findings(check_app_token)
    assert (sign, said) == ("✗", "Slack refuses: missing_scope")
    assert "connections:write" in advice
    assert "manifest" not in advice.lower()


def test_tokens_of_two_apps_are_told(slack, findings):
    two = App(bot_token="xoxb-two", app_token="xapp-1-A0TWO-1-2", app_id="A0TWO", bot_id="B0TWO")
    slack.install(two)
    *_, (sign, said, _) = findings(check_bot_token, check_app_token, SLACK_APP_TOKEN="xapp-1-A0TWO-1-2")
    slack.install(App(bot_token=BOT, app_token=APP))
    assert (sign, said) == ("✗", "SLACK_BOT_TOKEN is of the app A0READER, SLACK_APP_TOKEN of A0TWO")


def test_the_policy_in_force_is_shown(findings):
    assert findings(check_store, check_whitelist)[1] == ("✓", "access: whitelist (1 team)", "")
    assert findings(check_store, check_whitelist, ACCESS_MODE="open")[1] == ("✓", "access: open", "")


def test_an_empty_whitelist_is_told_with_the_command_that_opens_it(findings, environ, monkeypatch):
    """The command is run here as it is printed."""
    *_, (sign, said, advice) = findings(check_bot_token, check_store, check_whitelist, WHITELIST_TEAM_IDS="")
    assert (sign, "empty" in said) == ("✗", True)
    words = advice.partition(" -m slackapp ")[2]
    assert words == "whitelist add team T0LOCAL"
    for name in ("SQLITE_PATH", "SLACK_BOT_TOKEN"):
        monkeypatch.setenv(name, environ[name])
    assert main(words.split()) == 0
    assert findings(check_store, check_whitelist, WHITELIST_TEAM_IDS="")[1][0] == "✓"


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ("T0OTHER", "the whitelist lets in T0OTHER, and not this workspace (T0LOCAL)"),
        ("T0LOCAL,C0GENERAL", "the whitelist has ids of another kind: C0GENERAL"),
    ],
)
def test_a_whitelist_of_others_is_told(findings, listed, said):
    found = findings(check_bot_token, check_store, check_whitelist, WHITELIST_TEAM_IDS=listed)
    assert ("✗", said) in [each[:2] for each in found]


def in_channel(findings, channel, *checks, **variables):
    return findings(*checks, check_channel, seams={"channel": channel}, **variables)


def test_a_channel_of_the_bot_is_good(findings):
    good = ("✓", "the bot is a member of C0GENERAL (#general)", "")
    assert in_channel(findings, "C0GENERAL") == [good]
    assert in_channel(findings, "") == []


def test_a_name_is_no_id(findings):
    [(sign, said, advice)] = in_channel(findings, "#general")
    assert (sign, said) == ("✗", "#general is not the id of a channel")
    assert "docs/deploy.md" in advice


def test_a_channel_without_the_bot_says_how_to_invite_it(slack, findings):
    with slack.workspace.lock:
        slack.workspace.channel("general").members.discard(slack.app.bot_user)
    [(sign, said, advice)] = in_channel(findings, "C0GENERAL")
    with slack.workspace.lock:
        slack.workspace.channel("general").members.add(slack.app.bot_user)
    assert (sign, said) == ("✗", "the bot is not a member of C0GENERAL (#general)")
    assert "/invite @webreader" in advice
    [(sign, said, advice)] = in_channel(findings, "C0NOWHERE")
    assert (sign, said, "/invite" in advice) == ("✗", "Slack refuses: channel_not_found", True)


def test_a_missing_scope_is_told(slack, findings):
    slack.faults.next("conversations.info", Fault(error="missing_scope"))
    [(sign, said, advice)] = in_channel(findings, "C0GENERAL")
    assert (sign, said, "manifest" in advice) == ("✗", "Slack refuses: missing_scope", True)


def test_a_channel_that_the_whitelist_leaves_out_is_told(findings):
    checks = (check_bot_token, check_store)
    *_, (sign, said, advice) = in_channel(findings, "C0GENERAL", *checks, WHITELIST_CHANNEL_IDS="C0OTHER")
    assert (sign, "names other channels" in said) == ("✗", True)
    assert advice.endswith("whitelist add channel C0GENERAL")
