"""Marks in the `dedupe` table of SQLite."""

from slackapp.stores.row_format import expiry
from slackapp.stores.sqlite.database import Tables

MARK = """
    INSERT INTO dedupe (dedupe_key, linked, expires_at) VALUES (:name, :mark, :expires_at)
    ON CONFLICT (dedupe_key) DO UPDATE SET linked = :mark, expires_at = :expires_at
    WHERE expires_at <= :now OR linked = :mark
"""


class SQLiteMarks(Tables):
    """Implements `Marks`."""

    def mark_once(self, name: str, mark: str, *, now: float, expires_at: float) -> bool:
        made = self._database.execute(MARK, name=name, mark=mark, now=now, expires_at=expiry(expires_at))
        return bool(made)
