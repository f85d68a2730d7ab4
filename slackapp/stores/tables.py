"""The small contract of rows that both databases implement. Every decision is written on it once.

A row is a mapping of attributes; one that SQLite has as NULL is not there. Conditions are in DynamoDB's
language, in the part of it that SQL reads too: `#name` is an attribute and `:name` a value, with comparisons,
AND, OR, NOT, `contains` and `attribute_not_exists`. A comparison with an attribute that is not there does not
hold.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

CLAIMS, WHITELIST, COUNTERS, CACHE = "dedupe", "whitelist", "rate_limit", "existence_check_cache"
KEYS = {CLAIMS: "dedupe_key", COUNTERS: "meter", CACHE: "subject"}
"""The attribute by which a row is found. The whitelist has two, `entity_type` and `entity_id`."""
FREE = "(attribute_not_exists(#expires_at) OR #expires_at <= :now)"
"""No row has this key, or it counts as gone."""
NAMELESS = "-"
"""In a set of texts, in place of an empty one: DynamoDB takes none."""

Value = str | int | float | bool | frozenset[str]
Values = Mapping[str, Value]
Changes = Mapping[str, Value | None]
"""New values of attributes; None removes one."""
NOTHING: Values = {}
Row = Mapping[str, Any]


def expiry(moment: float) -> int:
    """The second from which a row counts as gone; DynamoDB's TTL takes whole seconds only."""
    return math.ceil(moment)


class Outcome(NamedTuple):
    """The result of a conditional write."""

    done: bool
    """False if the condition did not hold; then nothing was written."""
    row: Row
    """The row after an update, or the one that did not meet the condition; empty if there is none."""


class Tables(Protocol):
    """The four tables of a database. Every method raises StoreUnavailable."""

    def get(self, table: str, keys: Collection[str]) -> Mapping[str, Row]:
        """Read rows by their keys, consistently; those that do not exist are left out."""

    def rows(self, table: str, *, key_contains: str = "") -> Sequence[Row]:
        """Read all rows of a table whose key contains a text, consistently."""

    def due(self, table: str, *, now: float, limit: int) -> Sequence[Row]:
        """Read the rows whose time in the table's index has come and that have not expired, oldest first."""

    def put(
        self, table: str, row: Values, *, when: str = "", values: Values = NOTHING, also: Values | None = None
    ) -> Outcome:
        """Write a whole row if the condition holds, and another one of the table in the same write."""

    def update(
        self,
        table: str,
        key: str,
        changes: Changes,
        *,
        add: Values = NOTHING,
        when: str = "",
        values: Values = NOTHING,
        revision: int | None = None,
        once: bool = False,
    ) -> Outcome:
        """Change attributes if the condition holds; the row is made if it does not exist.

        `add` is added to a number or to a set of texts. A database that may carry a write out again, because
        its answer was lost, leaves a row with a later `revision` as it is, and recognises a write that must
        count `once`.
        """

    def write_all(self, table: str, *, puts: Sequence[Values] = (), deletes: Sequence[Values] = ()) -> None:
        """Write whole rows and delete others, given by their keys, in as few requests as possible."""

    def delete(self, table: str, key: Values) -> bool:
        """Delete a row, given by its key; False if it did not exist."""

    def add_tally(self, name: str, amounts: Mapping[str, int], *, expires_at: int) -> None:
        """Add to amounts under a name, among the counters."""

    def tally(self, name: str, *, now: float) -> Mapping[str, int]:
        """The amounts under a name."""

    def create_tables(self) -> tuple[str, ...]:
        """Create the tables that are missing; return their names. Raises StoreMismatch."""

    def close(self) -> None:
        """Close the connections."""


class OnTables:
    """Base of the store's parts."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def _live(self, table: str, key: str, now: float) -> Row:
        """The row of a key; empty if there is none, or if it has expired."""
        row = self._tables.get(table, [key]).get(key, NOTHING)
        return row if row and row["expires_at"] > now else NOTHING
