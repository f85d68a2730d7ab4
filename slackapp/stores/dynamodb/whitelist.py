"""The `whitelist` table in DynamoDB: rows of `entity_type`, `entity_id` and `label`, also made by hand."""

from collections.abc import Iterable, Mapping
from typing import Any

from slackapp.stores.contract import Entity, ListedEntities, StoreUnavailable, WhitelistEntry
from slackapp.stores.dynamodb.calls import Row, Tables, named, read, valued, written

SMALL = 200
"""Rows that are read in one go; of a longer list only what is asked for is looked up."""
LOOKS = 3


class WhitelistTable(Tables):
    """Keeps the contract `Whitelist`."""

    @property
    def _whitelist(self) -> str:
        return self._names["whitelist"]

    def standing(self, ids: Mapping[Entity, str]) -> Mapping[Entity, ListedEntities]:
        """One request while the list is short, else one for the ids and one for each type without a row."""
        rows, more = self._page(Limit=SMALL)
        if more:
            listed = self._found(ids)
            return {
                entity: ListedEntities.LISTED if entity in listed else self._unlisted(entity)
                for entity in ids
            }
        return {entity: _standing(entity, entity_id, rows) for entity, entity_id in ids.items()}

    def _found(self, ids: Mapping[Entity, str]) -> set[str]:
        """The types whose id is listed."""
        keys = [written({"entity_type": entity, "entity_id": ids[entity]}) for entity in ids]
        wanted: dict[str, Any] = {self._whitelist: {"Keys": keys, "ConsistentRead": True}}
        found: set[str] = set()
        for _ in range(LOOKS):
            answer = self._calls.ask("batch_get_item", RequestItems=wanted)
            items = answer["Responses"].get(self._whitelist, [])
            found |= {read(item)["entity_type"] for item in items}
            wanted = answer.get("UnprocessedKeys") or {}
            if not wanted:
                return found
        raise StoreUnavailable(f"DynamoDB: batch_get_item {self._whitelist} left keys unprocessed")

    def _unlisted(self, entity: Entity) -> ListedEntities:
        condition = "#entity_type = :entity_type"
        answer = self._calls.ask(
            "query",
            TableName=self._whitelist,
            KeyConditionExpression=condition,
            ExpressionAttributeNames=named(condition),
            ExpressionAttributeValues=valued({"entity_type": entity}),
            ConsistentRead=True,
            Limit=1,
        )
        return ListedEntities.UNLISTED if answer["Items"] else ListedEntities.NO_ROWS

    def listings(self) -> tuple[WhitelistEntry, ...]:
        rows, more = self._page()
        while more:
            further, more = self._page(ExclusiveStartKey=more)
            rows += further
        known = (row for row in rows if row["entity_type"] in {*Entity})
        listings = (
            WhitelistEntry(entity=Entity(row["entity_type"]), id=row["entity_id"], label=row.get("label", ""))
            for row in known
        )
        return tuple(sorted(listings, key=lambda listing: (listing.entity, listing.id)))

    def _page(self, **where: Any) -> tuple[list[Row], Any]:
        """Some rows, and where to go on."""
        answer = self._calls.ask("scan", TableName=self._whitelist, ConsistentRead=True, **where)
        return [read(item) for item in answer["Items"]], answer.get("LastEvaluatedKey")

    def enlist(self, listing: WhitelistEntry) -> None:
        row = {"entity_type": listing.entity, "entity_id": listing.id, "label": listing.label}
        self._calls.put(self._whitelist, row)

    def delist(self, entity: Entity, entity_id: str) -> bool:
        answer = self._calls.ask(
            "delete_item",
            TableName=self._whitelist,
            Key=written({"entity_type": entity, "entity_id": entity_id}),
            ReturnValues="ALL_OLD",
        )
        return bool(answer.get("Attributes"))


def _standing(entity: Entity, entity_id: str, rows: Iterable[Row]) -> ListedEntities:
    of_type = {row["entity_id"] for row in rows if row["entity_type"] == entity}
    if entity_id in of_type:
        return ListedEntities.LISTED
    return ListedEntities.UNLISTED if of_type else ListedEntities.NO_ROWS
