"""The `rate_limit` table in SQLite."""

from slackapp.stores.row_format import expiry, rate_step
from slackapp.stores.sqlite.database import Tables

TAKE_SLOT = """
    INSERT INTO rate_limit (meter, empty_at, expires_at) VALUES (:name, :now + :interval, :expires_at)
    ON CONFLICT (meter) DO UPDATE
    SET empty_at = max(empty_at, :now) + :interval, expires_at = :expires_at
    WHERE empty_at <= :latest
"""
ADD_USAGE = """
    INSERT INTO rate_limit (meter, used, expires_at) VALUES (:name, :amount, :expires_at)
    ON CONFLICT (meter) DO UPDATE SET used = used + :amount, expires_at = :expires_at
    WHERE :limit IS NULL OR used < :limit
"""


class SQLiteUsageCounters(Tables):
    """Implements `UsageCounters`."""

    def take_rate_slot(
        self, name: str, *, now: float, interval: float, burst: int, expires_after: float
    ) -> float:
        step = rate_step(now=now, interval=interval, burst=burst)
        with self._database.transaction() as execute:
            taken = execute(
                TAKE_SLOT,
                name=name,
                now=step.now,
                interval=step.interval,
                latest=step.latest,
                expires_at=expiry(now + expires_after),
            ).rowcount
            if taken:
                return 0.0
            row = execute("SELECT empty_at FROM rate_limit WHERE meter = :name", name=name).fetchone()
        return step.wait(row["empty_at"])

    def add_usage(self, name: str, amount: int, *, limit: int | None, expires_at: float) -> bool:
        if limit is not None and limit <= 0:
            return False
        added = self._database.execute(
            ADD_USAGE, name=name, amount=amount, limit=limit, expires_at=expiry(expires_at)
        )
        return bool(added)
