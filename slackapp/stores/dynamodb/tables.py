"""The contract of rows in DynamoDB.

The answer to a write may be lost and the write made again. A write that must count once sets its own mark:
when the row already has this mark, nothing is counted twice. The row has the marks of the last writes,
because others may write between the two tries.
"""

import random
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any
from uuid import uuid4
from zlib import crc32

from slackapp.stores.contract import StoreRefused, StoreUnavailable
from slackapp.stores.dynamodb.calls import Calls, ConditionFailed, expressions, from_item, to_item
from slackapp.stores.dynamodb.schema import SCHEMAS, SHARDS, create_tables
from slackapp.stores.tables import COUNTERS, KEYS, NOTHING, Changes, Outcome, Row, Values

TRIES, WAIT_SECONDS = 5, 0.05
"""How often a batch is sent of which DynamoDB left something, or a write that others exclude."""
MOST_KEYS, MOST_WRITES = 100, 25
"""DynamoDB's limits for one request."""
MOST_PAGES = 50
"""Pages of an index that one call reads."""
NOT_LATER = "(attribute_not_exists(#revision) OR #revision <= :revision)"
"""The row has no later record: a write whose answer was lost may be made after the next one."""
MARKS = ("mark", *(f"mark{number}" for number in range(2, 17)))
"""The marks of the last writes, newest first."""
UNMARKED = " AND ".join(f"(attribute_not_exists(#{mark}) OR #{mark} <> :mark)" for mark in MARKS)
SET_MARK = ["#mark = :mark", *(f"#{old} = if_not_exists(#{new}, :unmarked)" for new, old in pairwise(MARKS))]
MARK_LENGTH = 16


class DynamoDBTables:
    """Implements `slackapp.stores.tables.Tables`."""

    def __init__(self, calls: Calls, names: Mapping[str, str]) -> None:
        self._calls = calls
        self._names = names

    def get(self, table: str, keys: Collection[str]) -> Mapping[str, Row]:
        key, name = KEYS[table], self._names[table]
        wanted = [to_item({key: each}) for each in dict.fromkeys(keys)]
        rows: list[Row] = []
        for start in range(0, len(wanted), MOST_KEYS):
            request = {name: {"Keys": wanted[start : start + MOST_KEYS], "ConsistentRead": True}}
            for answer in self._whole_batch("batch_get_item", request, "UnprocessedKeys"):
                rows += map(from_item, answer["Responses"].get(name, []))
        return {row[key]: row for row in rows}

    def rows(self, table: str, *, key_contains: str = "") -> Sequence[Row]:
        rows: list[Row] = []
        request: dict[str, Any] = {"TableName": self._names[table], "ConsistentRead": True}
        if key_contains:
            request |= expressions({"text": key_contains}, Filter=f"contains(#{KEYS[table]}, :text)")
        while True:
            answer = self._calls.send("scan", **request)
            rows += map(from_item, answer["Items"])
            if not answer.get("LastEvaluatedKey"):
                return rows
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def due(self, table: str, *, now: float, limit: int) -> Sequence[Row]:
        """The index follows the table a little later, so the rows themselves decide. Rows that are gone, but
        not removed yet, may fill whole pages: then the next page is read."""
        schema, found = SCHEMAS[table], list[Row]()
        starts: dict[int, Any] = dict.fromkeys(range(SHARDS))
        for _ in range(MOST_PAGES):
            keys: list[str] = []
            for shard, start in list(starts.items()):
                condition = f"#shard = :shard AND #{schema.due} <= :now"
                answer = self._calls.send(
                    "query",
                    TableName=self._names[table],
                    IndexName=schema.index,
                    Limit=limit,
                    **expressions({"shard": str(shard), "now": now}, KeyCondition=condition),
                    **({"ExclusiveStartKey": start} if start else {}),
                )
                keys += [from_item(item)[KEYS[table]] for item in answer["Items"]]
                starts[shard] = answer.get("LastEvaluatedKey")
            for row in self.get(table, keys).values():
                if row.get(schema.due, now + 1) <= now < row["expires_at"]:
                    found.append(row)
            starts = {shard: start for shard, start in starts.items() if start}
            if len(found) >= limit or not starts:
                break
        return sorted(found, key=lambda row: float(row[schema.due]))[:limit]

    def put(
        self, table: str, row: Values, *, when: str = "", values: Values = NOTHING, also: Values | None = None
    ) -> Outcome:
        item = to_item({**row, **_shard(table, row)})
        put = {"TableName": self._names[table], "Item": item, **expressions(values, Condition=when)}
        try:
            if also is None:
                self._calls.send("put_item", **put)
            else:
                self._put_both(put, {"TableName": self._names[table], "Item": to_item(also)})
        except ConditionFailed as failed:
            return Outcome(False, failed.row)
        return Outcome(True, row)

    def _put_both(self, first: Mapping[str, Any], second: Mapping[str, Any]) -> None:
        """Two such writes of the same row at the same moment exclude each other: one is tried again."""
        for _ in range(TRIES):
            try:
                self._calls.send("transact_write_items", TransactItems=[{"Put": first}, {"Put": second}])
                return
            except StoreUnavailable as error:
                response: dict[str, Any] = getattr(error.__cause__, "response", {})
                reasons = response.get("CancellationReasons") or [{}]
                if reasons[0].get("Code") == "ConditionalCheckFailed":
                    raise ConditionFailed(from_item(reasons[0].get("Item", {}))) from error
                if not any(reason.get("Code") == "TransactionConflict" for reason in reasons):
                    raise
                _wait()
        raise StoreRefused("DynamoDB: transact_write_items: others write the same row at this moment")

    def update(
        self,
        table: str,
        key: str,
        changes: Changes,
        *,
        add: Values = NOTHING,
        when: str = "",
        values: Values = NOTHING,
        revision: int | None = None,
        once: bool = False,
    ) -> Outcome:
        changes = {**changes, **_shard(table, {KEYS[table]: key, **changes})}
        conditions, given, mark = [f"({when})"] if when else [], dict(values), uuid4().hex[:MARK_LENGTH]
        sets = [f"#{name} = :new_{name}" for name, value in changes.items() if value is not None]
        given |= {f"new_{name}": value for name, value in changes.items() if value is not None}
        given |= {f"add_{name}": value for name, value in add.items()}
        if revision is not None:
            conditions.append(NOT_LATER)
            sets.append("#revision = :revision")
            given["revision"] = revision
        if once:
            conditions.append(UNMARKED)
            sets += SET_MARK
            given |= {"mark": mark, "unmarked": ""}
        clauses = {
            "SET": sets,
            "ADD": [f"#{name} :add_{name}" for name in add],
            "REMOVE": [f"#{name}" for name, value in changes.items() if value is None],
        }
        change = " ".join(f"{verb} {', '.join(parts)}" for verb, parts in clauses.items() if parts)
        try:
            answer = self._calls.send(
                "update_item",
                TableName=self._names[table],
                Key=to_item({KEYS[table]: key}),
                ReturnValues="ALL_NEW",
                **expressions(given, Update=change, Condition=" AND ".join(conditions)),
            )
        except ConditionFailed as failed:
            is_done = once and any(failed.row.get(name) == mark for name in MARKS)
            return Outcome(is_done, failed.row)
        return Outcome(True, from_item(answer["Attributes"]))

    def write_all(self, table: str, *, puts: Sequence[Values] = (), deletes: Sequence[Values] = ()) -> None:
        writes = [{"PutRequest": {"Item": to_item(row)}} for row in puts]
        writes += [{"DeleteRequest": {"Key": to_item(key)}} for key in deletes]
        for start in range(0, len(writes), MOST_WRITES):
            request = {self._names[table]: writes[start : start + MOST_WRITES]}
            for _ in self._whole_batch("batch_write_item", request, "UnprocessedItems"):
                pass

    def delete(self, table: str, key: Values) -> bool:
        row = {"TableName": self._names[table], "Key": to_item(key)}
        return bool(self._calls.send("delete_item", ReturnValues="ALL_OLD", **row).get("Attributes"))

    def add_tally(self, name: str, amounts: Mapping[str, int], *, expires_at: int) -> None:
        self.update(COUNTERS, name, {"expires_at": expires_at}, add=amounts)

    def tally(self, name: str, *, now: float) -> Mapping[str, int]:
        row = self.get(COUNTERS, [name]).get(name, {"expires_at": 0})
        others = ("meter", "expires_at")
        return {item: row[item] for item in row if item not in others and row["expires_at"] > now}

    def create_tables(self) -> tuple[str, ...]:
        return create_tables(self._calls, self._names)

    def close(self) -> None:
        self._calls.close()

    def _whole_batch(self, operation: str, request: Any, left: str) -> Iterator[Any]:
        """Send a batch, and again what DynamoDB leaves of it."""
        for _ in range(TRIES):
            answer = self._calls.send(operation, RequestItems=request)
            yield answer
            request = answer.get(left)
            if not request:
                return
            _wait()
        raise StoreUnavailable(f"DynamoDB: {operation} left keys unprocessed")


def _shard(table: str, row: Changes) -> Changes:
    """A row that gets a time comes into the index; one that loses it leaves the index."""
    due = SCHEMAS[table].due
    if not due or due not in row:
        return {}
    return {"shard": None if row[due] is None else str(crc32(str(row[KEYS[table]]).encode()) % SHARDS)}


def _wait() -> None:
    time.sleep(random.uniform(0, WAIT_SECONDS))  # noqa: S311 - spreads the next tries
