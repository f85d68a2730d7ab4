"""The data that the app stores between requests, and the decisions that depend on it.

A decision is one conditional write, never a read followed by a write: two workers that ask at the same
moment get two different answers. Expired rows may still exist; they count as gone. The caller passes the
time. Every method raises StoreUnavailable when the store cannot be reached or does not answer.
"""

from collections.abc import Collection, Mapping

from slackapp.stores.claims import Claims
from slackapp.stores.contract import Entity, WhitelistEntry, WhitelistStatus
from slackapp.stores.tables import CACHE, KEYS, WHITELIST, OnTables, Values, expiry
from slackapp.stores.usage_counters import UsageCounters


class Whitelist(OnTables):
    """The `whitelist` table. It is always read as a whole: 10,000 ids are less than one page of DynamoDB."""

    def whitelist_status(self, ids: Mapping[Entity, str]) -> Mapping[Entity, WhitelistStatus]:
        """The status of each id; never cached."""
        listed = {(entry.entity, entry.id) for entry in self.whitelist_entries()}
        types = {entity for entity, _ in listed}
        return {
            entity: WhitelistStatus.LISTED
            if (entity, entity_id) in listed
            else WhitelistStatus.UNLISTED
            if entity in types
            else WhitelistStatus.NO_ROWS
            for entity, entity_id in ids.items()
        }

    def whitelist_entries(self) -> tuple[WhitelistEntry, ...]:
        """Every row, ordered by type and id."""
        entries = (
            WhitelistEntry(entity=Entity(row["entity_type"]), id=row["entity_id"], label=row.get("label", ""))
            for row in self._tables.rows(WHITELIST)
            if row["entity_type"] in {*Entity}
        )
        return tuple(sorted(entries, key=lambda entry: (entry.entity, entry.id)))

    def add_to_whitelist(self, entry: WhitelistEntry) -> None:
        """Add a row, or change its label."""
        row = {"entity_type": entry.entity.value, "entity_id": entry.id, "label": entry.label}
        self._tables.put(WHITELIST, row)

    def remove_from_whitelist(self, entity: Entity, entity_id: str) -> bool:
        """Remove a row; False if it did not exist."""
        return self._tables.delete(WHITELIST, {"entity_type": entity.value, "entity_id": entity_id})


class LookupCache(OnTables):
    """The `existence_check_cache` table."""

    def cached_values(self, names: Collection[str], *, now: float) -> Mapping[str, str]:
        """The stored values of these names, in as few requests as possible; expired ones are left out."""
        rows = self._tables.get(CACHE, names)
        return {name: row["value"] for name, row in rows.items() if row["expires_at"] > now}

    def cache_values(self, values: Mapping[str, str], *, expires_at: float) -> None:
        """Store values until they expire, in as few requests as possible."""
        expires = expiry(expires_at)
        rows: list[Values] = [
            {"subject": name, "value": value, "expires_at": expires} for name, value in values.items()
        ]
        self._tables.write_all(CACHE, puts=rows)


class Store(Claims, UsageCounters, Whitelist, LookupCache):
    """All four tables; threads may share it."""

    def delete_workspace(self, team: str) -> int:
        """Delete a workspace's claims, marks, feedback, counters and cached values; return their number.

        Their keys have its id between two colons. They are found by reading whole tables: a workspace leaves
        seldom, so no index is kept for it.
        """
        deleted = 0
        for table, key in KEYS.items():
            found = [str(row[key]) for row in self._tables.rows(table, key_contains=team)]
            names = [name for name in found if team in name.split(":")]
            self._tables.write_all(table, deletes=[{key: name} for name in names])
            deleted += len(names)
        return deleted

    def create_tables(self) -> tuple[str, ...]:
        """Create the tables that are missing; return their names. Raises StoreMismatch."""
        return self._tables.create_tables()

    def close(self) -> None:
        """Close the connections."""
        self._tables.close()
