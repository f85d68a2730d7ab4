"""Ratings of answers in the `dedupe` table of SQLite."""

from slackapp.stores.contract import Rating
from slackapp.stores.row_format import expiry, rating_after
from slackapp.stores.sqlite.database import Tables

FIND = "SELECT feedback, press FROM dedupe WHERE dedupe_key = :name AND expires_at > :now"
RATE = """
    INSERT OR REPLACE INTO dedupe (dedupe_key, feedback, press, given_at, expires_at)
    VALUES (:name, :value, :press, :now, :expires_at)
"""
EXPLAIN = """
    UPDATE dedupe SET reason = :reason
    WHERE dedupe_key = :name AND coalesce(feedback, '') != '' AND expires_at > :now
"""


class SQLiteFeedback(Tables):
    """Implements `FeedbackRows`."""

    def toggle_feedback(self, name: str, value: str, *, press: str, now: float, expires_at: float) -> Rating:
        with self._database.transaction() as execute:
            row = execute(FIND, name=name, now=now).fetchone()
            rating = rating_after(dict(row) if row else {}, value, press)
            if not rating.is_repeated:
                fields = {"value": rating.value, "press": press, "expires_at": expiry(expires_at)}
                execute(RATE, name=name, now=now, **fields)
        return rating

    def add_feedback_reason(self, name: str, reason: str, *, now: float) -> bool:
        return bool(self._database.execute(EXPLAIN, name=name, reason=reason, now=now))
