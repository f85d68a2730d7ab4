"""The `dedupe` table in DynamoDB.

A claim that is not done has `shard` and `lease_until`, which together put it into the sweeper's index; a
claim that is done has neither, so the index has only claims that may have to be run again. The answer to a
write may be lost and the write tried again: if the row has our owner already, the first try has worked.
"""

from collections.abc import Sequence
from typing import Any
from zlib import crc32

from slackapp.stores.contract import Claim, Renewal, ReplyRecord, StoreUnavailable
from slackapp.stores.dynamodb.calls import (
    ConditionFailed,
    Row,
    Tables,
    Values,
    expressions,
    from_item,
    to_item,
)
from slackapp.stores.dynamodb.schema import SHARDS, WORKING_INDEX
from slackapp.stores.row_format import expiry, reply_record_from, reply_record_json, urls_from, urls_json

WORKING, DONE, STOPPED = "working", "done", "stopped"
DELETED = "-"
"""In a tombstone, in place of the user who stopped: a set of DynamoDB has no empty text."""
MOST_KEYS = 100
"""The limit of one `BatchGetItem`."""
MOST_PAGES = 50
"""Pages of the index that one sweep reads."""
URL_TRIES = 5
"""How often the URLs of a thread are written again because another worker was faster."""
OWNED = "#owner = :owner AND #state = :working"
NOT_LATER = "(attribute_not_exists(#revision) OR #revision <= :revision)"
"""The row has no later record: a write whose answer was lost may be made after the next one."""
NOT_DONE = "#state = :working AND #expires_at > :now"
EXPIRED = "#shard = :shard AND #lease_until <= :now"
ABSENT = "attribute_not_exists(#dedupe_key) OR #expires_at <= :now"
FREE = (
    f"{ABSENT} OR (#state = :stopped AND NOT contains(#stopped_by, :deleted)"
    " AND NOT contains(#stopped_by, :asker))"
)


class ClaimsTable(Tables):
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
        row: Values = {
            "dedupe_key": key,
            "owner": owner,
            "state": WORKING,
            "attempt": 1,
            "incoming": incoming,
            "delivery": reply_record_json(ReplyRecord()),
            "lease_until": lease_until,
            "shard": str(crc32(key.encode()) % SHARDS),
            "expires_at": expiry(expires_at),
        }
        values: Values = {"now": now, "stopped": STOPPED, "deleted": DELETED, "asker": asker or DELETED}
        try:
            if link:
                other: Values = {"dedupe_key": link, "linked": key, "expires_at": expiry(expires_at)}
                self._calls.put_both(self._claims, row, when=FREE, values=values, other=other)
            else:
                self._calls.put(self._claims, row, when=FREE, values=values)
        except ConditionFailed as failed:
            is_ours = failed.row.get("owner") == owner and failed.row.get("state") == WORKING
            return _claim_from(failed.row) if is_ours else None
        return _claim_from(row)

    def renew(self, key: str, *, owner: str, lease_until: float) -> Renewal:
        try:
            row = self._calls.update(
                self._claims,
                {"dedupe_key": key},
                "SET #lease_until = :lease_until, #stopped = if_not_exists(#stopped, :no)",
                when=OWNED,
                returned="UPDATED_NEW",
                values={"owner": owner, "working": WORKING, "lease_until": lease_until, "no": False},
            )
        except ConditionFailed:
            return Renewal.LOST
        return Renewal.STOPPED if row["stopped"] else Renewal.HELD

    def release(self, key: str, *, owner: str, now: float) -> None:
        change = "SET #lease_until = :now, #attempt = #attempt - :one"
        values: Values = {"owner": owner, "working": WORKING, "now": now, "one": 1}
        self._update_if(key, change, when=OWNED, values=values)

    def record_reply(self, key: str, *, owner: str, reply_record: ReplyRecord) -> bool:
        values: Values = {
            "owner": owner,
            "working": WORKING,
            "delivery": reply_record_json(reply_record),
            "revision": reply_record.revision,
        }
        change = "SET #delivery = :delivery, #revision = :revision"
        return self._update_if(key, change, when=f"{OWNED} AND {NOT_LATER}", values=values)

    def finish(self, key: str, *, owner: str, expires_at: float | None = None) -> bool:
        values: Values = {"owner": owner, "working": WORKING, "done": DONE}
        change = "SET #state = :done"
        if expires_at is not None:
            change, values = f"{change}, #expires_at = :until", {**values, "until": expiry(expires_at)}
        try:
            self._calls.update(
                self._claims,
                {"dedupe_key": key},
                f"{change} REMOVE #incoming, #delivery, #shard, #lease_until",
                when=OWNED,
                values=values,
            )
        except ConditionFailed as failed:
            return failed.row.get("owner") == owner and failed.row.get("state") == DONE
        return True

    def expired_claims(self, *, now: float, limit: int) -> tuple[Claim, ...]:
        """The index follows the table a little later, so the rows themselves decide. Rows that DynamoDB
        leaves unprocessed wait for the next sweep. Rows that are gone, but not removed yet, may fill whole
        pages: then the next page is read."""
        expired: list[Row] = []
        starts: dict[int, Any] = dict.fromkeys(range(SHARDS))
        for _ in range(MOST_PAGES):
            keys: list[str] = []
            for shard, start in list(starts.items()):
                answer = self._calls.send(
                    "query",
                    TableName=self._claims,
                    IndexName=WORKING_INDEX,
                    Limit=limit,
                    **expressions({"shard": str(shard), "now": now}, KeyCondition=EXPIRED),
                    **({"ExclusiveStartKey": start} if start else {}),
                )
                keys += [from_item(item)["dedupe_key"] for item in answer["Items"]]
                starts[shard] = answer.get("LastEvaluatedKey")
            for at in range(0, len(keys), MOST_KEYS):
                wanted = [to_item({"dedupe_key": key}) for key in keys[at : at + MOST_KEYS]]
                request = {self._claims: {"Keys": wanted, "ConsistentRead": True}}
                answer = self._calls.send("batch_get_item", RequestItems=request)
                rows = [from_item(item) for item in answer["Responses"].get(self._claims, [])]
                expired += [row for row in rows if _is_unfinished(row, now) and row["lease_until"] <= now]
            starts = {shard: start for shard, start in starts.items() if start}
            if len(expired) >= limit or not starts:
                break
        oldest = sorted(expired, key=lambda row: float(row["lease_until"]))
        return tuple(_claim_from(row) for row in oldest[:limit])

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
            return _claim_from(failed.row) if failed.row.get("owner") == owner else None
        return _claim_from(row)

    def request_stop(self, key: str, *, now: float) -> bool:
        values: Values = {"working": WORKING, "yes": True, "now": now}
        return self._update_if(key, "SET #stopped = :yes", when=NOT_DONE, values=values)

    def write_tombstone(self, key: str, *, user: str, now: float, expires_at: float) -> bool:
        change = (
            "SET #state = :stopped, #expires_at = :expires_at ADD #stopped_by :users"
            " REMOVE #owner, #incoming, #delivery, #shard, #lease_until"
        )
        values: Values = {
            "stopped": STOPPED,
            "expires_at": expiry(expires_at),
            "users": frozenset({user or DELETED}),
            "now": now,
        }
        return self._update_if(key, change, when=f"{ABSENT} OR #state = :stopped", values=values)

    def unfinished_claim(self, key: str, *, now: float) -> Claim | None:
        row = self._calls.get(self._claims, {"dedupe_key": key})
        return _claim_from(row) if _is_unfinished(row, now) else None

    def link_claim(self, name: str, key: str, *, expires_at: float) -> None:
        row: Values = {"dedupe_key": name, "linked": key, "expires_at": expiry(expires_at)}
        self._calls.put(self._claims, row)

    def linked_claim_key(self, name: str, *, now: float) -> str | None:
        row = self._calls.get(self._claims, {"dedupe_key": name})
        return row.get("linked") if row.get("expires_at", 0) > now else None

    def is_thread_ours(self, thread: str, *, asked: str, root: str, now: float) -> bool:
        keys = [to_item({"dedupe_key": key}) for key in dict.fromkeys((thread, asked, root))]
        request = {self._claims: {"Keys": keys, "ConsistentRead": True}}
        answer = self._calls.send("batch_get_item", RequestItems=request)
        if answer.get("UnprocessedKeys"):
            raise StoreUnavailable("DynamoDB: batch_get_item: not all rows were read")
        items = map(from_item, answer["Responses"].get(self._claims, []))
        rows = {row["dedupe_key"]: row for row in items if row.get("expires_at", 0) > now}
        if "linked" in rows.get(thread, {}) or _is_unfinished(rows.get(root, {}), now):
            return True
        key = rows.get(asked, {}).get("linked")
        return key is not None and self.unfinished_claim(key, now=now) is not None

    def add_known_urls(self, name: str, urls: Sequence[str], *, now: float, expires_at: float) -> None:
        """Each write replaces exactly the row that was read; if another worker was faster, read again."""
        for _ in range(URL_TRIES):
            row = self._calls.get(self._claims, {"dedupe_key": name})
            before = str(row.get("urls", ""))
            present = urls_from(before) if row.get("expires_at", 0) > now else ()
            after: Values = {
                "dedupe_key": name,
                "urls": urls_json((*urls, *present)),
                "expires_at": expiry(expires_at),
            }
            unchanged = "#urls = :before" if before else "attribute_not_exists(#urls)"
            try:
                values: Values = {"before": before} if before else {}
                self._calls.put(self._claims, after, when=unchanged, values=values)
                return
            except ConditionFailed:
                continue
        raise StoreUnavailable("DynamoDB: the URLs of a thread are written by too many workers at once")

    def known_urls(self, name: str, *, now: float) -> tuple[str, ...]:
        row = self._calls.get(self._claims, {"dedupe_key": name})
        return urls_from(row.get("urls")) if row.get("expires_at", 0) > now else ()

    def _update_if(self, key: str, change: str, *, when: str, values: Values) -> bool:
        try:
            self._calls.update(self._claims, {"dedupe_key": key}, change, when=when, values=values)
        except ConditionFailed:
            return False
        return True


def _is_unfinished(row: Row, now: float) -> bool:
    return row.get("state") == WORKING and row["expires_at"] > now


def _claim_from(row: Row) -> Claim:
    return Claim(
        key=row["dedupe_key"],
        owner=row["owner"],
        incoming=row.get("incoming", ""),
        lease_until=float(row["lease_until"]),
        attempt=row.get("attempt", 1),
        reply_record=reply_record_from(row.get("delivery")),
        stopped=row.get("stopped", False),
    )
