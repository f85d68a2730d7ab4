"""The store in DynamoDB: four tables, shared by all processes."""

from collections.abc import Callable
from typing import Any

from slackapp.stores.dynamodb.calls import Calls, connect
from slackapp.stores.dynamodb.claims import ClaimsTable
from slackapp.stores.dynamodb.creation import create_tables
from slackapp.stores.dynamodb.feedback import FeedbackTable
from slackapp.stores.dynamodb.lookup_cache import LookupCacheTable
from slackapp.stores.dynamodb.marks import MarksTable
from slackapp.stores.dynamodb.schema import SCHEMAS
from slackapp.stores.dynamodb.usage_counters import UsageCountersTable
from slackapp.stores.dynamodb.whitelist import WhitelistTable
from slackapp.stores.dynamodb.workspaces import WorkspacesTables

__all__ = ["SCHEMAS", "DynamoDBStore", "connect"]


class DynamoDBStore(
    ClaimsTable,
    FeedbackTable,
    MarksTable,
    WorkspacesTables,
    WhitelistTable,
    UsageCountersTable,
    LookupCacheTable,
):
    """Implements `slackapp.stores.contract.Store`; threads may share it."""

    def __init__(self, client: Any, table_name: Callable[[str], str]) -> None:
        super().__init__(Calls(client), {table: table_name(table) for table in SCHEMAS})

    def create_tables(self) -> tuple[str, ...]:
        return create_tables(self._calls, self._names)

    def close(self) -> None:
        self._calls.close()
