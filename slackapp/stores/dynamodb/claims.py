"""The `dedupe` table in DynamoDB.

A claim that is being worked on carries `shard` and `lease_until`, which together put it into the sweeper's
index; a claim that is done has neither, so the index holds only what may have to be run again. An answer to
a write may be lost on its way and the write tried again: a row that names us as its owner is a write that
has worked.
"""

from collections.abc import Sequence
from zlib import crc32

from slackapp.stores.contract import Claim, Renewal, ReplyRecord, StoreUnavailable
from slackapp.stores.dynamodb.calls import ConditionFailed, Row, Tables, Values, named, read, valued, written
from slackapp.stores.dynamodb.schema import SHARDS, WORKING_INDEX
from slackapp.stores.row_format import delivery_json, delivery_of, expiry, urls_json, urls_of

WORKING, DONE = "working", "done"
MOST_KEYS = 100
"""What one `BatchGetItem` takes."""
LEARNING_TRIES = 5
"""How often a thread's record is written anew because somebody else was faster."""
OURS = "#owner = :owner AND #state = :working"
NOT_DONE = "#state = :working AND #expires_at > :now"


class ClaimsTable(Tables):
    """Keeps the contract `Claims`."""

    @property
    def _claims(self) -> str:
        return self._names["dedupe"]

    def claim(
        self, key: str, incoming: str, *, owner: str, now: float, lease_until: float, expires_at: float
    ) -> Claim | None:
        row: Values = {
            "dedupe_key": key,
            "owner": owner,
            "state": WORKING,
            "attempt": 1,
            "incoming": incoming,
            "delivery": delivery_json(ReplyRecord()),
            "lease_until": lease_until,
            "shard": _shard(key),
            "expires_at": expiry(expires_at),
        }
        try:
            free = "attribute_not_exists(#dedupe_key) OR #expires_at <= :now"
            self._calls.put(self._claims, row, when=free, values={"now": now})
        except ConditionFailed as failed:
            return _claim(failed.row) if failed.row.get("owner") == owner else None
        return _claim(row)

    def renew(self, key: str, *, owner: str, lease_until: float) -> Renewal:
        try:
            row = self._calls.update(
                self._claims,
                {"dedupe_key": key},
                "SET #lease_until = :lease_until, #stopped = if_not_exists(#stopped, :no)",
                when=OURS,
                returned="UPDATED_NEW",
                values={"owner": owner, "working": WORKING, "lease_until": lease_until, "no": False},
            )
        except ConditionFailed:
            return Renewal.LOST
        return Renewal.STOPPED if row["stopped"] else Renewal.HELD

    def release(self, key: str, *, owner: str, now: float) -> None:
        change = "SET #lease_until = :now, #attempt = #attempt - :one"
        values: Values = {"owner": owner, "working": WORKING, "now": now, "one": 1}
        self._changed(key, change, when=OURS, values=values)

    def record(self, key: str, *, owner: str, delivery: ReplyRecord) -> bool:
        values = {"owner": owner, "working": WORKING, "delivery": delivery_json(delivery)}
        return self._changed(key, "SET #delivery = :delivery", when=OURS, values=values)

    def finish(self, key: str, *, owner: str) -> bool:
        try:
            self._calls.update(
                self._claims,
                {"dedupe_key": key},
                "SET #state = :done REMOVE #incoming, #delivery, #shard, #lease_until",
                when=OURS,
                values={"owner": owner, "working": WORKING, "done": DONE},
            )
        except ConditionFailed as failed:
            return failed.row.get("owner") == owner and failed.row.get("state") == DONE
        return True

    def expired(self, *, now: float, limit: int) -> tuple[Claim, ...]:
        """The index follows the table a little later, so the rows themselves have the last word."""
        late = sorted(entry for shard in range(SHARDS) for entry in self._late(str(shard), now, limit))
        keys = [key for _, key in late[: min(limit, MOST_KEYS)]]
        rows = [row for row in self._rows(keys) if _is_expired(row, now)] if keys else []
        return tuple(_claim(row) for row in sorted(rows, key=lambda row: float(row["lease_until"])))

    def _late(self, shard: str, now: float, limit: int) -> list[tuple[float, str]]:
        condition = "#shard = :shard AND #lease_until <= :now"
        answer = self._calls.ask(
            "query",
            TableName=self._claims,
            IndexName=WORKING_INDEX,
            KeyConditionExpression=condition,
            ExpressionAttributeNames=named(condition),
            ExpressionAttributeValues=valued({"shard": shard, "now": now}),
            Limit=limit,
        )
        rows = [read(item) for item in answer["Items"]]
        return [(row["lease_until"], row["dedupe_key"]) for row in rows]

    def _rows(self, keys: list[str]) -> list[Row]:
        """What DynamoDB leaves unprocessed waits for the next sweep."""
        wanted = {"Keys": [written({"dedupe_key": key}) for key in keys], "ConsistentRead": True}
        answer = self._calls.ask("batch_get_item", RequestItems={self._claims: wanted})
        return [read(item) for item in answer["Responses"].get(self._claims, [])]

    def take_over(self, claim: Claim, *, owner: str, now: float, lease_until: float) -> Claim | None:
        try:
            row = self._calls.update(
                self._claims,
                {"dedupe_key": claim.key},
                "SET #owner = :owner, #lease_until = :lease_until, #attempt = #attempt + :one",
                when=f"#owner = :before AND #lease_until <= :now AND {NOT_DONE}",
                returned="ALL_NEW",
                values={
                    "owner": owner,
                    "before": claim.owner,
                    "working": WORKING,
                    "lease_until": lease_until,
                    "now": now,
                    "one": 1,
                },
            )
        except ConditionFailed as failed:
            return _claim(failed.row) if failed.row.get("owner") == owner else None
        return _claim(row)

    def stop(self, key: str, *, now: float) -> bool:
        values: Values = {"working": WORKING, "yes": True, "now": now}
        return self._changed(key, "SET #stopped = :yes", when=NOT_DONE, values=values)

    def working(self, key: str, *, now: float) -> Claim | None:
        row = self._calls.get(self._claims, {"dedupe_key": key})
        return _claim(row) if _is_working(row, now) else None

    def link(self, name: str, key: str, *, expires_at: float) -> None:
        row: Values = {"dedupe_key": name, "linked": key, "expires_at": expiry(expires_at)}
        self._calls.put(self._claims, row)

    def linked(self, name: str, *, now: float) -> str | None:
        row = self._calls.get(self._claims, {"dedupe_key": name})
        return row.get("linked") if row.get("expires_at", 0) > now else None

    def learn(self, name: str, urls: Sequence[str], *, now: float, expires_at: float) -> None:
        """Written only over what was read just before; whoever is faster is read again."""
        for _ in range(LEARNING_TRIES):
            row = self._calls.get(self._claims, {"dedupe_key": name})
            before = str(row.get("urls", ""))
            held = urls_of(before) if row.get("expires_at", 0) > now else ()
            after: Values = {
                "dedupe_key": name,
                "urls": urls_json((*urls, *held)),
                "expires_at": expiry(expires_at),
            }
            unchanged = "#urls = :before" if before else "attribute_not_exists(#urls)"
            try:
                values: Values = {"before": before} if before else {}
                self._calls.put(self._claims, after, when=unchanged, values=values)
                return
            except ConditionFailed:
                continue
        raise StoreUnavailable("DynamoDB: a thread's record is written by too many at once")

    def learned(self, name: str, *, now: float) -> tuple[str, ...]:
        row = self._calls.get(self._claims, {"dedupe_key": name})
        return urls_of(row.get("urls")) if row.get("expires_at", 0) > now else ()

    def keep_feedback(self, name: str, value: str, *, now: float, expires_at: float) -> None:
        row: Values = {
            "dedupe_key": name,
            "feedback": value,
            "given_at": now,
            "expires_at": expiry(expires_at),
        }
        self._calls.put(self._claims, row)

    def _changed(self, key: str, change: str, *, when: str, values: Values) -> bool:
        try:
            self._calls.update(self._claims, {"dedupe_key": key}, change, when=when, values=values)
        except ConditionFailed:
            return False
        return True


def _shard(key: str) -> str:
    return str(crc32(key.encode()) % SHARDS)


def _is_working(row: Row, now: float) -> bool:
    return row.get("state") == WORKING and row["expires_at"] > now


def _is_expired(row: Row, now: float) -> bool:
    return _is_working(row, now) and row["lease_until"] <= now


def _claim(row: Row) -> Claim:
    return Claim(
        key=row["dedupe_key"],
        owner=row["owner"],
        incoming=row["incoming"],
        lease_until=float(row["lease_until"]),
        attempt=row["attempt"],
        delivery=delivery_of(row["delivery"]),
        stopped=row.get("stopped", False),
    )
