"""Checks that the file that the settings name is ours, or new, without changing or creating anything.

A file is ours if its header has our number. Version 0.1.0 wrote no number; its files are recognised by their
tables. SQLite reads the file as immutable, so it takes no lock and makes no write-ahead log. The file is not
opened in any other way: closing it would release every lock that this process has on it.
"""

import shutil
import sqlite3
import stat
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
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    for is_kind, name in OTHER_KINDS:
        if is_kind(found.st_mode):
            raise _not_ours(path, f"is {name}, not a file")
    if not found.st_size:
        return  # an earlier process died before it wrote anything
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


def mark(connection: sqlite3.Connection) -> None:
    """Write our number into a file that has none yet."""
    if _number(connection, "application_id") != APPLICATION_ID:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _is_ours(connection: sqlite3.Connection, path: Path) -> bool:
    number = _number(connection, "application_id")
    if number or _number(connection, "user_version"):
        return number == APPLICATION_ID
    tables = _tables(connection) or _tables_of_log(connection, path)
    return not tables or tables >= FIRST_TABLES


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def _tables(connection: sqlite3.Connection) -> frozenset[str]:
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return frozenset(row[0] for row in rows)


def _tables_of_log(connection: sqlite3.Connection, path: Path) -> frozenset[str]:
    """A new database may have everything still in its write-ahead log, so a copy of both is opened."""
    log = Path(f"{path}-wal")
    if not log.is_file():
        return frozenset()
    with TemporaryDirectory() as folder:
        copy = Path(folder, "copy")
        shutil.copyfile(log, f"{copy}-wal")
        copy.write_bytes(connection.serialize())
        with closing(sqlite3.connect(copy)) as copied:
            return _tables(copied)


def _not_ours(path: Path, what: str) -> StoreMismatch:
    return StoreMismatch(f"{path} {what}. Nothing was changed. Set SQLITE_PATH to a file of the app's own.")
