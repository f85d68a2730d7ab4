"""The rows of one workspace in DynamoDB: those with its id between the colons of their key.

They are found by scans of whole tables. A workspace leaves seldom, so no index is kept for it.
"""

from slackapp.stores.contract import StoreUnavailable
from slackapp.stores.dynamodb.calls import Tables, expressions, to_item

MOST_DELETIONS = 25
"""DynamoDB's limit for one request."""
TRIES = 5


class WorkspacesTables(Tables):
    """Implements `Workspaces`."""

    def delete_workspace(self, team: str) -> int:
        deleted = 0
        keys = {self._claims: "dedupe_key", self._counters: "meter", self._cache: "subject"}
        for table, key in keys.items():
            containing = expressions({"team": team}, Filter=f"contains(#{key}, :team)", Projection=f"#{key}")
            found = [str(row[key]) for row in self._calls.scan(table, **containing)]
            names = [name for name in found if team in name.split(":")]
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
