"""One SQLite file: private to this user, shared between processes, its errors translated.

Writers of all processes wait for the file's one write lock (`BEGIN IMMEDIATE`, with a busy timeout), so a
transaction never sees another's unfinished work. Threads of this process take turns on one connection. A
process that stands still inside a transaction keeps the lock: every call of the others ends after the busy
timeout, also if many threads wait, and its error says so.
"""

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from inspect import signature
from pathlib import Path
from typing import Any, Protocol

from fetcher.text import well_formed
from slackapp.stores.contract import StoreRefused, StoreUnavailable
from slackapp.stores.sqlite import ownership
from slackapp.stores.sqlite.schema import ADDED, SCHEMAS
from slackapp.stores.tables import KEYS, Row

BUSY_SECONDS = 3.0
PURGE_SECONDS = 600.0
"""How often expired rows are removed, and what was overwritten is removed from the write-ahead log."""


class Execute(Protocol):
    """Runs one statement inside a transaction."""

    def __call__(self, sql: str, **parameters: Any) -> sqlite3.Cursor: ...


class Database:
    """The connection, which threads use one at a time."""

    def __init__(self, path: Path, *, busy_seconds: float = BUSY_SECONDS) -> None:
        self._lock = threading.Lock()
        self._busy_seconds = busy_seconds
        self._next_purge = 0.0
        with _translated_errors():
            ownership.check(path)
            _make_private(path)
            self._connection = sqlite3.connect(
                path, timeout=busy_seconds, isolation_level=None, check_same_thread=False
            )
            try:
                self._connection.row_factory = sqlite3.Row
                _mark_and_use_wal(self._connection, time.monotonic() + busy_seconds)
                self._connection.execute("PRAGMA synchronous = FULL")  # keeps commits through a power loss
                self._connection.execute("PRAGMA secure_delete = ON")  # writes zeros over deleted texts
            except sqlite3.Error:
                self._connection.close()
                raise

    def close(self) -> None:
        with self._lock, _translated_errors():
            self._connection.close()

    @contextlib.contextmanager
    def _turn(self) -> Iterator[None]:
        """The connection for one thread; the thread before it may be waiting for another process."""
        if not self._lock.acquire(timeout=self._busy_seconds):
            raise StoreRefused("SQLite: the file is locked; another process may stand still with it")
        try:
            yield
        finally:
            self._lock.release()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[Execute]:
        """A writing transaction: all of its statements take effect, or none."""
        with self._turn(), _translated_errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._execute
                try:
                    self._connection.execute("COMMIT")
                except sqlite3.Error as error:  # the log may have it already
                    raise StoreUnavailable(f"SQLite: {error}") from error
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def add_function(self, name: str, function: Callable[..., bool]) -> None:
        """Make a function of Python known to SQL."""
        self._connection.create_function(name, len(signature(function).parameters), function)

    def rows(self, sql: str, **parameters: Any) -> list[Row]:
        """Run one reading statement; columns that are NULL are left out of its rows."""
        with self._turn(), _translated_errors():
            return [present(dict(row)) for row in self._execute(sql, **parameters)]

    def create_tables(self) -> tuple[str, ...]:
        """Create the tables and columns that are missing; return the names of the new tables."""
        with self.transaction() as execute:
            existing = {row["name"] for row in execute("SELECT name FROM sqlite_master")}
            missing = tuple(table for table in SCHEMAS if table not in existing)
            for statement in (statement for table in missing for statement in SCHEMAS[table]):
                execute(statement)
            for table, column, statement in ADDED:
                columns = execute("SELECT name FROM pragma_table_info(:table)", table=table)
                if column not in {row["name"] for row in columns}:
                    execute(statement)
        return missing

    def purge_in_time(self, now: float) -> None:
        """Remove expired rows every PURGE_SECONDS: SQLite has no TTL of its own.

        Not when a process has just started and claims its first questions: a purge holds the lock for long.
        """
        if self._next_purge and now >= self._next_purge:
            self.purge(now)
        if now >= self._next_purge:
            self._next_purge = now + PURGE_SECONDS

    def purge(self, now: float) -> None:
        """Remove expired rows, and what is left of them in the log."""
        with self.transaction() as execute:
            for table in KEYS:
                execute(f"DELETE FROM {table} WHERE expires_at <= :now", now=now)  # noqa: S608 - a name of ours
        self.truncate_log()

    def truncate_log(self) -> None:
        """Empty the write-ahead log, which has copies of deleted rows; not while another process uses it."""
        self.rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def _execute(self, sql: str, **parameters: Any) -> sqlite3.Cursor:
        """No store accepts half a surrogate pair, which JSON may contain."""
        cleaned = {
            name: well_formed(value, "?") if isinstance(value, str) else value
            for name, value in parameters.items()
        }
        return self._connection.execute(sql, cleaned)


def present(row: Mapping[str, Any]) -> Row:
    """A row without the columns that are NULL."""
    return {name: value for name, value in row.items() if value is not None}


@contextlib.contextmanager
def _translated_errors() -> Iterator[None]:
    """Raise StoreRefused: only a COMMIT writes, and its errors are translated where it is."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        advice = ". Free some space on its disk" if "disk is full" in str(error) else ""
        if isinstance(error, OSError) or "unable to open" in str(error) or "readonly" in str(error):
            advice = ". Set SQLITE_PATH to a file in a directory in which this user may write"
        raise StoreRefused(f"SQLite: {error}{advice}") from error


def _make_private(path: Path) -> None:
    """Create the file, and its directory if it is missing, so that only this user can read them.

    An existing file is not opened here: closing it would release every lock that this process has on it.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)


def _mark_and_use_wal(connection: sqlite3.Connection, until: float) -> None:
    """Mark the file as ours, then let readers work beside a writer (WAL).

    The busy timeout does not cover this switch, which several processes may make at the same moment. The
    mark comes first, so that it is in the file itself, where `ownership.check` reads it, and not in the log.
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
