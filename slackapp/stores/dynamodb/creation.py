"""Makes the tables that are missing, and finishes those that somebody left half made."""

from collections.abc import Mapping
from typing import Any

from slackapp.stores.contract import StoreMisbuilt, StoreUnavailable
from slackapp.stores.dynamodb.calls import Calls, code_of
from slackapp.stores.dynamodb.schema import SCHEMAS, TTL_ATTRIBUTE, Schema, definition


def create(calls: Calls, names: Mapping[str, str]) -> tuple[str, ...]:
    """The names of the tables that were made; what is there already must have our keys."""
    made = tuple(names[table] for table, schema in SCHEMAS.items() if _make(calls, names[table], schema))
    for table, schema in SCHEMAS.items():
        calls.wait_until_active(names[table])
        _check(calls, names[table], schema)
        if schema.expires:
            _let_expire(calls, names[table])
    return made


def _make(calls: Calls, name: str, schema: Schema) -> bool:
    try:
        calls.ask("create_table", TableName=name, **definition(schema))
    except StoreUnavailable as error:
        if code_of(error.__cause__) == "ResourceInUseException":  # it exists, or is being made
            return False
        raise
    return True


def _check(calls: Calls, name: str, schema: Schema) -> None:
    found = calls.ask("describe_table", TableName=name)["Table"]
    wanted = definition(schema)
    if _keys(found) != _keys(wanted) or not _indexes(wanted) <= _indexes(found):
        raise StoreMisbuilt(f"The table {name} is not ours: its keys or indexes differ")


def _keys(table: Mapping[str, Any]) -> frozenset[tuple[str, str]]:
    return frozenset((key["KeyType"], key["AttributeName"]) for key in table["KeySchema"])


def _indexes(table: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(index["IndexName"] for index in table.get("GlobalSecondaryIndexes", ()))


def _let_expire(calls: Calls, name: str) -> None:
    answer = calls.ask("describe_time_to_live", TableName=name)
    if answer["TimeToLiveDescription"]["TimeToLiveStatus"] in ("ENABLED", "ENABLING"):
        return
    calls.ask(
        "update_time_to_live",
        TableName=name,
        TimeToLiveSpecification={"Enabled": True, "AttributeName": TTL_ATTRIBUTE},
    )
