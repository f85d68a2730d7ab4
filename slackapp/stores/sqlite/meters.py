"""The `rate_limit` table in SQLite."""

from slackapp.stores.row_format import expiry, turn
from slackapp.stores.sqlite.database import Tables


class SQLiteMeters(Tables):
    """Keeps the contract `Meters`."""

    def take(self, name: str, *, now: float, interval: float, burst: int, expires_after: float) -> float:
        request = turn(now=now, interval=interval, burst=burst)
        with self._database.write() as transaction:
            taken = transaction.run(
                """
                INSERT INTO rate_limit (meter, empty_at, expires_at)
                VALUES (:name, :now + :interval, :expires_at)
                ON CONFLICT (meter) DO UPDATE
                SET empty_at = max(empty_at, :now) + :interval, expires_at = :expires_at
                WHERE empty_at <= :latest
                """,
                name=name,
                now=request.now,
                interval=request.interval,
                latest=request.latest,
                expires_at=expiry(now + expires_after),
            ).rowcount
            if taken:
                return 0.0
            row = transaction.run("SELECT empty_at FROM rate_limit WHERE meter = :name", name=name).fetchone()
        return request.wait(row["empty_at"])

    def spend(self, name: str, amount: int, *, limit: int | None, expires_at: float) -> bool:
        if limit is not None and limit <= 0:
            return False
        spent = self._database.changed(
            """
            INSERT INTO rate_limit (meter, used, expires_at) VALUES (:name, :amount, :expires_at)
            ON CONFLICT (meter) DO UPDATE SET used = used + :amount, expires_at = :expires_at
            WHERE :limit IS NULL OR used < :limit
            """,
            name=name,
            amount=amount,
            limit=limit,
            expires_at=expiry(expires_at),
        )
        return bool(spent)
