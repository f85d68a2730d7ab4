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
        keys = {self._claims: "dedupe_key", self._counters: "meter", self._cache: "subject"}
        for table, key in keys.items():
            names = [name for name in self._keys(table, key, team) if team in name.split(":")]
            for start in range(0, len(names), MOST_DELETIONS):
                chosen = names[start : start + MOST_DELETIONS]
                request = {table: [{"DeleteRequest": {"Key": to_item({key: name})}} for name in chosen]}
                for _ in range(TRIES):  # keys that DynamoDB leaves unprocessed are sent again
                    answer = self._calls.send("batch_write_item", RequestItems=request)
                    request = answer.get("UnprocessedItems") or {}
                    if not request:
                        break
                else:
                    raise StoreUnavailable(f"DynamoDB: batch_write_item {table} left keys unprocessed")
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
