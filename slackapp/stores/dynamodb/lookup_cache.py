"""The `existence_check_cache` table in DynamoDB. It is a cache: a lost value is looked up again."""

from collections.abc import Collection, Mapping

from slackapp.stores.dynamodb.calls import Row, Tables, from_item, to_item
from slackapp.stores.row_format import expiry

MOST_KEYS, MOST_PUTS = 100, 25
"""DynamoDB's limits for one request."""


class LookupCacheTable(Tables):
    """Implements `LookupCache`. Keys that DynamoDB leaves unprocessed count as not cached."""

    def cached_values(self, names: Collection[str], *, now: float) -> Mapping[str, str]:
        keys = [to_item({"subject": name}) for name in dict.fromkeys(names)]
        rows: list[Row] = []
        for start in range(0, len(keys), MOST_KEYS):
            request = {self._cache: {"Keys": keys[start : start + MOST_KEYS]}}
            answer = self._calls.send("batch_get_item", RequestItems=request)
            rows += [from_item(item) for item in answer["Responses"].get(self._cache, [])]
        return {row["subject"]: row["value"] for row in rows if row["expires_at"] > now}

    def cache_values(self, values: Mapping[str, str], *, expires_at: float) -> None:
        expires = expiry(expires_at)
        puts = [
            {"PutRequest": {"Item": to_item({"subject": name, "value": value, "expires_at": expires})}}
            for name, value in values.items()
        ]
        for start in range(0, len(puts), MOST_PUTS):
            self._calls.send("batch_write_item", RequestItems={self._cache: puts[start : start + MOST_PUTS]})
