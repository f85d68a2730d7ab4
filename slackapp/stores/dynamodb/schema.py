"""The four tables: their keys, the sweeper's index and their expiry."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slackapp.stores.contract import StoreMismatch, StoreUnavailable
from slackapp.stores.dynamodb.calls import Calls, code_of
from slackapp.stores.tables import CACHE, CLAIMS, COUNTERS, WHITELIST

TTL_ATTRIBUTE = "expires_at"
SHARDS = 4
"""Partitions of an index by time: enough that none is hot, few enough to query all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """A table's shape."""

    keys: tuple[str, ...]
    expires: bool = True
    index: str = ""
    due: str = ""
    """The attribute with a time. Rows that have it are in the index, in one of the partitions of `shard`."""


SCHEMAS = {
    CLAIMS: Schema(keys=("dedupe_key",), index="working", due="lease_until"),
    WHITELIST: Schema(keys=("entity_type", "entity_id"), expires=False),
    COUNTERS: Schema(keys=("meter",)),
    CACHE: Schema(keys=("subject",)),
}


def definition(schema: Schema) -> dict[str, Any]:
    """The arguments of `CreateTable` and of CloudFormation, without the name."""
    types = dict.fromkeys(schema.keys, "S") | ({"shard": "S", schema.due: "N"} if schema.index else {})
    defined: dict[str, Any] = {
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": kind} for name, kind in types.items()
        ],
        "KeySchema": _key_schema(*schema.keys),
        "BillingMode": "PAY_PER_REQUEST",
    }
    if schema.index:
        keys = {"KeySchema": _key_schema("shard", schema.due), "Projection": {"ProjectionType": "KEYS_ONLY"}}
        defined["GlobalSecondaryIndexes"] = [{"IndexName": schema.index, **keys}]
    return defined


def create_tables(calls: Calls, names: Mapping[str, str]) -> tuple[str, ...]:
    """Create the tables that are missing, and complete those that an interrupted run left half made.

    Returns the names of the new ones; existing tables must have our keys.
    """
    created: list[str] = []
    for table, schema in SCHEMAS.items():
        try:
            calls.send("create_table", TableName=names[table], **definition(schema))
            created.append(names[table])
        except StoreUnavailable as error:
            if code_of(error.__cause__) != "ResourceInUseException":  # it exists, or is being created
                raise
    for table, schema in SCHEMAS.items():
        name = names[table]
        calls.wait_until_active(name)
        found, expected = calls.send("describe_table", TableName=name)["Table"], definition(schema)
        if _keys(found) != _keys(expected) or not _indexes(expected) <= _indexes(found):
            raise StoreMismatch(f"The table {name} is not ours: its keys or indexes differ")
        if schema.expires:
            answer = calls.send("describe_time_to_live", TableName=name)
            if answer["TimeToLiveDescription"]["TimeToLiveStatus"] not in ("ENABLED", "ENABLING"):
                specification = {"Enabled": True, "AttributeName": TTL_ATTRIBUTE}
                calls.send("update_time_to_live", TableName=name, TimeToLiveSpecification=specification)
    return tuple(created)


def _key_schema(partition: str, *sort: str) -> list[dict[str, str]]:
    kinds = {partition: "HASH"} | dict.fromkeys(sort, "RANGE")
    return [{"AttributeName": name, "KeyType": kind} for name, kind in kinds.items()]


def _keys(table: Mapping[str, Any]) -> frozenset[tuple[str, str]]:
    return frozenset((key["KeyType"], key["AttributeName"]) for key in table["KeySchema"])


def _indexes(table: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(index["IndexName"] for index in table.get("GlobalSecondaryIndexes", ()))
