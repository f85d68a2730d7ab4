"""Creates the tables that are missing, and completes those that an interrupted run left half made."""

from collections.abc import Mapping
from typing import Any

from slackapp.stores.contract import StoreMismatch, StoreUnavailable
from slackapp.stores.dynamodb.calls import Calls, code_of
from slackapp.stores.dynamodb.schema import SCHEMAS, TTL_ATTRIBUTE, definition


def create_tables(calls: Calls, names: Mapping[str, str]) -> tuple[str, ...]:
    """Create the tables and return the names of the new ones; existing tables must have our keys."""
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


def _keys(table: Mapping[str, Any]) -> frozenset[tuple[str, str]]:
    return frozenset((key["KeyType"], key["AttributeName"]) for key in table["KeySchema"])


def _indexes(table: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(index["IndexName"] for index in table.get("GlobalSecondaryIndexes", ()))
