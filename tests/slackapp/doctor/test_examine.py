"""The whole report: as an operator runs it, with an installation that works and one that does not."""

import pytest

from fetcher import VERSION
from slackapp.__main__ import main
from slackapp.doctor import examine, reading
from slackapp.doctor.report import Redaction
from slackapp.doctor.tokens import check_token
from slackapp.playground.webapi.faults import Fault
from tests.slackapp.doctor.conftest import APP, BOT


@pytest.fixture
def doctor(environ, monkeypatch, tmp_path, capsys):
    """Runs the command line without the checks that take long, which have tests of their own."""
    monkeypatch.chdir(tmp_path)
    slow = (reading.check_readers, reading.check_web)
    monkeypatch.setattr(examine, "CHECKS", tuple(each for each in examine.CHECKS if each not in slow))

    def run(*words, **variables):
        for name, value in {**environ, **variables}.items():
            monkeypatch.setenv(name, value)
        status = main(["doctor", *words])
        return status, capsys.readouterr().out

    return run


def test_an_installation_that_works_has_a_report_without_a_failure(doctor, slack):
    """With everything that can be asked for."""
    status, report = doctor("--channel", "C0GENERAL", "--online")
    assert status == 0
    assert "✗" not in report
    assert report.count("✓") >= 9
    assert report.startswith(f"slack-web-reader {VERSION} doctor, ")
    assert report.endswith("Nothing is wrong. 1 hint.\n")
    assert "→ Set ANTHROPIC_API_KEY" in report


def test_faults_are_told_each_with_its_remedy_and_the_status_says_so(doctor, slack):
    slack.faults.next("conversations.info", Fault(error="channel_not_found"))
    status, report = doctor("--channel", "C0GENERAL", WHITELIST_TEAM_IDS="T0OTHER", SLACK_APP_TOKEN="xapp-no")
    assert status == 1
    lines = report.splitlines()
    failed = [number for number, line in enumerate(lines) if line.startswith("✗")]
    assert len(failed) == 3
    assert all(lines[number + 1].startswith("    → ") for number in failed)
    assert lines[-1].startswith("3 of ")


def test_wrong_settings_are_a_finding_and_end_the_examination(doctor):
    status, report = doctor(SLACK_WORKERS="many")
    assert (status, "✗ Configuration error: SLACK_WORKERS" in report) == (1, True)
    status, report = doctor(SLACK_WORKERS="10", ACCES_MODE="open")
    assert (status, "Did you mean ACCESS_MODE?" in report) == (1, True)


def test_a_check_that_fails_itself_does_not_end_the_examination(doctor, monkeypatch):
    def broken(_):
        raise RuntimeError(f"with {BOT} in it")

    monkeypatch.setattr(examine, "CHECKS", (broken, check_token))
    status, report = doctor()
    assert status == 1
    assert "broken itself failed: RuntimeError" in report
    assert "✓ Slack takes SLACK_BOT_TOKEN" in report


def test_a_file_of_tokens_that_others_can_read_is_told(doctor, tmp_path):
    (tmp_path / ".env").write_text("# tokens\n")
    (tmp_path / ".env").chmod(0o644)
    assert "→ Run: chmod 600 .env" in doctor()[1]
    (tmp_path / ".env").chmod(0o600)
    assert "chmod" not in doctor()[1]


def test_no_secret_is_in_the_report(doctor, slack, monkeypatch):
    """Whatever Slack, a proxy or the model quotes in its errors."""
    quoted = f"{BOT} {APP} sk-ant-secret-1 hunter2-secret wJalrXUtnFEMI"
    slack.faults.next("apps.connections.open", Fault(error="x" + quoted.replace(" ", "_")))
    status, report = doctor(
        ANTHROPIC_API_KEY="sk-ant-secret-1",
        MODEL_PROVIDER="offline",
        A2A_API_KEY="hunter2-secret",
        SLACK_SIGNING_SECRET="hunter2-secret",
        AWS_SECRET_ACCESS_KEY="wJalrXUtnFEMI",
        SQLITE_PATH=f"/dev/null/{quoted}",
    )
    assert status == 1
    assert not [secret for secret in quoted.split() if secret in report]


def test_secrets_are_hidden_by_value_and_by_their_looks(monkeypatch):
    monkeypatch.setenv("HOME", "/home/taro")
    hidden = Redaction(
        {
            "SLACK_BOT_TOKEN": "xoxb-1",
            "A2A_API_KEY": "first-key, second-key",
            "HTTPS_PROXY": "http://taro%40corp:p%40ssword@proxy.example:8080",
            "OTHER": "visible",
        }
    )
    text = "xoxb-1 xoxp-9-another first-key second-key p%40ssword p@ssword proxy.example visible /home/taro/x"
    assert hidden.of(text) == "••• ••• ••• ••• ••• ••• proxy.example visible ~/x"
