"""What only SQLite does: one private file, several processes, and a disk that may be full."""

import multiprocessing
import sqlite3
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from slackapp.stores.contract import StoreRefused, StoreUnavailable
from slackapp.stores.sqlite import SQLiteStore
from slackapp.stores.sqlite.database import PURGE_SECONDS
from slackapp.stores.sqlite.ownership import APPLICATION_ID
from tests.slackapp.stores.calls import CALLS
from tests.slackapp.stores.racing import race

NOW = 1_768_046_400.0


def test_the_file_and_its_directory_are_the_users_alone(tmp_path):
    """Also the files that SQLite keeps beside it."""
    path = tmp_path / "a" / "b" / "store.sqlite3"
    store = SQLiteStore(path)
    store.create_tables()
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert set(modes.values()) == {0o600}
    assert len(modes) == 3
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    store.close()


def test_a_file_that_others_could_read_is_made_private(tmp_path):
    path = tmp_path / "store.sqlite3"
    path.touch(0o644)
    SQLiteStore(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_tables_are_made_once(tmp_path):
    store = SQLiteStore(tmp_path / "store.sqlite3")
    assert store.create_tables() == ("dedupe", "whitelist", "rate_limit", "existence_check_cache")
    assert store.create_tables() == ()
    store.close()


def test_processes_that_share_a_file_share_its_decisions(tmp_path):
    """Two processes open it at the same moment; each key is claimed once, and the burst taken once."""
    context = multiprocessing.get_context("spawn")
    start, results = context.Barrier(2), context.Queue()
    workers = [
        context.Process(target=race, args=(tmp_path / "new" / "s.sqlite3", start, results)) for _ in range(2)
    ]
    for worker in workers:
        worker.start()
    counted = [results.get(timeout=30) for _ in workers]
    for worker in workers:
        worker.join()
    assert sum(claims for claims, _ in counted) == 50
    assert sum(taken for _, taken in counted) == 20


@pytest.fixture
def beginner(tmp_path):
    """A writer on a file that does not have its write-ahead log yet."""
    connection = sqlite3.connect(tmp_path / "new.sqlite3", isolation_level=None)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("BEGIN IMMEDIATE")
    yield connection
    connection.close()


def test_opening_waits_for_whoever_is_about_to_open_as_well(beginner, tmp_path, monkeypatch):
    """SQLite itself would refuse the switch to a write-ahead log at once."""
    monkeypatch.setattr("slackapp.stores.sqlite.database.time.sleep", lambda _: beginner.execute("ROLLBACK"))
    store = SQLiteStore(tmp_path / "new.sqlite3", busy_seconds=5)
    assert store.create_tables()
    store.close()


def test_opening_does_not_wait_for_ever(beginner, tmp_path):
    with pytest.raises(StoreUnavailable, match="locked"):
        SQLiteStore(tmp_path / "new.sqlite3", busy_seconds=0.02)


@pytest.fixture
def locked(sqlite, tmp_path):
    """A store whose file another process is writing to, without end."""
    path = tmp_path / "private" / "store.sqlite3"
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store = SQLiteStore(path, busy_seconds=0.01)
    yield store
    other.execute("ROLLBACK")
    other.close()
    store.close()


def test_threads_that_wait_for_a_locked_file_do_not_wait_one_after_another(tmp_path):
    """A process stands still inside a transaction: each call ends in time, and says why."""
    store = SQLiteStore(tmp_path / "store.sqlite3", busy_seconds=3)
    store.create_tables()
    with closing(sqlite3.connect(tmp_path / "store.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor(24) as pool:
            began = time.monotonic()
            calls = [pool.submit(store.cache_values, {"n": "v"}, expires_at=NOW) for _ in range(24)]
            errors = [str(call.exception()) for call in calls]
            assert time.monotonic() - began < 60  # one after another: 72
    assert all("locked" in error for error in errors)
    store.close()


READS = {
    "known_urls",
    "unfinished_claim",
    "linked_claim_key",
    "is_thread_ours",
    "expired_claims",
    "whitelist_entries",
    "whitelist_status",
    "cached_values",
    "tally",
    "used",
}


@pytest.mark.parametrize("method", sorted(set(CALLS) - READS))
def test_a_file_that_stays_locked_refuses_writers(locked, method):
    with pytest.raises(StoreRefused, match="locked"):
        CALLS[method](locked)


@pytest.mark.parametrize("method", sorted(READS))
def test_readers_do_not_wait_for_a_writer(locked, method):
    CALLS[method](locked)


@pytest.mark.parametrize("method", sorted(CALLS))
def test_a_store_that_was_closed_is_unavailable(sqlite, method):
    """No method lets an error of SQLite through."""
    sqlite.close()
    with pytest.raises(StoreUnavailable):
        CALLS[method](sqlite)


def test_a_full_disk_is_unavailable_and_loses_nothing(sqlite):
    """The write that did not fit is undone; those before it stand, and those after it work."""
    sqlite._tables.database.rows("PRAGMA max_page_count = 30")
    until = {"now": NOW, "lease_until": NOW + 60, "expires_at": NOW + 600}
    assert sqlite.claim("small", "{}", owner="o", **until)
    with pytest.raises(StoreUnavailable, match="full"):
        sqlite.claim("big", "x" * 400_000, owner="o", **until)
    assert sqlite.unfinished_claim("small", now=NOW)
    assert sqlite.unfinished_claim("big", now=NOW) is None
    assert sqlite.finish("small", owner="o")


def test_a_commit_that_fails_is_undecided(sqlite):
    """The log may have it already."""
    connection = sqlite._tables.database._connection

    class Failing:
        in_transaction = False

        def execute(self, sql, *arguments):
            if sql == "COMMIT":
                connection.execute("ROLLBACK")
                raise sqlite3.OperationalError("disk I/O error")
            return connection.execute(sql, *arguments)

    sqlite._tables.database._connection = Failing()
    with pytest.raises(StoreUnavailable) as raised:
        sqlite.finish("k", owner="o")
    sqlite._tables.database._connection = connection
    assert not isinstance(raised.value, StoreRefused)


def test_a_path_that_cannot_be_is_unavailable(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnavailable):
        SQLiteStore(tmp_path / "file" / "store.sqlite3")


def test_rows_that_have_expired_are_removed_in_time(sqlite):
    """SQLite has no TTL: sweeps remove expired rows."""
    sqlite.link_claim("old", "k", expires_at=NOW + 5)
    sqlite.cache_values({"old": "x"}, expires_at=NOW + 5)
    sqlite.add_usage("old", 1, limit=None, expires_at=NOW + 5)
    later = NOW + PURGE_SECONDS
    sqlite.claim("k", "{}", owner="o", now=NOW, lease_until=later, expires_at=later + 60)
    for now in (NOW, later):
        sqlite.expired_claims(now=now, limit=1)
    rows = sqlite._tables.database.rows("SELECT dedupe_key FROM dedupe")
    assert [row["dedupe_key"] for row in rows] == ["k"]
    for table in ("rate_limit", "existence_check_cache"):
        assert sqlite._tables.database.rows(f"SELECT * FROM {table}") == []


@pytest.mark.parametrize("end", ["finished", "expired", "workspace left"])
def test_no_text_of_a_question_stays_in_the_files(sqlite, tmp_path, end):
    """Neither in the database, where SQLite would leave deleted bytes, nor in its write-ahead log."""
    secret = "秘密の質問" * 1000
    expires_at = NOW + (90 if end == "expired" else 3600)
    for number in range(20):
        key, times = f"T1:C1:{number}.1", {"now": NOW, "lease_until": NOW + 60, "expires_at": expires_at}
        sqlite.claim(key, secret, owner="o", **times)
        if end == "finished":
            sqlite.finish(key, owner="o")
    if end == "workspace left":
        sqlite.delete_workspace("T1")
    else:
        for now in (NOW, NOW + PURGE_SECONDS):
            sqlite.expired_claims(now=now, limit=1)
    files = {file.name: file.read_bytes() for file in (tmp_path / "private").iterdir()}
    assert len(files) == 3
    assert [name for name, data in files.items() if "秘密".encode() in data] == []
