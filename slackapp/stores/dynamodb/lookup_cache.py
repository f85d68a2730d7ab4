"""The `existence_check_cache` table in DynamoDB: a cache, where what is lost is looked up again."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from slackapp.stores.dynamodb.calls import Row, Tables, read, written
from slackapp.stores.row_format import expiry

MOST_KEYS, MOST_PUTS = 100, 25
"""What DynamoDB takes in one request."""


class MemoryTable(Tables):
    """Keeps the contract `Remembered`."""

    @property
    def _memory(self) -> str:
        return self._names["existence_check_cache"]

    def recall(self, name: str, *, now: float) -> str | None:
        return self.recall_all((name,), now=now).get(name)

    def recall_all(self, names: Collection[str], *, now: float) -> Mapping[str, str]:
        """A hundred a request; what DynamoDB leaves unprocessed counts as forgotten."""
        keys = [written({"subject": name}) for name in dict.fromkeys(names)]
        rows: list[Row] = []
        for some in _batches(keys, MOST_KEYS):
            answer = self._calls.ask("batch_get_item", RequestItems={self._memory: {"Keys": some}})
            rows += [read(item) for item in answer["Responses"].get(self._memory, [])]
        return {row["subject"]: row["value"] for row in rows if row["expires_at"] > now}

    def remember(self, name: str, value: str, *, expires_at: float) -> None:
        self._calls.put(self._memory, _row(name, value, expires_at))

    def remember_all(self, values: Mapping[str, str], *, expires_at: float) -> None:
        """25 a request; what DynamoDB leaves unprocessed is not remembered."""
        rows = [written(_row(name, value, expires_at)) for name, value in values.items()]
        puts = [{"PutRequest": {"Item": row}} for row in rows]
        for some in _batches(puts, MOST_PUTS):
            self._calls.ask("batch_write_item", RequestItems={self._memory: some})


def _batches(entries: list[dict[str, Any]], size: int) -> Iterator[list[dict[str, Any]]]:
    return (entries[start : start + size] for start in range(0, len(entries), size))


def _row(name: str, value: str, expires_at: float) -> Row:
    return {"subject": name, "value": value, "expires_at": expiry(expires_at)}
