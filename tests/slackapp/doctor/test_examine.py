"""The whole report: as an operator runs it, with an installation that works and one that does not."""

import pytest
from pydantic import SecretStr

from fetcher import VERSION
from fetcher.a2a.settings import A2ASettings
from fetcher.settings import AgentSettings
from slackapp.__main__ import main
from slackapp.doctor import examine, machine_checks
from slackapp.doctor.slack_checks import check_bot_token
from slackapp.playground.webapi.faults import Fault
from slackapp.settings import SlackSettings
from tests.slackapp.doctor.conftest import APP, BOT


@pytest.fixture
def doctor(environ, monkeypatch, tmp_path, capsys):
    """Runs the command line without the check that takes long, which has tests of its own."""
    monkeypatch.chdir(tmp_path)
    quick = [each for each in examine.CHECKS if each is not machine_checks.check_pages]
    monkeypatch.setattr(examine, "CHECKS", tuple(quick))

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
    assert report.count("✓") >= 8
    assert report.startswith(f"slack-web-reader {VERSION} doctor, ")
    assert report.endswith("Nothing is wrong.\n")
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

    monkeypatch.setattr(examine, "CHECKS", (broken, check_bot_token))
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


def test_every_secret_of_the_settings_has_a_name_that_is_hidden():
    models = (SlackSettings, AgentSettings, A2ASettings)
    secrets = [
        name
        for model in models
        for name, field in model.model_fields.items()
        if isinstance(field.default, SecretStr)
    ]
    assert len(secrets) >= 5
    assert [name for name in secrets if not examine.SECRET_NAME.search(name)] == []


def test_secrets_are_hidden_by_value_and_by_their_looks():
    hidden = examine.secrets_of(
        {
            "SLACK_BOT_TOKEN": "xoxb-1",
            "A2A_API_KEY": "first-key, second-key",
            "HTTPS_PROXY": "http://taro%40corp:p%40ssword@proxy.example:8080",
            "MCP_SERVER_KEY": "third-key",
            "OTHER": "visible",
        }
    )
    text = "xoxb-1 xoxp-9-another first-key second-key third-key p%40ssword p@ssword"
    assert set(examine.redacted(text, hidden).split()) == {"•••"}
    assert examine.redacted("proxy.example visible", hidden) == "proxy.example visible"
