"""The doctor on the store."""

import pytest

from slackapp.doctor.store import check_store
from slackapp.stores.sqlite import SQLiteStore
from tests.fakes.dynamodb import CREDENTIALS
from tests.slackapp.stores.wire import Wire


def test_a_store_that_works_is_named_with_its_path(findings, environ):
    [(sign, said, _)] = findings(check_store)
    assert sign == "✓"
    assert environ["SQLITE_PATH"] in said


def test_a_file_that_cannot_be_made_is_told(findings, tmp_path):
    (tmp_path / "file").touch()
    [(sign, said, advice)] = findings(check_store, SQLITE_PATH=str(tmp_path / "file" / "s"))
    assert (sign, "cannot be used: SQLite" in said) == ("✗", True)
    assert "belong to this user" in advice


def test_a_file_of_another_program_is_told_as_such(findings, tmp_path):
    (tmp_path / "notes").write_text("words of another program")
    [(sign, _, advice)] = findings(check_store, SQLITE_PATH=str(tmp_path / "notes"))
    assert (sign, "SQLITE_PATH" in advice, "disk" in advice) == ("✗", True, False)


@pytest.mark.parametrize("method", ["cache_values", "mark_once"])
def test_a_store_that_forgets_is_told(findings, monkeypatch, method):
    monkeypatch.setattr(SQLiteStore, method, lambda *_, **__: True)
    [(sign, said, _)] = findings(check_store)
    assert (sign, "was written" in said) == ("✗", True)


def test_a_missing_table_is_told_with_the_command_that_makes_it(findings, monkeypatch):
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    with Wire() as wire:
        wire.plan += ["ResourceNotFoundException"]
        [(sign, said, advice)] = findings(check_store, DYNAMODB_ENDPOINT_URL=wire.url)
    assert (sign, "ResourceNotFoundException" in said) == ("✗", True)
    assert "tables create" in advice
