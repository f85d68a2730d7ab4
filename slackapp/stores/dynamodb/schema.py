"""The four tables: their keys, the sweeper's index and their expiry."""

from dataclasses import dataclass
from typing import Any

TTL_ATTRIBUTE = "expires_at"
WORKING_INDEX = "working"
SHARDS = 4
"""Partitions of the sweeper's index: enough that none is hot, few enough to query all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """Contains only rows that have both attributes, and only their keys."""

    name: str
    partition: str
    number: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """A table's shape."""

    partition: str
    sort: str = ""
    expires: bool = True
    index: Index | None = None


SCHEMAS = {
    "dedupe": Schema(
        partition="dedupe_key",
        index=Index(name=WORKING_INDEX, partition="shard", number="lease_until"),
    ),
    "whitelist": Schema(partition="entity_type", sort="entity_id", expires=False),
    "rate_limit": Schema(partition="meter"),
    "existence_check_cache": Schema(partition="subject"),
}


def definition(schema: Schema) -> dict[str, Any]:
    """The arguments of `CreateTable` and of CloudFormation, without the name."""
    texts = [schema.partition] + ([schema.sort] if schema.sort else [])
    defined: dict[str, Any] = {
        "AttributeDefinitions": [_attribute(name, "S") for name in texts],
        "KeySchema": _keys(*texts),
        "BillingMode": "PAY_PER_REQUEST",
    }
    if schema.index:
        defined["AttributeDefinitions"] += [
            _attribute(schema.index.partition, "S"),
            _attribute(schema.index.number, "N"),
        ]
        defined["GlobalSecondaryIndexes"] = [
            {
                "IndexName": schema.index.name,
                "KeySchema": _keys(schema.index.partition, schema.index.number),
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ]
    return defined


def _attribute(name: str, kind: str) -> dict[str, str]:
    return {"AttributeName": name, "AttributeType": kind}


def _keys(partition: str, sort: str = "") -> list[dict[str, str]]:
    keys = [{"AttributeName": partition, "KeyType": "HASH"}]
    return keys + ([{"AttributeName": sort, "KeyType": "RANGE"}] if sort else [])
