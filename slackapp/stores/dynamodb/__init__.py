"""The store in DynamoDB: four tables, shared by everything that answers."""

from collections.abc import Callable
from typing import Any

from slackapp.stores.dynamodb.calls import Calls, connect
from slackapp.stores.dynamodb.claims import ClaimsTable
from slackapp.stores.dynamodb.creation import create
from slackapp.stores.dynamodb.lookup_cache import MemoryTable
from slackapp.stores.dynamodb.meters import MetersTable
from slackapp.stores.dynamodb.schema import SCHEMAS
from slackapp.stores.dynamodb.whitelist import WhitelistTable

__all__ = ["SCHEMAS", "DynamoDBStore", "connect"]


class DynamoDBStore(ClaimsTable, WhitelistTable, MetersTable, MemoryTable):
    """Keeps the contract of `slackapp.stores.contract.Store`; threads may share it."""

    def __init__(self, client: Any, table_name: Callable[[str], str]) -> None:
        super().__init__(Calls(client), {table: table_name(table) for table in SCHEMAS})

    def create(self) -> tuple[str, ...]:
        return create(self._calls, self._names)

    def close(self) -> None:
        self._calls.close()
