"""The store in DynamoDB: four tables, shared by all processes."""

from collections.abc import Callable
from typing import Any

from slackapp.stores.dynamodb.calls import Calls, connect
from slackapp.stores.dynamodb.schema import SCHEMAS
from slackapp.stores.dynamodb.tables import DynamoDBTables
from slackapp.stores.store import Store

__all__ = ["SCHEMAS", "DynamoDBStore", "connect"]


class DynamoDBStore(Store):
    """A store behind a client of DynamoDB."""

    def __init__(self, client: Any, table_name: Callable[[str], str]) -> None:
        super().__init__(DynamoDBTables(Calls(client), {table: table_name(table) for table in SCHEMAS}))
