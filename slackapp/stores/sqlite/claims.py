"""The `dedupe` table in SQLite."""

import sqlite3
from collections.abc import Sequence

from slackapp.stores.contract import Claim, Renewal, ReplyRecord
from slackapp.stores.row_format import expiry, reply_record_from, reply_record_json, urls_from, urls_json
from slackapp.stores.sqlite.database import Tables

CLAIM = """
    INSERT INTO dedupe
        (dedupe_key, owner, state, attempt, incoming, delivery, lease_until, expires_at)
    VALUES
        (:key, :owner, 'working', 1, :incoming, :delivery, :lease_until, :expires_at)
    ON CONFLICT (dedupe_key) DO UPDATE SET
        owner = :owner, state = 'working', attempt = 1, incoming = :incoming, delivery = :delivery,
        lease_until = :lease_until, stopped = 0, stopped_by = NULL, expires_at = :expires_at
    WHERE expires_at <= :now OR
        state = 'stopped' AND instr(stopped_by, :deleted) = 0 AND instr(stopped_by, :asker) = 0
"""
RENEW = """
    UPDATE dedupe SET lease_until = :lease_until
    WHERE dedupe_key = :key AND owner = :owner AND state = 'working'
    RETURNING stopped
"""
RELEASE = """
    UPDATE dedupe SET lease_until = :now, attempt = attempt - 1
    WHERE dedupe_key = :key AND owner = :owner AND state = 'working'
"""
RECORD = """
    UPDATE dedupe SET delivery = :delivery
    WHERE dedupe_key = :key AND owner = :owner AND state = 'working'
"""
FINISH = """
    UPDATE dedupe SET state = 'done', incoming = NULL, delivery = NULL, lease_until = NULL,
        expires_at = coalesce(:expires_at, expires_at)
    WHERE dedupe_key = :key AND owner = :owner AND state IN ('working', 'done')
"""
EXPIRED = """
    SELECT * FROM dedupe
    WHERE state = 'working' AND expires_at > :now AND lease_until <= :now
    ORDER BY lease_until LIMIT :limit
"""
TAKE_OVER = """
    UPDATE dedupe SET owner = :owner, lease_until = :lease_until, attempt = attempt + 1
    WHERE dedupe_key = :key AND owner = :before
        AND state = 'working' AND expires_at > :now AND lease_until <= :now
    RETURNING *
"""
STOP = "UPDATE dedupe SET stopped = 1 WHERE dedupe_key = :key AND state = 'working' AND expires_at > :now"
TOMBSTONE = """
    INSERT INTO dedupe (dedupe_key, state, stopped_by, expires_at)
    VALUES (:key, 'stopped', :user, :expires_at)
    ON CONFLICT (dedupe_key) DO UPDATE SET
        owner = NULL, state = 'stopped', incoming = NULL, delivery = NULL, lease_until = NULL,
        stopped_by = coalesce(stopped_by, '') || :user, expires_at = :expires_at
    WHERE expires_at <= :now OR state = 'stopped'
"""
UNFINISHED = "SELECT * FROM dedupe WHERE dedupe_key = :key AND state = 'working' AND expires_at > :now"
LINK = "INSERT OR REPLACE INTO dedupe (dedupe_key, linked, expires_at) VALUES (:name, :key, :expires_at)"
OURS = """
    SELECT 1 FROM dedupe WHERE dedupe_key = :root AND state = 'working' AND expires_at > :now
    UNION ALL SELECT 1 FROM dedupe WHERE dedupe_key = :thread AND linked IS NOT NULL AND expires_at > :now
    UNION ALL SELECT 1 FROM dedupe AS link JOIN dedupe AS claim ON claim.dedupe_key = link.linked
        WHERE link.dedupe_key = :asked AND claim.state = 'working' AND claim.expires_at > :now
    LIMIT 1
"""
LINKED = "SELECT linked FROM dedupe WHERE dedupe_key = :name AND expires_at > :now"
ADD_URLS = "INSERT OR REPLACE INTO dedupe (dedupe_key, urls, expires_at) VALUES (:name, :urls, :expires_at)"
KNOWN_URLS = "SELECT urls FROM dedupe WHERE dedupe_key = :name AND expires_at > :now"


class SQLiteClaims(Tables):
    """Implements `Claims`."""

    def claim(
        self,
        key: str,
        incoming: str,
        *,
        owner: str,
        now: float,
        lease_until: float,
        expires_at: float,
        asker: str = "",
        link: str = "",
    ) -> Claim | None:
        with self._database.transaction() as execute:
            made = execute(
                CLAIM,
                key=key,
                owner=owner,
                incoming=incoming,
                delivery=reply_record_json(ReplyRecord()),
                lease_until=lease_until,
                expires_at=expiry(expires_at),
                now=now,
                asker=_stopper(asker),
                deleted=_stopper(""),
            ).rowcount
            if made and link:
                execute(LINK, name=link, key=key, expires_at=expiry(expires_at))
            row = execute(UNFINISHED, key=key, now=now).fetchone()
        return _claim_from(row) if row and row["owner"] == owner else None

    def renew(self, key: str, *, owner: str, lease_until: float) -> Renewal:
        row = self._database.execute_returning(RENEW, key=key, owner=owner, lease_until=lease_until)
        if row is None:
            return Renewal.LOST
        return Renewal.STOPPED if row["stopped"] else Renewal.HELD

    def release(self, key: str, *, owner: str, now: float) -> None:
        self._database.execute(RELEASE, key=key, owner=owner, now=now)

    def record_reply(self, key: str, *, owner: str, reply_record: ReplyRecord) -> bool:
        written = reply_record_json(reply_record)
        return bool(self._database.execute(RECORD, key=key, owner=owner, delivery=written))

    def finish(self, key: str, *, owner: str, expires_at: float | None = None) -> bool:
        until = None if expires_at is None else expiry(expires_at)
        return bool(self._database.execute(FINISH, key=key, owner=owner, expires_at=until))

    def expired_claims(self, *, now: float, limit: int) -> tuple[Claim, ...]:
        self._database.purge(now)  # the sweeper comes regularly, also where nobody asks
        return tuple(_claim_from(row) for row in self._database.rows(EXPIRED, now=now, limit=limit))

    def take_over(self, claim: Claim, *, owner: str, now: float, lease_until: float) -> Claim | None:
        row = self._database.execute_returning(
            TAKE_OVER, key=claim.key, owner=owner, before=claim.owner, lease_until=lease_until, now=now
        )
        return _claim_from(row) if row else None

    def request_stop(self, key: str, *, now: float) -> bool:
        return bool(self._database.execute(STOP, key=key, now=now))

    def write_tombstone(self, key: str, *, user: str, now: float, expires_at: float) -> bool:
        written = self._database.execute(
            TOMBSTONE, key=key, user=_stopper(user), now=now, expires_at=expiry(expires_at)
        )
        return bool(written)

    def unfinished_claim(self, key: str, *, now: float) -> Claim | None:
        row = self._database.row(UNFINISHED, key=key, now=now)
        return _claim_from(row) if row else None

    def link_claim(self, name: str, key: str, *, expires_at: float) -> None:
        self._database.execute(LINK, name=name, key=key, expires_at=expiry(expires_at))

    def linked_claim_key(self, name: str, *, now: float) -> str | None:
        row = self._database.row(LINKED, name=name, now=now)
        return row["linked"] if row else None

    def is_thread_ours(self, thread: str, *, asked: str, root: str, now: float) -> bool:
        return self._database.row(OURS, thread=thread, asked=asked, root=root, now=now) is not None

    def add_known_urls(self, name: str, urls: Sequence[str], *, now: float, expires_at: float) -> None:
        with self._database.transaction() as execute:
            row = execute(KNOWN_URLS, name=name, now=now).fetchone()
            before = urls_from(row["urls"]) if row else ()
            execute(ADD_URLS, name=name, urls=urls_json((*urls, *before)), expires_at=expiry(expires_at))

    def known_urls(self, name: str, *, now: float) -> tuple[str, ...]:
        row = self._database.row(KNOWN_URLS, name=name, now=now)
        return urls_from(row["urls"]) if row else ()


def _claim_from(row: sqlite3.Row) -> Claim:
    return Claim(
        key=row["dedupe_key"],
        owner=row["owner"],
        incoming=row["incoming"],
        lease_until=row["lease_until"],
        attempt=row["attempt"],
        reply_record=reply_record_from(row["delivery"]),
        stopped=bool(row["stopped"]),
    )


def _stopper(user: str) -> str:
    """A user in the text that has all who have stopped a message; a deletion has no user."""
    return f"<{user}>"
