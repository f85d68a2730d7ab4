"""The `whitelist` table in SQLite."""

from collections.abc import Mapping

from slackapp.stores.contract import Entity, ListedEntities, WhitelistEntry
from slackapp.stores.sqlite.database import Tables, Transaction

LISTED = "SELECT 1 FROM whitelist WHERE entity_type = :entity AND entity_id = :id"
ANY = "SELECT 1 FROM whitelist WHERE entity_type = :entity LIMIT 1"


class SQLiteWhitelist(Tables):
    """Keeps the contract `Whitelist`."""

    def standing(self, ids: Mapping[Entity, str]) -> Mapping[Entity, ListedEntities]:
        with self._database.write() as transaction:  # all of them of the same moment
            return {entity: _standing(transaction, entity, entity_id) for entity, entity_id in ids.items()}

    def listings(self) -> tuple[WhitelistEntry, ...]:
        rows = self._database.rows("SELECT * FROM whitelist ORDER BY entity_type, entity_id")
        known = (row for row in rows if row["entity_type"] in {*Entity})
        return tuple(
            WhitelistEntry(entity=Entity(row["entity_type"]), id=row["entity_id"], label=row["label"])
            for row in known
        )

    def enlist(self, listing: WhitelistEntry) -> None:
        self._database.changed(
            "INSERT OR REPLACE INTO whitelist VALUES (:entity, :id, :label)",
            entity=listing.entity.value,
            id=listing.id,
            label=listing.label,
        )

    def delist(self, entity: Entity, entity_id: str) -> bool:
        change = "DELETE FROM whitelist WHERE entity_type = :entity AND entity_id = :id"
        return bool(self._database.changed(change, entity=entity.value, id=entity_id))


def _standing(transaction: Transaction, entity: Entity, entity_id: str) -> ListedEntities:
    if transaction.run(LISTED, entity=entity.value, id=entity_id).fetchone():
        return ListedEntities.LISTED
    return (
        ListedEntities.UNLISTED
        if transaction.run(ANY, entity=entity.value).fetchone()
        else ListedEntities.NO_ROWS
    )
