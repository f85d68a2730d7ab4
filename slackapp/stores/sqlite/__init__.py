"""The store in an SQLite file: the default, for any number of processes on one machine."""

from pathlib import Path

from slackapp.stores.sqlite.database import BUSY_SECONDS, Database
from slackapp.stores.sqlite.tables import SQLiteTables
from slackapp.stores.store import Store

__all__ = ["SQLiteStore"]


class SQLiteStore(Store):
    """A store in a file."""

    def __init__(self, path: Path, *, busy_seconds: float = BUSY_SECONDS) -> None:
        super().__init__(SQLiteTables(Database(path, busy_seconds=busy_seconds)))
