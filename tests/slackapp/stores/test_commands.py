"""The commands that make tables and keep the whitelist."""

import argparse

import pytest

from slackapp.commands import store_tables, whitelist
from slackapp.settings import TABLES, load
from slackapp.stores.contract import Entity, WhitelistEntry
from slackapp.stores.opening import open_store


@pytest.fixture
def environ(tmp_path):
    return {"SQLITE_PATH": str(tmp_path / "store.sqlite3")}


@pytest.fixture
def run(environ, capsys):
    """Runs a command line: its status, what it printed and what it complained of."""

    def run(line, using=environ):
        parser = argparse.ArgumentParser()
        commands = parser.add_subparsers(required=True)
        store_tables.add_to(commands)
        whitelist.add_to(commands)
        options = parser.parse_args(line.split())
        status = options.run(options, using)
        return status, *capsys.readouterr()

    return run


def test_tables_are_made_in_dynamodb_and_said_once(run, dynamodb_endpoint):
    """Both by prefix and by their own names."""
    remote = {
        "DYNAMODB_ENDPOINT_URL": dynamodb_endpoint,
        "DYNAMODB_TABLE_PREFIX": "told-",
        "WHITELIST_TABLE": "told-people",
    }
    status, out, _ = run("tables create", remote)
    made = ["told-dedupe", "told-people", "told-rate_limit", "told-existence_check_cache"]
    assert status == 0
    assert out.splitlines()[:4] == [f"made: {name}" for name in made]
    assert out.splitlines()[4:] == [
        f"ready: {dynamodb_endpoint}, stage not named, table {name}" for name in made
    ]
    assert run("tables create", remote) == (0, "".join(f"{line}\n" for line in out.splitlines()[4:]), "")


def test_tables_in_a_file_are_ready_by_themselves(run, environ):
    ready = [f"ready: {environ['SQLITE_PATH']}, table {table}\n" for table in TABLES]
    assert run("tables create") == (0, "".join(ready), "")


@pytest.mark.parametrize("line", ["whitelist add team T1", "whitelist list", "tables create"])
def test_a_command_says_which_region_stage_and_table_it_uses(run, monkeypatch, line):
    """Also where AWS does not answer: it may be the wrong region. `AWS_REGION` counts, as for AWS's tools."""
    monkeypatch.setenv("AWS_REGION", "us-west-2")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDTEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s")
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:1")
    status, _, err = run(line, {"APP_STAGE": "prod"})
    table = "whitelist" if "whitelist" in line else "dedupe"
    assert status == 1
    assert f": region us-west-2, stage prod, table slack-web-reader-prod-{table}\n" in err


@pytest.mark.parametrize("line", ["tables create", "whitelist list", "whitelist add team T1"])
def test_a_store_that_cannot_be_opened_is_told(run, tmp_path, line):
    (tmp_path / "file").touch()
    broken = {"SQLITE_PATH": str(tmp_path / "file" / "store.sqlite3")}
    status, out, err = run(line, broken)
    assert (status, out) == (1, "")
    assert err.splitlines()[1].startswith("SQLite: ")
    assert "Set SQLITE_PATH to a file in a directory in which this user may write" in err


def test_missing_credentials_of_aws_are_told_as_what_to_do(run, monkeypatch, tmp_path):
    """`NoCredentialsError` alone helps no one."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    status, out, err = run("whitelist list", {"STORE": "dynamodb"})
    assert (status, out) == (1, "")
    assert "run `aws configure`, set AWS_PROFILE" in err
    monkeypatch.setenv("AWS_PROFILE", "gone")
    assert "a profile that ~/.aws/config does not have" in run("whitelist list", {"STORE": "dynamodb"})[2]


def listed(run, using=None):
    """The lines of `whitelist list` that name an id."""
    status, out, err = run("whitelist list", using) if using else run("whitelist list")
    assert (status, err.count("\n")) == (0, 1)
    assert err.startswith("whitelist: ")
    return [line for line in out.splitlines() if "\t" in line]


def test_the_list_is_the_policy_in_force_with_the_environment(run, environ):
    """The mode first; an empty list says which command opens it."""
    _, empty, _ = run("whitelist list")
    assert empty.startswith("access: whitelist (nothing is listed)\n")
    command = empty.rpartition(": ")[2].strip()
    assert command.endswith(" -m slackapp whitelist add team T0123ABCD")
    assert run(command.partition("slackapp ")[2])[0] == 0
    more = environ | {"WHITELIST_TEAM_IDS": "T0123ABCD", "WHITELIST_USER_IDS": "U0SATO"}
    assert listed(run, more) == ["team\tT0123ABCD\tenvironment and table", "user\tU0SATO\tenvironment"]
    opened = run("whitelist list", environ | {"ACCESS_MODE": "open"})[1]
    assert opened.splitlines()[0] == "access: open"


def test_rows_are_added_listed_and_removed(run):
    assert listed(run) == []
    assert run("whitelist add team T0LOCAL --label 本社")[:2] == (0, "added: team T0LOCAL\n")
    assert run("whitelist add channel C0GENERAL")[0] == 0
    assert listed(run) == ["team\tT0LOCAL\ttable\t本社", "channel\tC0GENERAL\ttable"]
    assert run("whitelist remove team T0LOCAL")[:2] == (0, "removed: team T0LOCAL\n")
    status, out, err = run("whitelist remove team T0LOCAL")
    assert (status, out, err.splitlines()[1]) == (1, "", "not on the list: team T0LOCAL")


@pytest.mark.parametrize(
    "line", ["team C0GENERAL", "channel general", "user t0local", "user U", "team T0;DROP"]
)
def test_an_id_of_another_kind_is_refused(run, line):
    """A row that matches no user would refuse every user."""
    status, out, err = run(f"whitelist add {line}")
    assert (status, out) == (1, "")
    assert line.split()[1] in err
    assert f"one looks like {line[0].upper()}0123ABCD" in err
    assert listed(run) == []


def test_a_row_made_by_hand_can_be_removed_whatever_it_looks_like(run, environ):
    store = open_store(load(environ), environ)
    store.add_to_whitelist(WhitelistEntry(entity=Entity.TEAM, id="oops"))
    store.close()
    assert run("whitelist remove team oops")[0] == 0


@pytest.mark.parametrize("line", ["whitelist add planet P1", "whitelist add team", "whitelist", "tables"])
def test_a_command_line_that_says_too_little_is_refused(run, line):
    with pytest.raises(SystemExit):
        run(line)
