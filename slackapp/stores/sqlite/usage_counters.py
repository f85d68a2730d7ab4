"""The `rate_limit` table in SQLite."""

from collections.abc import Mapping

from slackapp.stores.row_format import expiry, rate_step
from slackapp.stores.sqlite.database import Tables

TAKE_SLOT = """
    INSERT INTO rate_limit (meter, empty_at, expires_at) VALUES (:name, :now + :interval, :expires_at)
    ON CONFLICT (meter) DO UPDATE
    SET empty_at = iif(empty_at > :impossible, :now, max(empty_at, :now)) + :interval,
        expires_at = :expires_at
    WHERE empty_at <= :latest OR empty_at > :impossible
"""
ADD_USAGE = """
    INSERT INTO rate_limit (meter, used, expires_at) VALUES (:name, :amount, :expires_at)
    ON CONFLICT (meter) DO UPDATE SET used = used + :amount, expires_at = :expires_at
    WHERE :limit IS NULL OR used < :limit
"""
USED = "SELECT used FROM rate_limit WHERE meter = :name AND expires_at > :now"
TALLY = """
    SELECT substr(meter, length(:name) + 2) AS item, used FROM rate_limit
    WHERE meter > :name || ':' AND meter < :name || ';' AND instr(item, ':') = 0 AND expires_at > :now
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
                impossible=step.impossible,
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

    def used(self, name: str, *, now: float) -> int:
        row = self._database.row(USED, name=name, now=now)
        return int(row["used"]) if row else 0

    def add_tally(self, name: str, amounts: Mapping[str, int], *, expires_at: float) -> None:
        with self._database.transaction() as execute:
            for item, amount in amounts.items():
                fields = {"name": f"{name}:{item}", "amount": amount, "expires_at": expiry(expires_at)}
                execute(ADD_USAGE, limit=None, **fields)

    def tally(self, name: str, *, now: float) -> Mapping[str, int]:
        return {row["item"]: row["used"] for row in self._database.rows(TALLY, name=name, now=now)}
