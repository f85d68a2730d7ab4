"""The `whitelist` table in DynamoDB: rows of `entity_type`, `entity_id` and `label`."""

from collections.abc import Mapping
from typing import Any

from slackapp.stores.contract import Entity, StoreUnavailable, WhitelistEntry, WhitelistStatus
from slackapp.stores.dynamodb.calls import (
    Tables,
    expressions,
    from_item,
    to_item,
)

SMALL = 200
"""A whitelist of this many rows is read in one request; of a longer one, only the ids are looked up."""
TRIES = 3


class WhitelistTable(Tables):
    """Implements `Whitelist`."""

    def whitelist_status(self, ids: Mapping[Entity, str]) -> Mapping[Entity, WhitelistStatus]:
        """One request while the list is short, else one for the ids and one for each type without a row."""
        scan = self._calls.send("scan", TableName=self._whitelist, ConsistentRead=True, Limit=SMALL)
        if scan.get("LastEvaluatedKey"):
            listed = self._listed_types(ids)
            types = set(listed)
            for entity in (entity for entity in ids if entity not in listed):
                of_type = expressions({"entity_type": entity}, KeyCondition="#entity_type = :entity_type")
                rows = self._calls.send(
                    "query", TableName=self._whitelist, ConsistentRead=True, Limit=1, **of_type
                )
                types |= {entity} if rows["Items"] else set()
        else:
            by_type = [(row["entity_type"], row["entity_id"]) for row in map(from_item, scan["Items"])]
            listed = {entity for entity, entity_id in ids.items() if (entity, entity_id) in by_type}
            types = {entity for entity, _ in by_type}
        unlisted = {
            entity: WhitelistStatus.UNLISTED if entity in types else WhitelistStatus.NO_ROWS for entity in ids
        }
        return unlisted | {entity: WhitelistStatus.LISTED for entity in ids if entity in listed}

    def _listed_types(self, ids: Mapping[Entity, str]) -> set[str]:
        """The types whose id is listed. Keys that DynamoDB leaves unprocessed are asked for again."""
        keys = [to_item({"entity_type": entity, "entity_id": ids[entity]}) for entity in ids]
        request: dict[str, Any] = {self._whitelist: {"Keys": keys, "ConsistentRead": True}}
        found: set[str] = set()
        for _ in range(TRIES):
            answer = self._calls.send("batch_get_item", RequestItems=request)
            items = answer["Responses"].get(self._whitelist, [])
            found |= {from_item(item)["entity_type"] for item in items}
            request = answer.get("UnprocessedKeys") or {}
            if not request:
                return found
        raise StoreUnavailable(f"DynamoDB: batch_get_item {self._whitelist} left keys unprocessed")

    def whitelist_entries(self) -> tuple[WhitelistEntry, ...]:
        entries = (
            WhitelistEntry(entity=Entity(row["entity_type"]), id=row["entity_id"], label=row.get("label", ""))
            for row in self._calls.scan(self._whitelist)
            if row["entity_type"] in {*Entity}
        )
        return tuple(sorted(entries, key=lambda entry: (entry.entity, entry.id)))

    def add_to_whitelist(self, entry: WhitelistEntry) -> None:
        row = {"entity_type": entry.entity, "entity_id": entry.id, "label": entry.label}
        self._calls.put(self._whitelist, row)

    def remove_from_whitelist(self, entity: Entity, entity_id: str) -> bool:
        answer = self._calls.send(
            "delete_item",
            TableName=self._whitelist,
            Key=to_item({"entity_type": entity, "entity_id": entity_id}),
            ReturnValues="ALL_OLD",
        )
        return bool(answer.get("Attributes"))
