"""The `existence_check_cache` table in SQLite."""

from collections.abc import Collection, Mapping

from slackapp.stores.row_format import expiry
from slackapp.stores.sqlite.database import Tables

CACHED = "SELECT value FROM existence_check_cache WHERE subject = :name AND expires_at > :now"
CACHE = "INSERT OR REPLACE INTO existence_check_cache VALUES (:name, :value, :expires_at)"


class SQLiteLookupCache(Tables):
    """Implements `LookupCache`."""

    def cached_values(self, names: Collection[str], *, now: float) -> Mapping[str, str]:
        rows = {name: self._database.row(CACHED, name=name, now=now) for name in names}
        return {name: row["value"] for name, row in rows.items() if row}

    def cache_values(self, values: Mapping[str, str], *, expires_at: float) -> None:
        with self._database.transaction() as execute:
            for name, value in values.items():
                execute(CACHE, name=name, value=value, expires_at=expiry(expires_at))
