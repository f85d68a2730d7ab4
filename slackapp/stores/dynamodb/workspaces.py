"""The rows of one workspace in DynamoDB: those with its id between the colons of their key.

They are found by scans of whole tables. A workspace leaves seldom, so no index is kept for it.
"""

from collections.abc import Iterator
from typing import Any

from slackapp.stores.contract import StoreUnavailable
from slackapp.stores.dynamodb.calls import Tables, from_item, name_placeholders, to_item, value_placeholders

MOST_DELETIONS = 25
"""DynamoDB's limit for one request."""
TRIES = 5


class WorkspacesTables(Tables):
    """Implements `Workspaces`."""

    def delete_workspace(self, team: str) -> int:
        deleted = 0
        for table, key in (
            (self._claims, "dedupe_key"),
            (self._counters, "meter"),
            (self._cache, "subject"),
        ):
            names = [name for name in self._keys(table, key, team) if team in name.split(":")]
            for start in range(0, len(names), MOST_DELETIONS):
                chosen = names[start : start + MOST_DELETIONS]
                self._delete(table, [{"DeleteRequest": {"Key": to_item({key: name})}} for name in chosen])
            deleted += len(names)
        return deleted

    def _keys(self, table: str, key: str, team: str) -> Iterator[str]:
        """The keys that contain the id, of all pages."""
        condition = f"contains(#{key}, :team)"
        where: dict[str, Any] = {}
        while True:
            answer = self._calls.send(
                "scan",
                TableName=table,
                FilterExpression=condition,
                ProjectionExpression=f"#{key}",
                ExpressionAttributeNames=name_placeholders(condition),
                ExpressionAttributeValues=value_placeholders({"team": team}),
                ConsistentRead=True,
                **where,
            )
            yield from (str(from_item(item)[key]) for item in answer["Items"])
            if not answer.get("LastEvaluatedKey"):
                return
            where = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def _delete(self, table: str, requests: list[dict[str, Any]]) -> None:
        """Keys that DynamoDB leaves unprocessed are deleted in another request."""
        request = {table: requests}
        for _ in range(TRIES):
            request = self._calls.send("batch_write_item", RequestItems=request).get("UnprocessedItems") or {}
            if not request:
                return
        raise StoreUnavailable(f"DynamoDB: batch_write_item {table} left keys unprocessed")
