"""The store in an SQLite file: the default, for any number of processes on one machine."""

from slackapp.stores.sqlite.claims import SQLiteClaims
from slackapp.stores.sqlite.feedback import SQLiteFeedback
from slackapp.stores.sqlite.lookup_cache import SQLiteLookupCache
from slackapp.stores.sqlite.marks import SQLiteMarks
from slackapp.stores.sqlite.usage_counters import SQLiteUsageCounters
from slackapp.stores.sqlite.whitelist import SQLiteWhitelist
from slackapp.stores.sqlite.workspaces import SQLiteWorkspaces

__all__ = ["SQLiteStore"]


class SQLiteStore(
    SQLiteClaims,
    SQLiteFeedback,
    SQLiteMarks,
    SQLiteWorkspaces,
    SQLiteWhitelist,
    SQLiteUsageCounters,
    SQLiteLookupCache,
):
    """Implements `slackapp.stores.contract.Store`; threads may share it."""

    def create_tables(self) -> tuple[str, ...]:
        return self._database.create_tables()

    def close(self) -> None:
        self._database.close()
