"""One SQLite file: opened privately, shared between processes, its errors translated.

Writers of all processes queue for the file's one write lock (`BEGIN IMMEDIATE`, with a busy timeout), so a
transaction sees nobody else's half-done work. Threads of this process take turns on one connection.
"""

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from slackapp.stores.contract import StoreUnavailable
from slackapp.stores.row_format import clean
from slackapp.stores.sqlite import ownership
from slackapp.stores.sqlite.schema import ADDED, PURGES, SCHEMAS

BUSY_SECONDS = 3.0
PURGE_SECONDS = 600.0
"""How often rows that have expired are removed."""


class Database:
    """The connection, and the turns that threads take on it."""

    def __init__(self, path: Path, *, busy_seconds: float = BUSY_SECONDS) -> None:
        self._lock = threading.Lock()
        self._next_purge = 0.0
        with _translated():
            ownership.check(path)
            _make_private(path)
            self._connection = sqlite3.connect(
                path, timeout=busy_seconds, isolation_level=None, check_same_thread=False
            )
            try:
                _set_up(self._connection, busy_seconds)
            except sqlite3.Error:
                self._connection.close()
                raise

    def close(self) -> None:
        with self._lock, _translated():
            self._connection.close()

    @contextlib.contextmanager
    def write(self) -> Iterator["Transaction"]:
        """A transaction: all of it or nothing, with nobody in between."""
        with self._lock, _translated():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield Transaction(self._connection)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def changed(self, sql: str, **parameters: Any) -> int:
        """Writes with one statement; returns how many rows it changed."""
        with self.write() as transaction:
            return transaction.run(sql, **parameters).rowcount

    def written(self, sql: str, **parameters: Any) -> sqlite3.Row | None:
        """Writes one row, if it is as the statement wants it, and returns it."""
        with self.write() as transaction:
            rows = transaction.run(sql, **parameters).fetchall()
        return rows[0] if rows else None

    def rows(self, sql: str, **parameters: Any) -> list[sqlite3.Row]:
        with self._lock, _translated():
            return Transaction(self._connection).run(sql, **parameters).fetchall()

    def row(self, sql: str, **parameters: Any) -> sqlite3.Row | None:
        return next(iter(self.rows(sql, **parameters)), None)

    def create(self) -> tuple[str, ...]:
        """Makes the tables and columns that are missing; returns the tables' names."""
        with self.write() as transaction:
            there = {row["name"] for row in transaction.run("SELECT name FROM sqlite_master")}
            missing = tuple(table for table in SCHEMAS if table not in there)
            for statement in (statement for table in missing for statement in SCHEMAS[table]):
                transaction.run(statement)
            for table, column, statement in ADDED:
                columns = transaction.run("SELECT name FROM pragma_table_info(:table)", table=table)
                if column not in {row["name"] for row in columns}:
                    transaction.run(statement)
        return missing

    def purge(self, now: float) -> None:
        """Removes what has expired, every so often: nobody else does it here."""
        if now < self._next_purge:
            return
        self._next_purge = now + PURGE_SECONDS
        with self.write() as transaction:
            for statement in PURGES:
                transaction.run(statement, now=now)


class Transaction:
    """Statements on the connection, while it is this thread's turn."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def run(self, sql: str, **parameters: Any) -> sqlite3.Cursor:
        cleaned = {
            name: clean(value) if isinstance(value, str) else value for name, value in parameters.items()
        }
        return self._connection.execute(sql, cleaned)


class Tables:
    """What the four tables' parts of the store share."""

    def __init__(self, path: Path, *, busy_seconds: float = BUSY_SECONDS) -> None:
        self._database = Database(path, busy_seconds=busy_seconds)


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise StoreUnavailable(f"SQLite: {error}") from error


def _make_private(path: Path) -> None:
    """A file that only this user can read, in a directory that, if it is ours to make, is no one else's.

    An existing file is not opened here: closing it would let go of every lock that this process has on it.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)


def _set_up(connection: sqlite3.Connection, busy_seconds: float) -> None:
    """Readers beside a writer, and nothing that was committed lost, even when the power goes."""
    connection.row_factory = sqlite3.Row
    _claim_and_use_wal(connection, time.monotonic() + busy_seconds)
    connection.execute("PRAGMA synchronous = FULL")


def _claim_and_use_wal(connection: sqlite3.Connection, until: float) -> None:
    """The busy timeout does not cover this switch, which several processes may make at the same moment.

    The mark comes first: it then stands in the file itself, where it is looked for, and not in the log.
    """
    while True:
        try:
            ownership.mark(connection)
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)
