"""`python -m slackapp`."""

import errno
import logging
from pathlib import Path

import pytest

from fetcher.startup.command_line import INTERRUPTED, MISCONFIGURED
from slackapp import PACKAGES
from slackapp.__main__ import TOKENS, main
from slackapp.playground import command
from slackapp.run import socket_mode


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch, tmp_path):
    """A directory and an environment without tokens, and nothing that really opens."""
    monkeypatch.chdir(tmp_path)
    for name in TOKENS:
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    return tmp_path


@pytest.fixture
def opened(monkeypatch):
    """What was opened, in order."""
    seen = []

    def playground(_options, _environ):
        seen.append("playground")
        return 0

    monkeypatch.setattr(command, "run", playground)
    monkeypatch.setattr(
        socket_mode, "serve", lambda chosen, _: seen.append(chosen.slack_bot_token.get_secret_value())
    )
    return seen


def test_without_tokens_the_playground_opens_and_says_why(opened, capsys):
    assert main([]) == 0
    assert opened == ["playground"]
    assert "No Slack tokens are set" in capsys.readouterr().out


def test_without_tokens_and_without_the_playground_the_missing_variables_are_named(
    opened, capsys, monkeypatch
):
    """As in the image, which has no packages of the playground."""
    monkeypatch.setattr("slackapp.__main__.find_spec", lambda _: None)
    assert main([]) == MISCONFIGURED
    assert opened == []
    assert "SLACK_BOT_TOKEN, SLACK_APP_TOKEN" in capsys.readouterr().err


@pytest.mark.parametrize(("line", "level"), [([], logging.INFO), (["-v"], logging.DEBUG)])
def test_with_tokens_the_bot_runs_and_logs_what_it_does(opened, monkeypatch, line, level):
    """Answered and refused questions are lines of level info; ignored events are of level debug."""
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-1")
    monkeypatch.setenv("SLACK_APP_TOKEN", "xapp-1")
    assert main(line) == 0
    assert opened == ["xoxb-1"]
    assert {logging.getLogger(name).level for name in PACKAGES} == {level}


def test_commands_and_the_playground_log_warnings_only(opened):
    assert main([]) == 0
    assert opened == ["playground"]
    assert {logging.getLogger(name).level for name in PACKAGES} == {logging.WARNING}


def test_tokens_may_stand_in_a_file(opened, elsewhere):
    (elsewhere / ".env").write_text("SLACK_BOT_TOKEN=xoxb-2\nSLACK_APP_TOKEN=xapp-2\n")
    assert main([]) == 0
    assert opened == ["xoxb-2"]


def test_secrets_may_be_named_or_stand_in_files_outside_lambda_too(opened, elsewhere, monkeypatch):
    """`SECRET_PARAMETERS` names those in Parameter Store; `CREDENTIALS_DIRECTORY` has files."""
    asked = []

    def filled(environ):
        asked.append(environ["SECRET_PARAMETERS"])
        return {**environ, "SLACK_BOT_TOKEN": "xoxb-3"}

    monkeypatch.setattr("slackapp.__main__.with_parameters", filled)
    monkeypatch.setenv("SECRET_PARAMETERS", "/app/SLACK_BOT_TOKEN")
    (elsewhere / "SLACK_APP_TOKEN").write_text("xapp-3\n")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(elsewhere))
    monkeypatch.setenv("SLACK_APP_TOKEN", "")  # so that it is put back
    assert main([]) == 0
    assert (opened, asked) == (["xoxb-3"], ["/app/SLACK_BOT_TOKEN"])


@pytest.mark.parametrize("encoding", ["shift_jis", "utf-16"])
def test_a_file_in_another_encoding_is_told_without_a_traceback(opened, elsewhere, capsys, encoding):
    """Japanese comments come easily in Shift_JIS."""
    (elsewhere / ".env").write_text("# トークン\nSLACK_BOT_TOKEN=xoxb-2\n", encoding=encoding)
    assert main([]) == MISCONFIGURED
    assert opened == []
    assert "Save it as UTF-8" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line",
    [
        'ACCESS_MODE="open',
        "ACCESS_MODE: open",
        "ACCESS_MODE＝open",
        "“ACCESS_MODE”=open",
        'ACCESS_MODE="open" 1',
    ],
)
def test_a_line_of_the_file_that_sets_nothing_is_told_by_its_number(opened, elsewhere, capsys, line):
    (elsewhere / ".env").write_text(f"# Slack\n\n\n{line}\nSLACK_BOT_TOKEN=xoxb-2\n", encoding="utf-8")
    assert main([]) == MISCONFIGURED
    assert opened == []
    said = capsys.readouterr().err
    assert ".env, line 4: not NAME=value" in said
    assert "open" not in said


def test_a_name_alone_in_the_file_sets_nothing(opened, elsewhere):
    """As in the files of other tools; and a directory of the same name is no file."""
    (elsewhere / ".env").write_text("export HOME_ALONE\n", encoding="utf-8")
    assert main([]) == 0
    (elsewhere / ".env").unlink()
    (elsewhere / ".env").mkdir()
    assert main([]) == 0


def test_a_file_that_this_user_may_not_read_is_told(opened, elsewhere, capsys, monkeypatch):
    (elsewhere / ".env").touch()

    def refuse(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_text", refuse)
        assert main([]) == MISCONFIGURED
    said = capsys.readouterr().err
    assert ("Let this user read it" in said, "UTF-8" in said) == (True, False)


def test_a_file_that_windows_marked_is_read(opened, elsewhere):
    (elsewhere / ".env").write_text("SLACK_BOT_TOKEN=xoxb-2\nSLACK_APP_TOKEN=xapp-2\n", encoding="utf-8-sig")
    assert main([]) == 0
    assert opened == ["xoxb-2"]


@pytest.mark.parametrize("name", TOKENS)
def test_one_token_alone_is_told_what_is_missing(opened, capsys, monkeypatch, name):
    """A user who sets one token wants the bot, not the playground."""
    monkeypatch.setenv(name, "xoxb-1")
    assert main([]) == MISCONFIGURED
    assert opened == []
    assert "SLACK_" in capsys.readouterr().err


def test_a_misspelt_token_is_told_and_opens_no_playground(opened, elsewhere, capsys, monkeypatch):
    """In the environment and in the file."""
    monkeypatch.setenv("SLACK_BOT_TOKN", "xoxb-secret")
    monkeypatch.setenv("ACCES_MODE", "")
    monkeypatch.delenv("ACCES_MODE")  # so that the one of the file does not stay
    (elsewhere / ".env").write_text("ACCES_MODE=open\n")
    assert main([]) == MISCONFIGURED
    error = capsys.readouterr().err
    assert "Did you mean SLACK_BOT_TOKEN?" in error
    assert "Did you mean ACCESS_MODE?" in error
    assert "secret" not in error
    assert opened == []


def test_a_wrong_setting_is_told_without_a_traceback(capsys, monkeypatch):
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-1")
    monkeypatch.setenv("SLACK_WORKERS", "none")
    assert main([]) == MISCONFIGURED
    error = capsys.readouterr().err
    assert "slack_workers" in error.lower()
    assert "Traceback" not in error


def test_whoever_interrupts_it_gets_the_usual_status(monkeypatch):
    def interrupted(_options, _environ):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "run", interrupted)
    assert main([]) == INTERRUPTED


def test_commands_are_listed(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in ("playground", "manifest", "tables", "whitelist"))


def test_a_misspelt_kind_of_entry_is_told_with_those_that_there_are(capsys):
    with pytest.raises(SystemExit):
        main(["whitelist", "add", "chanel", "C0123ABCD"])
    shown = capsys.readouterr().err
    assert "'chanel'" in shown
    assert all(kind in shown.splitlines()[-1] for kind in ("team", "channel", "user", "choose from"))
