"""The doctor on tokens, scopes and clocks."""

import re
import ssl
from datetime import UTC, datetime, timedelta
from urllib.error import URLError

import pytest
from slack_sdk import WebClient

from slackapp.commands.manifest import bot_scopes
from slackapp.doctor.tokens import check_clock, check_scopes, check_token
from slackapp.playground.values import App
from slackapp.playground.webapi.faults import Fault
from tests.fakes.clock import FakeClock
from tests.slackapp.doctor.conftest import APP, BOT


def test_a_token_that_slack_takes_says_whose_it_is(findings):
    [(sign, said, _)] = findings(check_token)
    assert sign == "✓"
    assert "サンプル株式会社 (T0LOCAL)" in said


@pytest.mark.parametrize(
    ("token", "said", "advice"),
    [
        ("", "SLACK_BOT_TOKEN is not set", "Bot User OAuth Token"),
        (APP, "SLACK_BOT_TOKEN does not begin with xoxb-", "Bot User OAuth Token"),
        ("xoxb-of-another", "Slack refuses: invalid_auth", "Bot User OAuth Token"),
    ],
)
def test_a_wrong_token_is_told_with_the_menu_to_copy_it_from(findings, token, said, advice):
    (found, *rest) = findings(check_token, check_scopes, check_clock, SLACK_BOT_TOKEN=token)
    assert (found[0], found[1]) == ("✗", said)
    assert advice in found[2]
    assert [sign for sign, *_ in rest] == ["–", "–"]


@pytest.mark.parametrize(
    ("code", "advice"), [("account_inactive", "install the app again"), ("token_revoked", "copy the new one")]
)
def test_a_bot_that_was_removed_is_told(slack, findings, code, advice):
    slack.faults.next("auth.test", Fault(error=code))
    [(sign, said, told)] = findings(check_token)
    assert (sign, said) == ("✗", f"Slack refuses: {code}")
    assert advice in told


def test_a_slack_out_of_reach_is_told_apart_from_a_wrong_token(slack, findings, monkeypatch):
    """Also through a proxy, whose password stays out."""
    [(sign, said, advice)] = findings(check_token, SLACK_API_URL="http://127.0.0.1:1/api/")
    assert (sign, "cannot be reached" in said, "SLACK_BOT_TOKEN" in said) == ("✗", True, False)
    assert "firewall" in advice
    monkeypatch.setenv("HTTPS_PROXY", "http://taro:s3cret@127.0.0.1:1")
    [(sign, said, advice)] = findings(check_token)
    assert said.endswith("through the proxy 127.0.0.1:1")
    assert "HTTPS_PROXY" in advice
    assert "s3cret" not in said + advice


@pytest.mark.parametrize("proxy", ["127.0.0.1:1", "socks5://127.0.0.1:1", "http://127.0.0.1:port"])
def test_a_proxy_that_is_no_address_is_told_with_its_form(findings, monkeypatch, proxy):
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    [(sign, said, advice)] = findings(check_token)
    assert (sign, "(str)" in said) == ("✗", False)
    assert "http://host:port" in advice


def test_an_unknown_certificate_is_told_with_the_setting_for_it(findings, monkeypatch):
    def refuse(*_, **__):
        raise URLError(ssl.SSLCertVerificationError("self-signed certificate"))

    monkeypatch.setattr(WebClient, "auth_test", refuse)
    [(sign, said, advice)] = findings(check_token)
    assert (sign, "SSLCertVerificationError" in said, "SSL_CERT_FILE" in advice) == ("✗", True, True)


@pytest.mark.parametrize("code", ["internal_error", "service_unavailable", "org_login_required"])
def test_a_fault_of_slack_itself_is_not_one_of_the_network(slack, findings, code):
    slack.faults.next("auth.test", Fault(error=code))
    [(sign, said, advice)] = findings(check_token)
    assert (sign, said) == ("✗", f"Slack answers {code}")
    assert "status.slack.com" in advice
    assert "SLACK_BOT_TOKEN" not in advice


@pytest.mark.parametrize("status", [200, 403, 503])
def test_a_page_in_slacks_place_is_told_as_such(slack, findings, status):
    """A proxy asks to sign in, or blocks the address: no other token helps."""
    page = Fault(status=status, page="<html>Sign in</html>", content_type="text/html")
    slack.faults.next("auth.test", page)
    [(sign, said, advice)] = findings(check_token)
    assert (sign, f"answers with status {status}" in said) == ("✗", True)
    assert "proxy" in advice
    assert "SLACK_BOT_TOKEN" not in advice


def test_a_slack_that_wants_fewer_calls_is_told(slack, findings):
    slack.faults.next("auth.test", Fault(status=429, retry_after=7))
    assert findings(check_token) == [("✗", "Slack has had too many calls", "Try again in 7 s.")]


def test_missing_scopes_are_named_with_the_way_to_get_them(slack, findings):
    """The header that Slack sends is compared with the manifest."""
    assert findings(check_token, check_scopes)[1][0] == "✓"
    old = App(bot_token="xoxb-old", scopes=bot_scopes() - {"files:write", "mpim:read"}, app_id="A0OLD")
    slack.install(old)
    _, (sign, said, advice) = findings(check_token, check_scopes, SLACK_BOT_TOKEN="xoxb-old")
    slack.install(App(bot_token=BOT, app_token=APP))
    assert (sign, said) == ("✗", "scopes are missing: files:write, mpim:read")
    assert "manifest --socket" in advice
    assert "Reinstall" in advice


@pytest.mark.parametrize(("seconds", "words"), [(3600, "ahead of"), (-60, "behind")])
def test_a_clock_that_is_off_is_told(findings, seconds, words):
    clock = FakeClock(datetime.now(UTC) + timedelta(seconds=seconds))
    _, (sign, said, advice) = findings(check_token, check_clock, clock=clock)
    found = re.fullmatch(rf"this machine's clock is (\d+) s {words} Slack's", said)
    assert found
    off = int(found[1])
    assert sign == "✗"
    assert abs(off - abs(seconds)) < 30
    assert "NTP" in advice


def test_a_clock_that_is_right_is_told_too(findings):
    assert findings(check_token, check_clock)[1] == ("✓", "this machine's clock agrees with Slack's", "")
