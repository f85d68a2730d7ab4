"""Checks that the file that the settings name is ours, or new, without changing or creating anything.

A file is ours if its header has our number. Version 0.1.0 wrote no number; its files are recognised by their
tables. SQLite reads the file as immutable, so it takes no lock and makes no write-ahead log. The file is not
opened in any other way: closing it would release every lock that this process has on it.
"""

import os
import shutil
import sqlite3
import stat
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from slackapp.stores.contract import StoreMismatch

APPLICATION_ID = 0x57656252
"""In the header of every file of ours except those of 0.1.0."""
FIRST_TABLES = frozenset({"dedupe", "whitelist", "rate_limit", "existence_check_cache"})
"""The tables of 0.1.0, which created them all at once."""
SMALLEST_BYTES = 512
"""One page. SQLite treats a file of one byte as empty."""
MADE_BY_SQLITE = ("-wal", "-journal", "-shm")
CHECKS_OF_A_NEW_FILE = 20
NO_DATABASE = "is a file, but not an SQLite database"
OTHER_KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
)


def check(path: Path) -> None:
    """Raise StoreMismatch if the file is not ours; OSError or sqlite3.Error if it cannot be read."""
    found = _state_unless_new(path)
    if found is None:
        return
    for is_kind, name in OTHER_KINDS:
        if is_kind(found.st_mode):
            raise _not_ours(path, f"is {name}, not a file")
    if found.st_size < SMALLEST_BYTES:
        raise _not_ours(path, NO_DATABASE)
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        try:
            if not _is_ours(connection, path):
                raise _not_ours(path, "is another application's SQLite database")
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
                raise
            raise _not_ours(path, NO_DATABASE) from None


def _state_unless_new(path: Path) -> os.stat_result | None:
    """The file's state; None if it is new: absent, or empty because a process died before it wrote anything.

    SQLite removes files of certain names when it creates a database. Such a file belongs to another
    application, unless a process of this app is creating the database now: it soon has content then.
    """
    for _ in range(CHECKS_OF_A_NEW_FILE):
        found = path.lstat() if os.path.lexists(path) else None
        if found and (found.st_size or not stat.S_ISREG(found.st_mode)):
            return found
        if found and found.st_nlink > 1:
            raise _not_ours(path, "is empty and has another name too")
        beside = [f"{path.name}{ending}" for ending in MADE_BY_SQLITE if os.path.lexists(f"{path}{ending}")]
        if not beside:
            return None
        time.sleep(0.05)
    raise _not_ours(path, f"is new, but {beside[0]} is there already")


def mark(connection: sqlite3.Connection) -> None:
    """Write our number into a file that has none yet."""
    if _number(connection, "application_id") != APPLICATION_ID:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _is_ours(connection: sqlite3.Connection, path: Path) -> bool:
    number = _number(connection, "application_id")
    if number or _number(connection, "user_version"):
        return number == APPLICATION_ID
    tables, log = _tables(connection), Path(f"{path}-wal")
    if not tables and log.is_file():
        # A new database may have everything still in its write-ahead log, so a copy of both is opened.
        with TemporaryDirectory() as folder:
            copy = Path(folder, "copy")
            shutil.copyfile(log, f"{copy}-wal")
            copy.write_bytes(connection.serialize())
            with closing(sqlite3.connect(copy)) as copied:
                tables = _tables(copied)
    if not tables:  # created, and nothing was ever in it
        return not _number(connection, "schema_version")
    return tables == FIRST_TABLES


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def _tables(connection: sqlite3.Connection) -> frozenset[str]:
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
    return frozenset(row[0] for row in rows if not row[0].startswith("sqlite_"))


def _not_ours(path: Path, what: str) -> StoreMismatch:
    return StoreMismatch(f"{path} {what}. Nothing was changed. Set SQLITE_PATH to a file of the app's own.")
