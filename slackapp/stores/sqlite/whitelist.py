"""The `whitelist` table in SQLite."""

from collections.abc import Mapping

from slackapp.stores.contract import Entity, WhitelistEntry, WhitelistStatus
from slackapp.stores.sqlite.database import Tables

LISTED = "SELECT 1 FROM whitelist WHERE entity_type = :entity AND entity_id = :id"
ANY = "SELECT 1 FROM whitelist WHERE entity_type = :entity LIMIT 1"
ALL = "SELECT * FROM whitelist ORDER BY entity_type, entity_id"
ADD = "INSERT OR REPLACE INTO whitelist VALUES (:entity, :id, :label)"
REMOVE = "DELETE FROM whitelist WHERE entity_type = :entity AND entity_id = :id"


class SQLiteWhitelist(Tables):
    """Implements `Whitelist`."""

    def whitelist_status(self, ids: Mapping[Entity, str]) -> Mapping[Entity, WhitelistStatus]:
        found: dict[Entity, WhitelistStatus] = {}
        with self._database.transaction() as execute:  # one moment for all ids
            for entity, entity_id in ids.items():
                if execute(LISTED, entity=entity.value, id=entity_id).fetchone():
                    found[entity] = WhitelistStatus.LISTED
                elif execute(ANY, entity=entity.value).fetchone():
                    found[entity] = WhitelistStatus.UNLISTED
                else:
                    found[entity] = WhitelistStatus.NO_ROWS
        return found

    def whitelist_entries(self) -> tuple[WhitelistEntry, ...]:
        return tuple(
            WhitelistEntry(entity=Entity(row["entity_type"]), id=row["entity_id"], label=row["label"])
            for row in self._database.rows(ALL)
            if row["entity_type"] in {*Entity}
        )

    def add_to_whitelist(self, entry: WhitelistEntry) -> None:
        self._database.execute(ADD, entity=entry.entity.value, id=entry.id, label=entry.label)

    def remove_from_whitelist(self, entity: Entity, entity_id: str) -> bool:
        return bool(self._database.execute(REMOVE, entity=entity.value, id=entity_id))
