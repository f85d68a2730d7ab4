"""The `existence_check_cache` table in SQLite."""

from collections.abc import Collection, Mapping

from slackapp.stores.row_format import expiry
from slackapp.stores.sqlite.database import Tables


class SQLiteMemory(Tables):
    """Keeps the contract `Remembered`."""

    def recall(self, name: str, *, now: float) -> str | None:
        query = "SELECT value FROM existence_check_cache WHERE subject = :name AND expires_at > :now"
        row = self._database.row(query, name=name, now=now)
        return row["value"] if row else None

    def recall_all(self, names: Collection[str], *, now: float) -> Mapping[str, str]:
        found = {name: self.recall(name, now=now) for name in names}
        return {name: value for name, value in found.items() if value is not None}

    def remember(self, name: str, value: str, *, expires_at: float) -> None:
        self.remember_all({name: value}, expires_at=expires_at)

    def remember_all(self, values: Mapping[str, str], *, expires_at: float) -> None:
        with self._database.write() as transaction:
            for name, value in values.items():
                transaction.run(
                    "INSERT OR REPLACE INTO existence_check_cache VALUES (:name, :value, :expires_at)",
                    name=name,
                    value=value,
                    expires_at=expiry(expires_at),
                )
