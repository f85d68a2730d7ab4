"""What SQLITE_PATH may name: a file of ours, or none yet. Anything else is left exactly as it was."""

import os
import shutil
import socket
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from fetcher.settings import ConfigurationError
from slackapp.run.socket_mode import serve
from slackapp.settings import SlackSettings
from slackapp.stores.contract import StoreMismatch
from slackapp.stores.opening import open_store
from slackapp.stores.sqlite import SQLiteStore
from slackapp.stores.sqlite.schema import SCHEMAS

NOW = 1_768_046_400.0


def _states(folder):
    """Everything in a folder, with what could have been changed."""
    found = {}
    for path in sorted(folder.rglob("*")):
        state = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(state.st_mode) else None
        found[path.name] = (stat.S_IMODE(state.st_mode), state.st_size, state.st_mtime_ns, content)
    return found


def _text(path):
    path.write_text("買い物メモ\n" * 50, "utf-8")


def _short(path):
    path.write_bytes(b"x")


def _foreign(path, *statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in ("CREATE TABLE notes (id INTEGER)", *statements):
            connection.execute(statement)


def _emptied(path):
    """Another application's, which has dropped its tables."""
    _foreign(path, "DROP TABLE notes")


def _extended(path):
    """A database with tables of our names, and another one."""
    _foreign(path, *(f"CREATE TABLE {name} (id INTEGER)" for name in SCHEMAS))


def _linked(path):
    """An empty file that another application knows by another name."""
    path.touch()
    path.with_name("other-name").hardlink_to(path)


def _foreign_wal(path):
    """Another application's, which was killed: its log is there still."""
    _killed(path, ("CREATE TABLE notes (id INTEGER)",))


def _foreign_number(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA application_id = 1196437808")


def _one_of_our_names(path):
    _foreign(path, "CREATE TABLE whitelist (host TEXT)")


def _killed(path, statements):
    """A database as a process leaves it that was killed before its log was written back."""
    made = path.parent / "made"
    made.mkdir()
    with closing(sqlite3.connect(made / "db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        for statement in statements:
            connection.execute(statement)
        shutil.copyfile(made / "db", path)
        shutil.copyfile(made / "db-wal", f"{path}-wal")
    shutil.rmtree(made)


def _link(path):
    target = path.parent / "target.sqlite3"
    target.write_bytes(b"x" * 100)
    path.symlink_to(target)


def _link_to_ours(path):
    SQLiteStore(path.parent / "ours.sqlite3").close()
    path.symlink_to(path.parent / "ours.sqlite3")


def _socket(path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))


FOREIGN = {
    _text: "not an SQLite database",
    _short: "not an SQLite database",
    _emptied: "another application's",
    _extended: "another application's",
    _linked: "another name",
    _foreign: "another application's",
    _foreign_wal: "another application's",
    _foreign_number: "another application's",
    _one_of_our_names: "another application's",
    _link: "a symbolic link",
    _link_to_ours: "a symbolic link",
    os.mkfifo: "a named pipe",
    _socket: "a socket",
    os.mkdir: "a directory",
}


@pytest.mark.parametrize("make", FOREIGN, ids=lambda make: make.__name__)
def test_what_is_not_ours_is_refused_and_left_as_it_was(tmp_path, monkeypatch, make):
    """Mode, content, time, and what stands beside it."""
    monkeypatch.chdir(tmp_path)  # a socket's name has to be short
    path = tmp_path / "a #1%20?.db"
    make(path)
    if not path.is_symlink():
        path.chmod(0o640)
    before = _states(tmp_path)
    with pytest.raises(StoreMismatch, match=FOREIGN[make]) as refused:
        SQLiteStore(path)
    assert "SQLITE_PATH" in str(refused.value)
    assert str(path) in str(refused.value)
    assert _states(tmp_path) == before


@pytest.mark.parametrize("ending", ["-wal", "-journal", "-shm"])
@pytest.mark.parametrize(
    "make", [lambda path: path.write_text("own text" * 200), lambda path: path.symlink_to("x")]
)
def test_files_beside_a_new_one_are_left_as_they_were(tmp_path, monkeypatch, ending, make):
    """SQLite would remove them."""
    monkeypatch.setattr("slackapp.stores.sqlite.ownership.CHECKS_OF_A_NEW_FILE", 2)
    make(tmp_path / f"data{ending}")
    before = _states(tmp_path)
    with pytest.raises(StoreMismatch, match=f"data{ending} is there already"):
        SQLiteStore(tmp_path / "data")
    assert _states(tmp_path) == before


def test_a_device_is_refused():
    with pytest.raises(StoreMismatch, match="a device"):
        SQLiteStore(Path("/dev/null"))


def test_the_app_says_so_in_one_sentence_and_does_not_start(tmp_path):
    path = tmp_path / "notes.txt"
    _text(path)
    settings = SlackSettings(sqlite_path=str(path))
    with pytest.raises(ConfigurationError, match="not an SQLite database"):
        serve(settings, {})


def _of_0_1_0(path, mode=0o644):
    """As that version made it: no number, four tables, a write-ahead log."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        for statement in (statement for statements in SCHEMAS.values() for statement in statements):
            connection.execute(statement)
        connection.execute("INSERT INTO whitelist VALUES ('user', 'U1', '佐藤')")
    path.chmod(mode)


def _of_0_1_0_killed(path):
    statements = [statement for statements in SCHEMAS.values() for statement in statements]
    _killed(path, [*statements, "INSERT INTO whitelist VALUES ('user', 'U1', '佐藤')"])


@pytest.mark.parametrize("make", [_of_0_1_0, _of_0_1_0_killed])
def test_a_file_of_the_first_version_is_ours(tmp_path, make):
    """And has its number from then on, so that its tables may change."""
    path = tmp_path / "store.sqlite3"
    make(path)
    for _ in range(2):
        store = open_store(SlackSettings(sqlite_path=str(path)), {})
        assert [listing.id for listing in store.whitelist_entries()] == ["U1"]
        store.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE rate_limit")
    SQLiteStore(path).close()


def test_a_first_version_that_is_running_is_no_obstacle(tmp_path):
    """Its tables are in the log alone, and the log is in use."""
    path = tmp_path / "store.sqlite3"
    with closing(sqlite3.connect(path, isolation_level=None)) as running:
        running.execute("PRAGMA journal_mode = WAL")
        for statement in (statement for statements in SCHEMAS.values() for statement in statements):
            running.execute(statement)
        open_store(SlackSettings(sqlite_path=str(path)), {}).close()
        running.execute("INSERT INTO whitelist VALUES ('user', 'U1', '佐藤')")


@pytest.mark.parametrize("statements", [(), ("PRAGMA journal_mode = WAL",)])
def test_a_file_that_was_only_begun_is_new(tmp_path, statements):
    """As a process leaves it that dies between its first steps."""
    path = tmp_path / "store.sqlite3"
    path.touch(0o600)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
    open_store(SlackSettings(sqlite_path=str(path)), {}).close()


def test_looking_lets_go_of_no_lock(tmp_path):
    """POSIX locks are the process's, and go with any file that it closes.

    Another process would then take itself for the last one, and remove the log that is in use here.
    """
    path = tmp_path / "store.sqlite3"
    with closing(SQLiteStore(path)) as first:
        first.create_tables()
        SQLiteStore(path).close()
        script = (
            "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT * FROM whitelist').fetchall()"
        )
        subprocess.run([sys.executable, "-c", script, str(path)], check=True)
        assert Path(f"{path}-wal").stat().st_size
