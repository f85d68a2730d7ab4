"""The store in a SQLite file: the embedded default, for any number of processes on one machine."""

from slackapp.stores.sqlite.claims import SQLiteClaims
from slackapp.stores.sqlite.lookup_cache import SQLiteMemory
from slackapp.stores.sqlite.meters import SQLiteMeters
from slackapp.stores.sqlite.whitelist import SQLiteWhitelist

__all__ = ["SQLiteStore"]


class SQLiteStore(SQLiteClaims, SQLiteWhitelist, SQLiteMeters, SQLiteMemory):
    """Keeps the contract of `slackapp.stores.contract.Store`; threads may share it."""

    def create(self) -> tuple[str, ...]:
        return self._database.create()

    def close(self) -> None:
        self._database.close()
