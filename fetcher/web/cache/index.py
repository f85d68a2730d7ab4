"""A ledger in SQLite of the entries' sizes and last accesses, for eviction.

Without it, each write would have to read all files. The ledger answers in O(log n), and orders by
`last_accessed_at` exactly. Its lock serves all processes, and is released when a process ends, even if it is
killed. Triggers update the totals.

The files decide what is cached. The ledger is never used for lookups, it may be deleted at any time, and a
damaged one is removed and made again from the files. So it need not survive a power cut (`synchronous =
off`), while its journal lets it survive a process that is killed. A connection is used for one transaction:
opening it takes 0.2 ms, and threads, forks or a directory that is removed meanwhile make no problems.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

MAX_ALIASES = 8
"""For one entry; a site can make any number of URLs that lead to one page."""

_SCHEMA_VERSION = 1
_SCHEMA = (
    """CREATE TABLE entries
       (key TEXT PRIMARY KEY, bytes INTEGER NOT NULL, accessed INTEGER NOT NULL) WITHOUT ROWID""",
    "CREATE INDEX recency ON entries (accessed, key)",
    """CREATE TABLE aliases
       (alias TEXT PRIMARY KEY, target TEXT NOT NULL, linked INTEGER NOT NULL) WITHOUT ROWID""",
    "CREATE INDEX targets ON aliases (target, linked)",
    "CREATE TABLE totals (entries INTEGER NOT NULL, bytes INTEGER NOT NULL, complete INTEGER NOT NULL)",
    "INSERT INTO totals VALUES (0, 0, 0)",
    """CREATE TRIGGER entered AFTER INSERT ON entries
       BEGIN UPDATE totals SET entries = entries + 1, bytes = bytes + new.bytes; END""",
    """CREATE TRIGGER resized AFTER UPDATE OF bytes ON entries
       BEGIN UPDATE totals SET bytes = bytes - old.bytes + new.bytes; END""",
    """CREATE TRIGGER forgotten AFTER DELETE ON entries
       BEGIN UPDATE totals SET entries = entries - 1, bytes = bytes - old.bytes; END""",
    f"PRAGMA user_version = {_SCHEMA_VERSION}",
)
# SQLITE_ERROR: the statements are right, so the tables must be wrong.
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_AFTER_HEX = "g"


class IndexDamaged(sqlite3.DatabaseError):
    """The index is unusable: it was removed, and the next lock makes a new one."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


class EvictionLedger:
    """The index, while this process holds its lock."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def complete(self) -> bool:
        """Whether every file was counted; in a new ledger none is."""
        return bool(self._column("SELECT complete FROM totals")[0])

    def mark_complete(self) -> None:
        self._connection.execute("UPDATE totals SET complete = 1")

    def totals_without(self, key: str) -> tuple[int, int]:
        """How many entries there are besides this one, and their bytes."""
        entries, size = self._connection.execute("SELECT entries, bytes FROM totals").fetchone()
        own = self._column("SELECT bytes FROM entries WHERE key = ?", key)
        return entries - len(own), size - sum(own)

    def record(self, key: str, *, size: int, accessed: datetime) -> None:
        self._connection.execute(
            "INSERT INTO entries VALUES (?, ?, ?)"
            " ON CONFLICT (key) DO UPDATE SET bytes = excluded.bytes, accessed = excluded.accessed",
            (key, size, _microseconds(accessed)),
        )

    def forget(self, key: str) -> None:
        self._connection.execute("DELETE FROM entries WHERE key = ?", (key,))

    def resize(self, key: str, size: int) -> None:
        self._connection.execute("UPDATE entries SET bytes = ? WHERE key = ?", (size, key))

    def oldest_besides(self, key: str) -> str | None:
        """The least recently used of the others; ties go by key (SRD FR-WF-CCH-LRU-01)."""
        query = "SELECT key FROM entries WHERE key != ? ORDER BY accessed, key LIMIT 1"
        return next(iter(self._column(query, key)), None)

    def following(self, key: str, count: int) -> list[str]:
        """The keys that come after this one, in a circle."""
        query = "SELECT key FROM entries WHERE key > ? ORDER BY key LIMIT ?"
        after = self._column(query, key, count)
        return after if len(after) == count else after + self._column(query, "", count - len(after))

    def keys(self, prefix: str) -> set[str]:
        query = "SELECT key FROM entries WHERE key BETWEEN ? AND ?"
        return set(self._column(query, prefix, prefix + _AFTER_HEX))

    def aliases(self, prefix: str) -> set[str]:
        query = "SELECT alias FROM aliases WHERE alias BETWEEN ? AND ?"
        return set(self._column(query, prefix, prefix + _AFTER_HEX))

    def aliases_of(self, target: str) -> list[str]:
        return self._column("SELECT alias FROM aliases WHERE target = ?", target)

    def surplus_aliases(self, target: str) -> list[str]:
        """The oldest aliases beyond `MAX_ALIASES`."""
        query = "SELECT alias FROM aliases WHERE target = ? ORDER BY linked DESC, alias LIMIT -1 OFFSET ?"
        return self._column(query, target, MAX_ALIASES)

    def link(self, alias: str, *, target: str, linked: datetime) -> None:
        row = (alias, target, _microseconds(linked))
        self._connection.execute("REPLACE INTO aliases VALUES (?, ?, ?)", row)

    def unlink(self, alias: str) -> None:
        self._connection.execute("DELETE FROM aliases WHERE alias = ?", (alias,))

    def _column(self, query: str, *arguments: object) -> list[Any]:
        return [row[0] for row in self._connection.execute(query, arguments)]


class EvictionIndex:
    """The file of the ledger, and its lock."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def lock(self, *, timeout: timedelta) -> Iterator[EvictionLedger]:
        """Hold the lock and yield the ledger; changes are committed even if the block fails.

        What the block did to the files cannot be undone, so the ledger is not rolled back either.
        """
        try:
            with suppress(FileExistsError):
                self._path.touch(mode=0o600, exist_ok=False)
            seconds = timeout.total_seconds()
            with closing(sqlite3.connect(self._path, timeout=seconds, isolation_level=None)) as connection:
                connection.execute("PRAGMA journal_mode = PERSIST")
                connection.execute("PRAGMA synchronous = OFF")
                connection.execute("BEGIN IMMEDIATE")
                if connection.execute("PRAGMA user_version").fetchone() != (_SCHEMA_VERSION,):
                    for statement in _SCHEMA:
                        connection.execute(statement)
                try:
                    yield EvictionLedger(connection)
                finally:
                    if connection.in_transaction:
                        connection.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF not in _DAMAGED:
                raise
            for suffix in ("", "-journal"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
            raise IndexDamaged(str(error)) from error


def _microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)
